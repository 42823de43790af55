#include "replay/verify.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "replay/checkpoint.h"
#include "tools/key_files.h"
#include "tools/progress.h"
#include "tools/text_file.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

constexpr std::size_t checkpoint_bytes_max = 4'096;

struct VerifyOptions {
  ReadOptions read;
  std::string checkpoint;
  std::string key;
};

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

// The checkpoint that was given, and why the ledger does not have its history.
struct Compared {
  Checkpoint checkpoint;
  std::optional<std::string> contradiction;
};

Result<std::optional<Checkpoint>> checkpoint_given(const VerifyOptions& options) {
  if (options.checkpoint.empty()) return std::nullopt;
  const auto key = read_public_key(options.key, KeyUse::checkpoint);
  if (!key) return tl::unexpected(key.error());
  const auto text = read_text_file(options.checkpoint, checkpoint_bytes_max);
  if (!text) return tl::unexpected(text.error());
  auto checkpoint = read_checkpoint(*text, VerifyingKey{*key});
  if (!checkpoint) return fail(checkpoint.error().code, options.checkpoint + ": " + checkpoint.error().detail);
  return *checkpoint;
}

void print_comparison(const Compared& compared, bool sound) {
  const Checkpoint& checkpoint = compared.checkpoint;
  if (compared.contradiction) {
    fmt::print("CONTRADICTED by the checkpoint: {}\n", *compared.contradiction);
  } else if (sound) {
    fmt::print(
        "unaltered up to position {}: that is the history which was signed (by the signer's clock {} s after 1970); of what follows the "
        "checkpoint says nothing\n",
        checkpoint.position.value, checkpoint.made_at.value / 1'000'000);
  } else {
    fmt::print("position {} has the hash that was signed, but the chain is damaged: see above\n", checkpoint.position.value);
  }
}

nlohmann::json document_of(const VerifyReport& report, const std::optional<Compared>& compared) {
  nlohmann::json document = to_json(report);
  if (compared) {
    document["checkpoint"] = {{"position", compared->checkpoint.position.value},
                              {"made_at_us", compared->checkpoint.made_at.value},
                              {"holds", report.sound() && !compared->contradiction},
                              {"detail", compared->contradiction.value_or("")}};
  }
  return document;
}

Result<ExitCode> run_verify(const VerifyOptions& options) {
  const auto checkpoint = checkpoint_given(options);
  if (!checkpoint) return tl::unexpected(checkpoint.error());
  auto ledger = open_for_verification(options.read);
  if (!ledger) return tl::unexpected(std::move(ledger.error()));
  const std::uint64_t total = count_events(**ledger);
  ProgressBar progress("verify");
  const auto report = verify_ledger(**ledger, [&](std::uint64_t events) {
    progress.update("events", total == 0 ? 1000 : static_cast<int>(std::min<std::uint64_t>(events * 1000 / total, 1000)));
  });
  progress.finish();
  if (!report) return tl::unexpected(report.error());
  std::optional<Compared> compared;
  if (*checkpoint) {
    auto contradicted = contradiction(**ledger, **checkpoint);
    if (!contradicted) return tl::unexpected(contradicted.error());
    compared = Compared{**checkpoint, std::move(*contradicted)};
  }
  if (options.read.json) {
    fmt::print("{}\n", document_of(*report, compared).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_report(*report);
    if (compared) print_comparison(*compared, report->sound());
  }
  const bool contradicted = compared && compared->contradiction;
  return report->sound() && !contradicted ? ExitCode::success : ExitCode::negative;
}

}  // namespace

Verb add_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App& command = add_command(app, "verify", "Check every hash of a ledger and name the first place that was altered",
                                  "turnstone verify --ledger ledger\n"
                                  "turnstone verify --ledger ledger --checkpoint monday.checkpoint --key auditor.pub");
  add_ledger_options(command, options->read);
  CLI::Option* key = command.add_option("--key", options->key, "Public key of whoever signed the checkpoint");
  CLI::Option* checkpoint =
      command.add_option("--checkpoint", options->checkpoint, "Checkpoint that was kept elsewhere: was anything before it altered since?");
  checkpoint->needs(key);
  key->needs(checkpoint);
  return {&command, [options] { return run_verify(*options); }};
}

}  // namespace turnstone
