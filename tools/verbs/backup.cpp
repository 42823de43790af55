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
  std::string master_key;
  bool json = false;
};

// What the keys that lie with the copy open: of each session and profile the last event.
struct Opened {
  std::uint64_t streams = 0;
  std::uint64_t erased = 0;
  std::string why_not;  // nothing was tried; empty: everything was
};

Status open_last_events(const Ledger& ledger, StreamKind kind, Opened& opened) {
  constexpr std::size_t streams_per_read = 4096;
  std::optional<std::string> after;
  for (;;) {
    const auto page = ledger.streams(kind, after, streams_per_read);
    if (!page) return tl::unexpected(page.error());
    if (page->empty()) return {};
    for (const StreamHead& head : *page) {
      const auto name = ledger.named(head.stream);
      const bool erased = !name && name.error().code == ErrorCode::erased;
      if (!name && !erased) return tl::unexpected(name.error());
      ++(erased ? opened.erased : opened.streams);
      if (erased) continue;
      if (const auto last = ledger.read(*name, head.sequence, 1); !last) return tl::unexpected(last.error());
    }
    after = page->back().stream.name;
  }
}

// Error: there are keys, but they do not open what is there.
Result<Opened> open_with_keys(const CopyOptions& options) {
  Opened opened;
  ReadOptions read;
  read.ledger = options.to;
  read.master_key = options.master_key;
  const auto ledger = open_for_reading(read);
  if (!ledger && ledger.error().code != ErrorCode::not_found) return tl::unexpected(ledger.error());
  if (!ledger) {
    opened.why_not = ledger.error().detail;
    return opened;
  }
  for (const StreamKind kind : {StreamKind::session, StreamKind::profile}) {
    if (auto done = open_last_events(**ledger, kind, opened); !done) return tl::unexpected(done.error());
  }
  return opened;
}

std::string words_of(const Opened& opened) {
  if (opened.why_not.empty()) {
    return fmt::format("read with its keys: the last event of each of {} sessions and profiles{}", opened.streams,
                       opened.erased > 0 ? fmt::format(" ({} more are erased)", opened.erased) : "");
  }
  return fmt::format("NOT verified that it can be read: {}", opened.why_not);
}

// Copies, then verifies what was written: a copy that cannot be read is none.
Result<ExitCode> run_copy(const CopyOptions& options, const char* what, bool with_keys) {
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
  const auto opened = with_keys ? open_with_keys(options) : Opened{.why_not = "a backup holds no keys; restore tries that"};
  if (!opened)
    return fail(opened.error().code,
                fmt::format("{} is restored and its bytes fit their hashes, but its keys do not open it: {}", options.to, opened.error().detail));
  if (options.json) {
    nlohmann::ordered_json document = {{"ledger", options.to},
                                       {"sound", sound},
                                       {"writes", copied->position.value},
                                       {"commit_hash", to_hex(copied->commit_hash)},
                                       {"events", report->events},
                                       {"streams", report->streams},
                                       {"turns", report->turns},
                                       {"bytes", copied->bytes},
                                       {"opened_with_keys", opened->why_not.empty()}};
    if (!opened->why_not.empty()) document["not_opened_because"] = opened->why_not;
    fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{} {} to {}: {} writes, {} events in {} streams, {} stored replies, {} bytes; {}\n{}\ncommit hash {}\n", what, options.from,
               options.to, copied->position.value, report->events, report->streams, report->turns, copied->bytes,
               sound ? "verified: every stored byte fits its hashes" : "DAMAGED", words_of(*opened), to_hex(copied->commit_hash));
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
  return {&command, [options] { return run_copy(*options, "backed up", false); }};
}

Verb add_restore(CLI::App& app) {
  auto options = std::make_shared<CopyOptions>();
  CLI::App& command =
      add_command(app, "restore", "Make a ledger from a backup, and verify it", "turnstone restore --backup backups/monday --ledger ledger --keys keys");
  command.add_option("--backup", options->from, "Folder that `turnstone backup` made; it is only read")->required();
  command.add_option("--ledger", options->to, "Folder of the ledger to make; it must not exist")->required();
  command.add_option("--keys", options->keys, "Folder with the newest KEYS of that ledger (and its MASTER, unless kept elsewhere); a backup holds no keys");
  add_master_key_option(command, options->master_key);
  add_json_flag(command, options->json);
  return {&command, [options] { return run_copy(*options, "restored", true); }};
}

}  // namespace turnstone
