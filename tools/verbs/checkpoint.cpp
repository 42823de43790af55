#include "replay/checkpoint.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "storage/ledger/anchor.h"
#include "tools/key_files.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct CheckpointOptions {
  ReadOptions read;
  std::string key;
};

Result<ExitCode> run_checkpoint(const CheckpointOptions& options) {
  const auto keys = read_secret_key(options.key, KeyUse::checkpoint);
  if (!keys) return tl::unexpected(keys.error());
  const auto durable = acknowledged_in(options.read.ledger);  // before the ledger is opened, so that it holds all of it
  if (!durable) return tl::unexpected(durable.error());
  const auto ledger = open_for_verification(options.read);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto checkpoint = checkpoint_of(**ledger, *durable, system_clock().now());
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  fmt::print("{}\n", sign_checkpoint(*checkpoint, SigningSeed{keys->secret}));
  return ExitCode::success;
}

}  // namespace

Verb add_checkpoint(CLI::App& app) {
  auto options = std::make_shared<CheckpointOptions>();
  CLI::App& command = add_command(app, "checkpoint", "Sign where a ledger stands, for `verify --checkpoint` by whoever keeps the line elsewhere",
                                  "turnstone checkpoint --ledger ledger --key auditor.key > monday.checkpoint");
  add_ledger_options(command, options->read);
  command.add_option("--key", options->key, "Secret key that `turnstone keys --for checkpoints` made")->required();
  return {&command, [options] { return run_checkpoint(*options); }};
}

}  // namespace turnstone
