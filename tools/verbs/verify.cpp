#include "replay/verify.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/progress.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

// Heads tell how much there is to do, so that the bar means something.
std::uint64_t count_events(const Ledger& ledger) {
  std::uint64_t events = 0;
  for (const StreamKind kind : {StreamKind::session, StreamKind::profile}) {
    std::optional<std::string> after;
    for (;;) {
      const auto page = ledger.streams(kind, after, 4096);
      if (!page || page->empty()) break;
      for (const StreamHead& head : *page) events += head.sequence.value;
      after = page->back().stream.name;
    }
  }
  return events;
}

void print_report(const VerifyReport& report) {
  for (const Damage& damage : report.damages) fmt::print("{}\n", describe(damage));
  const double rate = report.seconds > 0 ? static_cast<double>(report.events) / report.seconds : 0;
  fmt::print("{}: {} events in {} streams, {} commit records, {} stored replies; {:.2f} s, {:.0f} events/s\n", report.sound() ? "sound" : "DAMAGED",
             report.events, report.streams, report.commits, report.turns, report.seconds, rate);
  fmt::print("position {}, commit hash {}\n", report.position.value, to_hex(report.commit_hash));
  if (report.sound()) fmt::print("{}\n", verification_meaning);
}

Result<ExitCode> run_verify(const ReadOptions& options) {
  auto ledger = open_for_verification(options);
  if (!ledger) return tl::unexpected(std::move(ledger.error()));
  const std::uint64_t total = count_events(**ledger);
  ProgressBar progress("verify");
  const auto report = verify_ledger(**ledger, [&](std::uint64_t events) {
    progress.update("events", total == 0 ? 1000 : static_cast<int>(std::min<std::uint64_t>(events * 1000 / total, 1000)));
  });
  progress.finish();
  if (!report) return tl::unexpected(report.error());
  if (options.json) {
    fmt::print("{}\n", to_json(*report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_report(*report);
  }
  return report->sound() ? ExitCode::success : ExitCode::negative;
}

}  // namespace

Verb add_verify(CLI::App& app) {
  auto options = std::make_shared<ReadOptions>();
  CLI::App& command = add_command(app, "verify", "Check every hash of a ledger and name the first place that was altered",
                                  "turnstone verify --ledger ledger\nturnstone verify --ledger ledger --json");
  add_ledger_options(command, *options);
  return {&command, [options] { return run_verify(*options); }};
}

}  // namespace turnstone
