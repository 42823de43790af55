// The command line `turnstone`: one binary, one subcommand a verb (tools/verbs/verb.h tells the convention).
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>
#include <vector>

#include "events/types.h"
#include "tools/printed_output.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

using AddVerb = Verb (*)(CLI::App& app);

// In the order of `turnstone --help`.
const std::vector<AddVerb> verbs = {
    add_try,    add_index,  add_search, add_chat,  add_up,      add_engine, add_worker, add_talk,   add_generate, add_eval,    add_erase,  add_rekey,  add_keys,
    add_bench,  add_policy, add_audit,  add_explain, add_replay, add_verify, add_parked, add_backup, add_restore,  add_export, add_import, add_doctor, add_checkpoint,
};

bool wants_json(const CLI::App& command) {
  for (const CLI::App* nested : command.get_subcommands()) {
    if (wants_json(*nested)) return true;
  }
  const CLI::Option* json = command.get_option_no_throw("--json");
  return json != nullptr && json->count() > 0;
}

int run(int argc, char** argv) {
  CLI::App app("Turnstone finds products by talking: an event-sourced conversation engine.", "turnstone");
  app.set_version_flag("--version", fmt::format("turnstone {} (decision version {}, fold version {})", TURNSTONE_VERSION, decision_version, fold_version));
  app.require_subcommand(1);
  app.footer("\nExample:\n  turnstone generate --kind fashion --rows 10000 --seed 7 --out sample.jsonl\n"
             "  turnstone index sample.jsonl --out idx\n  turnstone chat --index idx --ledger ledger\n\n"
             "Exit codes: 0 success, 1 a negative result, 2 usage, 3 environment or I/O, 4 refused.");
  std::vector<Verb> added;
  for (const AddVerb add : verbs) {
    added.push_back(add(app));
    share_examples(*added.back().command);
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // 0 for --help and --version, which come as errors too.
    return app.exit(error) == 0 ? static_cast<int>(ExitCode::success) : static_cast<int>(ExitCode::usage);
  }
  for (const Verb& verb : added) {
    if (!verb.command->parsed()) continue;
    const Result<ExitCode> ended = verb.run();
    if (ended) return static_cast<int>(*ended);
    if (printed_so_far()) print_error(ended.error(), wants_json(*verb.command));
    return static_cast<int>(exit_code_of(ended.error().code));
  }
  return static_cast<int>(ExitCode::usage);
}

}  // namespace
// A standard stream that is closed would be given to the next file that is opened, and messages would go into that. On the output nothing can
// be written still: a result must not be lost in silence.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0) [[maybe_unused]] const int opened = open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace turnstone

int main(int argc, char** argv) {
  turnstone::open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is a failed write, not a killed process
  try {
    return turnstone::code_after_printing(turnstone::run(argc, argv));
  } catch (const std::exception& error) {
    if (!turnstone::printed_so_far()) {  // what threw was printing
      const auto* failed = dynamic_cast<const std::system_error*>(&error);
      return turnstone::code_after_printing(0, failed != nullptr ? failed->code().value() : 0);
    }
    std::fprintf(stderr, "turnstone: stopped by an unexpected fault (%s); run it again, and report it with the command line if it stays\n", error.what());
    return static_cast<int>(turnstone::ExitCode::environment);
  }
}
