#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/ledger/key_store.h"
#include "storage/ledger/ledger.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct RekeyOptions {
  std::string ledger;
  std::string master_key;
  bool json = false;
};

Result<ExitCode> run_rekey(const RekeyOptions& options) {
  if (auto done = rotate_ledger_master_key(options.ledger, options.master_key); !done) return tl::unexpected(done.error());
  const std::string master = options.master_key.empty() ? options.ledger + "/MASTER" : options.master_key;
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"ledger", options.ledger}, {"master_key", master}}.dump(-1, ' ', false,
                                                                                                       nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print(
        "the keys of {} are wrapped by a new master key, now in {}; the old one opens nothing here. Copy both files again to where you keep them\n",
        options.ledger, master);
  }
  return ExitCode::success;
}

}  // namespace

Verb add_rekey(CLI::App& app) {
  auto options = std::make_shared<RekeyOptions>();
  CLI::App& command = add_command(app, "rekey", "Replace a ledger's master key, under which the keys of its sessions are wrapped",
                                  "turnstone rekey --ledger ledger\nturnstone rekey --ledger ledger --master-key /etc/turnstone/master");
  command.add_option("--ledger", options->ledger, "Folder of the ledger; no engine may have it open")->required();
  add_master_key_option(command, options->master_key);
  add_json_flag(command, options->json);
  return {&command, [options] { return run_rekey(*options); }};
}

}  // namespace turnstone
