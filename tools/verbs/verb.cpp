#include "tools/verbs/verb.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

namespace turnstone {

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, description);
  std::string footer = "\nExample:";
  std::istringstream lines(examples);
  for (std::string line; std::getline(lines, line);) footer += "\n  " + line;
  command->footer(footer);
  return *command;
}

void share_examples(CLI::App& command) {
  for (CLI::App* part : command.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string wanted = "turnstone " + command.get_name() + " " + part->get_name() + " ";
    std::string footer = "\nExample:";
    std::istringstream lines(command.get_footer());
    for (std::string line; std::getline(lines, line);) {
      if ((line + " ").find(wanted) != std::string::npos) footer += "\n" + line;
    }
    part->footer(footer);
  }
}

void add_json_flag(CLI::App& command, bool& json) { command.add_flag("--json", json, "Print the result as JSON"); }

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::limit_exceeded:
    case ErrorCode::key_reused: return ExitCode::usage;
    case ErrorCode::refused:
    case ErrorCode::unsupported:
    case ErrorCode::closed:
    case ErrorCode::erased: return ExitCode::refused;
    case ErrorCode::not_found:
    case ErrorCode::io:
    case ErrorCode::no_space:
    case ErrorCode::locked:
    case ErrorCode::corrupt:
    case ErrorCode::busy:
    case ErrorCode::internal: return ExitCode::environment;
  }
  return ExitCode::environment;
}

std::string error_document(const Error& error) {
  const nlohmann::ordered_json document = {{"error", {{"code", to_string(error.code)}, {"detail", error.detail}}}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void print_error(const Error& error, bool json) {
  if (json) {
    fmt::print("{}\n", error_document(error));
  } else {
    fmt::print(stderr, "turnstone: {}\n", error.detail);
  }
}

}  // namespace turnstone
