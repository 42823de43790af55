#include "replay/explain.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/progress.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct Options : ReadOptions {
  std::string session;
  std::string product;
  std::uint32_t turn = 0;
  std::size_t place = 0;
};

Result<ExitCode> run_explain(const Options& options) {
  if (options.product.empty() == (options.place == 0)) return fail(ErrorCode::invalid_argument, "give either --product or --place");
  auto ledger = open_for_reading(options);
  if (!ledger) return tl::unexpected(std::move(ledger.error()));
  auto shelf = open_indexes(options);
  if (!shelf) return tl::unexpected(std::move(shelf.error()));
  auto what_if = what_if_of(options, *shelf);
  if (!what_if) return tl::unexpected(std::move(what_if.error()));
  if (const auto known = sessions_asked(**ledger, {options.session}); !known) return tl::unexpected(known.error());
  ExplainRequest request;
  request.session = SessionId{options.session};
  if (options.turn > 0) request.turn = TurnNumber{options.turn};
  if (!options.product.empty()) request.product = ProductId{options.product};
  if (options.place > 0) request.place = options.place;
  const auto explanation = explain(**ledger, request, shelf->lookup(), policies_of(**ledger), *what_if);
  if (!explanation) return tl::unexpected(explanation.error());
  if (options.json) {
    fmt::print("{}\n", to_json(*explanation).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", explanation_text(*explanation, colours_wanted(STDOUT_FILENO)));
  }
  return ExitCode::success;
}

}  // namespace

Verb add_explain(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App& command = add_command(app, "explain", "Say why a product was shown at a turn, or what kept it out",
                                  "turnstone explain --ledger ledger --index idx --session s1 --turn 3 --place 1\n"
                                  "turnstone explain --ledger ledger --index idx --session s1 --product B07XQZ1");
  add_ledger_options(command, *options);
  add_decider_options(command, *options);
  command.get_option("--index")->required();
  command.add_option("--session", options->session, "The session")->required();
  command.add_option("--turn", options->turn, "The turn; else the last one")->check(CLI::PositiveNumber);
  command.add_option("--product", options->product, "A product's id");
  command.add_option("--place", options->place, "A place in that turn's reply, from 1")->check(CLI::PositiveNumber);
  return {&command, [options] { return run_explain(*options); }};
}

}  // namespace turnstone
