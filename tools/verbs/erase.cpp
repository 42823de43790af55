#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "storage/ledger/erasure.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

constexpr std::int64_t day_us = 86'400'000'000;

struct EraseOptions {
  std::string ledger;
  std::string master_key;
  std::string session;
  std::string profile;
  double older_than = -1;
  std::string by;
  bool json = false;
};

std::string invoking_user() {
  const char* name = std::getenv("USER");
  return name != nullptr && *name != '\0' ? std::string(name) : "uid " + std::to_string(getuid());
}

Result<ExitCode> run_erase(const EraseOptions& options) {
  const Timestamp now = system_clock().now();
  ErasureScope scope;
  if (!options.session.empty()) scope.session = SessionId{options.session};
  if (!options.profile.empty()) scope.profile = ProfileId{options.profile};
  if (options.older_than >= 0) scope.idle_since = Timestamp{now.value - static_cast<std::int64_t>(options.older_than * static_cast<double>(day_us))};
  if (int{scope.session.has_value()} + int{scope.profile.has_value()} + int{scope.idle_since.has_value()} != 1) {
    return fail(ErrorCode::invalid_argument, "say what to erase: one of --session, --profile and --older-than");
  }
  auto ledger = open_ledger(options.ledger, {.create_if_missing = false, .master_key = options.master_key});
  if (!ledger && ledger.error().code == ErrorCode::locked) {
    return fail(ErrorCode::locked, ledger.error().detail + "; an engine ends by SIGTERM: erase then, and start it again");
  }
  if (!ledger) return tl::unexpected(ledger.error());
  const auto report = erase_scope(**ledger, scope, options.by.empty() ? invoking_user() : options.by, now);
  if (!report) return tl::unexpected(report.error());
  if (options.json) {
    auto erased = nlohmann::json::array();
    for (const StreamId& stream : report->erased)
      erased.push_back({{"kind", stream.kind == StreamKind::session ? "session" : "profile"}, {"id", stream.name}});
    fmt::print("{}\n", nlohmann::ordered_json{{"erased", erased}, {"erased_before", report->before}}.dump(-1, ' ', false,
                                                                                                          nlohmann::json::error_handler_t::replace));
  } else {
    for (const StreamId& stream : report->erased)
      fmt::print("erased {} {}\n", stream.kind == StreamKind::session ? "session" : "profile", stream.name);
    fmt::print("{} erased, {} had been before\n", report->erased.size(), report->before);
  }
  return ExitCode::success;
}

}  // namespace

Verb add_erase(CLI::App& app) {
  auto options = std::make_shared<EraseOptions>();
  CLI::App& command =
      add_command(app, "erase", "Destroy what a ledger holds of a person: the keys of her sessions, so that no copy of the ledger can be read",
                  "turnstone erase --ledger ledger --session s1\nturnstone erase --ledger ledger --older-than 365 --json");
  command.add_option("--ledger", options->ledger, "Folder of the ledger; no engine may have it open")->required();
  command.add_option("--session", options->session, "Id of the session; its forks go with it");
  command.add_option("--profile", options->profile, "Id of the profile: itself and every session that names it");
  command.add_option("--older-than", options->older_than, "Every session without an event in the last DAYS days")->check(CLI::Range(0.0, 100'000.0));
  command.add_option("--by", options->by, "Who erases, for the record that stays; without it the name of the user");
  add_master_key_option(command, options->master_key);
  add_json_flag(command, options->json);
  return {&command, [options] { return run_erase(*options); }};
}

}  // namespace turnstone
