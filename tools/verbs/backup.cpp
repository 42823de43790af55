#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "replay/verify.h"
#include "storage/ledger/copy_ledger.h"
#include "storage/ledger/key_store.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct CopyOptions {
  std::string from;
  std::string to;
  std::string keys;
  bool json = false;
};

// Copies, then verifies what was written: a copy that cannot be read is none.
Result<ExitCode> run_copy(const CopyOptions& options, const char* what) {
  const auto copied = copy_ledger(options.from, options.to, options.keys);
  if (!copied) return tl::unexpected(copied.error());
  ReadOptions read;
  read.ledger = options.to;
  const auto ledger = open_for_verification(read);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto report = verify_ledger(**ledger);
  if (!report) return tl::unexpected(report.error());
  for (const Damage& damage : report->damages) fmt::print(stderr, "turnstone: {}\n", describe(damage));
  const bool sound = report->sound() && report->position == copied->position && report->commit_hash == copied->commit_hash;
  if (options.json) {
    const nlohmann::ordered_json document = {{"ledger", options.to},
                                             {"sound", sound},
                                             {"writes", copied->position.value},
                                             {"commit_hash", to_hex(copied->commit_hash)},
                                             {"events", report->events},
                                             {"streams", report->streams},
                                             {"turns", report->turns},
                                             {"bytes", copied->bytes}};
    fmt::print("{}\n", document.dump());
  } else {
    fmt::print("{} {} to {}: {} writes, {} events in {} streams, {} stored replies, {} bytes; {}\ncommit hash {}\n", what, options.from, options.to,
               copied->position.value, report->events, report->streams, report->turns, copied->bytes, sound ? "verified" : "DAMAGED",
               to_hex(copied->commit_hash));
  }
  return sound ? ExitCode::success : ExitCode::negative;
}

}  // namespace

Verb add_backup(CLI::App& app) {
  auto options = std::make_shared<CopyOptions>();
  CLI::App& command = add_command(app, "backup", "Copy a ledger, without its keys, into a new folder, also beside the engine that writes it, and verify the copy",
                                  "turnstone backup --ledger ledger --out backups/monday");
  command.add_option("--ledger", options->from, "Folder of the ledger; it is only read")->required();
  command.add_option("--out", options->to, "Folder to make; it must not exist")->required();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_copy(*options, "backed up"); }};
}

Verb add_restore(CLI::App& app) {
  auto options = std::make_shared<CopyOptions>();
  CLI::App& command =
      add_command(app, "restore", "Make a ledger from a backup, and verify it", "turnstone restore --backup backups/monday --ledger ledger --keys keys");
  command.add_option("--backup", options->from, "Folder that `turnstone backup` made; it is only read")->required();
  command.add_option("--ledger", options->to, "Folder of the ledger to make; it must not exist")->required();
  command.add_option("--keys", options->keys, "Folder with the newest KEYS of that ledger (and its MASTER, unless kept elsewhere); a backup holds no keys");
  add_json_flag(command, options->json);
  return {&command, [options] { return run_copy(*options, "restored"); }};
}

}  // namespace turnstone
