#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/gateway/http_client.h"
#include "engine/gateway/target.h"
#include "storage/ledger/erasure.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

constexpr std::int64_t day_us = 86'400'000'000;

struct EraseOptions {
  std::string ledger;
  std::string http;  // instead: the running engine that has it open
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

using ordered_json = nlohmann::ordered_json;

void print(const ordered_json& report, bool as_json) {
  if (as_json) return fmt::print("{}\n", report.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  for (const auto& stream : report["erased"]) fmt::print("erased {} {}\n", stream.value("kind", ""), stream.value("id", ""));
  fmt::print("{} erased, {} had been before\n", report["erased"].size(), report.value("erased_before", std::uint64_t{0}));
}

ErrorCode code_of(const HttpResponse& response) {
  if (response.status == 404) return ErrorCode::not_found;
  if (response.status == 403) return ErrorCode::refused;
  return response.status == 503 ? ErrorCode::busy : response.status < 500 ? ErrorCode::invalid_argument : ErrorCode::io;
}

Result<ExitCode> erase_through_engine(const EraseOptions& options, const std::string& by) {
  if (options.session.empty() == options.profile.empty() || options.older_than >= 0) {
    return fail(ErrorCode::invalid_argument, "a running engine erases one of --session and --profile; give --ledger for the rest, with the engine stopped");
  }
  const auto address = parse_http_address(options.http);
  if (!address) return tl::unexpected(address.error());
  const std::string target = options.profile.empty() ? "/v1/sessions/" + percent_encode(options.session) : "/v1/profiles/" + percent_encode(options.profile);
  const auto response = HttpClient(*address).send({"DELETE", target + "?by=" + percent_encode(by), {}, {}});
  if (!response) return tl::unexpected(response.error());
  const auto answer = ordered_json::parse(response->body, nullptr, false);
  if (response->status != 200 || !answer.is_object() || !answer.contains("erased")) {
    return fail(code_of(*response), answer.is_object() ? answer.value("detail", std::string()) : fmt::format("the engine answered {}", response->status));
  }
  print(answer, options.json);
  return ExitCode::success;
}

Result<ExitCode> run_erase(const EraseOptions& options) {
  const std::string by = options.by.empty() ? invoking_user() : options.by;
  if (options.ledger.empty() == options.http.empty()) {
    return fail(ErrorCode::invalid_argument, "give --ledger, or --http of the running engine that has it open");
  }
  if (!options.http.empty()) return erase_through_engine(options, by);
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
    return fail(ErrorCode::locked, ledger.error().detail + "; erase through it (--http, where it was started with --allow-erase), or end it by SIGTERM first");
  }
  if (!ledger) return tl::unexpected(ledger.error());
  const auto report = erase_scope(**ledger, scope, by, now);
  if (!report) return tl::unexpected(report.error());
  auto erased = ordered_json::array();
  for (const StreamId& stream : report->erased) erased.push_back({{"kind", stream.kind == StreamKind::session ? "session" : "profile"}, {"id", stream.name}});
  print({{"erased", erased}, {"erased_before", report->before}}, options.json);
  return ExitCode::success;
}

}  // namespace

Verb add_erase(CLI::App& app) {
  auto options = std::make_shared<EraseOptions>();
  CLI::App& command =
      add_command(app, "erase", "Destroy what a ledger holds of a person: the keys of her sessions, so that no copy of the ledger can be read",
                  "turnstone erase --ledger ledger --session s1\nturnstone erase --http 127.0.0.1:8080 --profile user-7\nturnstone erase --ledger ledger --older-than 365 --json");
  command.add_option("--ledger", options->ledger, "Folder of the ledger; no engine may have it open");
  command.add_option("--http", options->http, "Instead of --ledger: ADDRESS:PORT of the running engine, started with --allow-erase");
  command.add_option("--session", options->session, "Id of the session; its forks go with it");
  command.add_option("--profile", options->profile, "Id of the profile: itself and every session that names it");
  command.add_option("--older-than", options->older_than, "Every session without an event in the last DAYS days")->check(CLI::Range(0.0, 100'000.0));
  command.add_option("--by", options->by, "Who erases, for the record that stays; without it the name of the user");
  add_master_key_option(command, options->master_key);
  add_json_flag(command, options->json);
  return {&command, [options] { return run_erase(*options); }};
}

}  // namespace turnstone
