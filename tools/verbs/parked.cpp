#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/gateway/http_client.h"
#include "engine/gateway/target.h"
#include "engine/parked_turns.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct ParkedOptions {
  ReadOptions read;
  std::string session;
  std::uint32_t turn = 0;
  std::string http = "127.0.0.1:8080";
};

std::string dump(const ordered_json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

ordered_json document_of(const ParkedTurn& parked) {
  ordered_json document = {{"session", parked.session.value},    {"turn", parked.turn.value},       {"reason", parked.parked.reason},
                           {"attempts", parked.parked.attempts}, {"parked_at_us", parked.at.value}, {"key", parked.received.key.value},
                           {"message", parked.received.text},    {"top_k", parked.received.top_k}};
  document["retried_as"] = parked.retried_as ? ordered_json(parked.retried_as->value) : ordered_json(nullptr);
  return document;
}

Result<ExitCode> list(const ParkedOptions& options) {
  auto ledger = open_for_reading(options.read);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto parked = parked_turns(**ledger);
  if (!parked) return tl::unexpected(parked.error());
  for (const ParkedTurn& turn : *parked) {
    if (options.read.json) {
      fmt::print("{}\n", dump(document_of(turn)));
    } else {
      const std::string after = turn.retried_as ? fmt::format("; tried again as turn {}", turn.retried_as->value) : std::string();
      fmt::print("{} turn {}: {} attempts, {}{}\n", turn.session.value, turn.turn.value, turn.parked.attempts, turn.parked.reason, after);
    }
  }
  if (!options.read.json) fmt::print("{} parked\n", parked->size());
  return ExitCode::success;
}

// The parked turn that --session and --turn name.
Result<ParkedTurn> find(const ParkedOptions& options) {
  auto ledger = open_for_reading(options.read);
  if (!ledger) return tl::unexpected(ledger.error());
  const auto parked = parked_turns(**ledger);
  if (!parked) return tl::unexpected(parked.error());
  const auto found = std::find_if(parked->begin(), parked->end(),
                                  [&](const ParkedTurn& turn) { return turn.session.value == options.session && turn.turn.value == options.turn; });
  if (found != parked->end()) return *found;
  return fail(ErrorCode::not_found, "this turn is not parked; `turnstone parked list` shows those that are");
}

Result<ExitCode> show(const ParkedOptions& options) {
  const auto parked = find(options);
  if (!parked) return tl::unexpected(parked.error());
  const ordered_json document = document_of(*parked);
  if (options.read.json) {
    fmt::print("{}\n", dump(document));
  } else {
    for (const auto& [name, value] : document.items()) fmt::print("{:<13} {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return ExitCode::success;
}

Result<ExitCode> retry(const ParkedOptions& options) {
  const auto parked = find(options);
  if (!parked) return tl::unexpected(parked.error());
  auto address = parse_http_address(options.http);
  if (!address) return tl::unexpected(address.error());
  const ordered_json body = {{"message", parked->received.text}, {"top_k", parked->received.top_k}, {"retry_of", parked->turn.value}};
  HttpClient client(*address);
  const auto response = client.send(
      {"POST", "/v1/sessions/" + percent_encode(parked->session.value) + "/turns", {{"Idempotency-Key", retry_key(parked->turn).value}}, dump(body)});
  if (!response) return tl::unexpected(response.error());
  const json answer = json::parse(response->body, nullptr, false);
  if (response->status != 200) {
    return fail(response->status == 503 ? ErrorCode::busy : ErrorCode::invalid_argument,
                answer.is_object() ? answer.value("detail", std::string()) : fmt::format("the engine answered {}", response->status));
  }
  const bool again = answer.value("parked", false);
  fmt::print("{}\n", options.read.json ? response->body : answer.value("message", std::string()));
  return again ? ExitCode::negative : ExitCode::success;
}

}  // namespace

Verb add_parked(CLI::App& app) {
  auto options = std::make_shared<ParkedOptions>();
  CLI::App& command = add_command(app, "parked", "Turns that three attempts could not finish: list them, show one, try one again",
                                  "turnstone parked list --ledger ledger\nturnstone parked show --ledger ledger --session s1 --turn 4\n"
                                  "turnstone parked retry --ledger ledger --session s1 --turn 4 --http 127.0.0.1:8080");
  auto run = std::make_shared<Result<ExitCode> (*)(const ParkedOptions&)>(nullptr);
  const auto add = [&](const char* name, const char* what, Result<ExitCode> (*function)(const ParkedOptions&)) -> CLI::App& {
    CLI::App* part = command.add_subcommand(name, what);
    add_ledger_options(*part, options->read);
    part->callback([run, function] { *run = function; });
    return *part;
  };
  const auto name_one = [&](CLI::App& part) {
    part.add_option("--session", options->session, "Its session")->required();
    part.add_option("--turn", options->turn, "Its number")->required()->check(CLI::Range(1U, 4'000'000'000U));
  };
  command.require_subcommand(1);
  add("list", "All parked turns, in the order in which they were parked", list);
  name_one(add("show", "One parked turn with its message", show));
  CLI::App& again = add("retry", "Ask a running engine for it again, as a new turn; exit 1 when it is parked again", retry);
  name_one(again);
  again.add_option("--http", options->http, "Where the engine listens")->capture_default_str();
  return {&command, [options, run] { return (*run)(*options); }};
}

}  // namespace turnstone
