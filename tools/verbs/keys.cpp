#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/key_files.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct KeysOptions {
  std::string use;
  std::string name;
  bool json = false;
};

Result<ExitCode> run_keys(const KeysOptions& options) {
  const KeyUse use = options.use == "bus" ? KeyUse::bus : KeyUse::checkpoint;
  if (auto written = write_key_pair(options.name, use, make_key_pair(use)); !written) return tl::unexpected(written.error());
  if (options.json) {
    const nlohmann::ordered_json document = {{"secret", options.name + ".key"}, {"public", options.name + ".pub"}};
    fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else if (use == KeyUse::bus) {
    fmt::print("{0}.key stays with the engine or worker that uses it; {0}.pub is for the other side\n", options.name);
  } else {
    fmt::print("{0}.key signs: keep it where whoever can write the ledger cannot read it; {0}.pub verifies: give it to whoever audits\n",
               options.name);
  }
  return ExitCode::success;
}

}  // namespace

Verb add_keys(CLI::App& app) {
  auto options = std::make_shared<KeysOptions>();
  CLI::App& command = add_command(app, "keys", "Make a key pair: for an engine or worker on a bus between hosts, or to sign checkpoints",
                                  "turnstone keys --for bus --out engine\nturnstone keys --for checkpoints --out auditor");
  command.add_option("--for", options->use, "What the keys are for")->required()->check(CLI::IsMember({"bus", "checkpoints"}));
  command.add_option("--out", options->name, "NAME of the two files, NAME.key and NAME.pub; neither may exist")->required();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_keys(*options); }};
}

}  // namespace turnstone
