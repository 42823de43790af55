// The convention of the command line's verbs.
//
// A verb is one file tools/verbs/NAME.cpp that exports one function,
//
//     Verb add_NAME(CLI::App& app);
//
// declared below and listed in tools/main.cpp. It adds its subcommand with add_command() (which gives it the
// example shown by --help), binds its options to a struct of its own kept alive by `run`, and returns. main
// parses, calls `run` of the verb that was named and prints the Error that may come back. A verb that prints a
// result has the flag --json (add_json_flag), under which its errors are JSON on standard output, too.
//
// Results go to standard output, everything else (progress, warnings, errors) to standard error.
#pragma once

#include <functional>
#include <string>

#include "events/error.h"

namespace CLI {
class App;
}

namespace turnstone {

// Exit codes of every verb.
enum class ExitCode : int {
  success = 0,
  negative = 1,     // the verb worked and its answer is no: diverged, tampered, found wanting
  usage = 2,        // the command line or an input breaks a documented rule
  environment = 3,  // the operating system, a file or another process stands in the way
  refused = 4,      // other artefact, policy or version; erased; incomplete
};

struct Verb {
  CLI::App* command = nullptr;  // owned by the app
  std::function<Result<ExitCode>()> run;
};

// Adds subcommand `name`; `examples` are whole command lines, one a line, shown at the end of its --help.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description, const std::string& examples);
// Gives every part of a verb ("policy show") those examples of the verb that use it. Once the verb is complete.
void share_examples(CLI::App& command);
// Adds --json, bound to `json`.
void add_json_flag(CLI::App& command, bool& json);

// The exit code that an Error ends the program with.
ExitCode exit_code_of(ErrorCode code);
// `json`: {"error":{"code","detail"}} on standard output, else one line "turnstone: detail" on standard error.
void print_error(const Error& error, bool json);
// {"error":{"code","detail"}} as one line without its end.
std::string error_document(const Error& error);

// One a verb, in alphabetical order.
Verb add_audit(CLI::App& app);
Verb add_backup(CLI::App& app);
Verb add_bench(CLI::App& app);
Verb add_chat(CLI::App& app);
Verb add_checkpoint(CLI::App& app);
Verb add_doctor(CLI::App& app);
Verb add_engine(CLI::App& app);
Verb add_erase(CLI::App& app);
Verb add_eval(CLI::App& app);
Verb add_explain(CLI::App& app);
Verb add_export(CLI::App& app);
Verb add_generate(CLI::App& app);
Verb add_import(CLI::App& app);
Verb add_index(CLI::App& app);
Verb add_keys(CLI::App& app);
Verb add_parked(CLI::App& app);
Verb add_policy(CLI::App& app);
Verb add_rekey(CLI::App& app);
Verb add_replay(CLI::App& app);
Verb add_restore(CLI::App& app);
Verb add_search(CLI::App& app);
Verb add_talk(CLI::App& app);
Verb add_try(CLI::App& app);
Verb add_up(CLI::App& app);
Verb add_verify(CLI::App& app);
Verb add_worker(CLI::App& app);

}  // namespace turnstone
