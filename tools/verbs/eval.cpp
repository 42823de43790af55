#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "tools/eval/ablation.h"
#include "tools/eval/evaluation.h"
#include "tools/eval/knowing_report.h"
#include "tools/eval/score.h"
#include "tools/text_file.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

struct EvalOptions {
  GroundOptions ground;
  std::string out, timings, transcripts, baseline;
  std::string policy = "benchmark";
  std::string shopper = "card", wording = "canonical", frames = "development", reader = "engine";
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  double slack = 0;
  std::optional<double> calibrated_within;
  bool share = false, ablate = false;
  bool json = false;
};

constexpr std::size_t report_bytes_max = 256 << 20;
constexpr const char* all_wordings = "all";
constexpr const char* knowing = "knowing";

EvaluationOptions evaluation_of(const EvalOptions& options) {
  EvaluationOptions out;
  out.trial = {options.ground.seed, wording_style_named(options.wording).value_or(WordingStyle::canonical), *frame_half_named(options.frames)};
  out.variant = options.policy;
  out.read_by = options.reader == "oracle" ? EmbeddedAgent::ReadBy::oracle : EmbeddedAgent::ReadBy::engine;
  out.knowing = options.shopper == knowing;
  out.explain = !options.transcripts.empty();
  out.jobs = options.jobs;
  return out;
}

// Perfect reading does not look at the words, so any wording will do.
Result<Evaluation> evaluate_with_oracle(const Ground& ground, const EvalOptions& options) {
  EvaluationOptions perfect = evaluation_of(options);
  perfect.trial.wording = WordingStyle::canonical;
  perfect.read_by = EmbeddedAgent::ReadBy::oracle;
  perfect.explain = false;
  return evaluate(ground, ground.policy, perfect);
}

Result<ExitCode> hold_against_baseline(const std::string& report_text, const std::string& file, double slack) {
  const auto baseline = read_text_file(file, report_bytes_max);
  if (!baseline) return tl::unexpected(baseline.error());
  const auto ratchet = compare(report_text, *baseline, slack);
  if (!ratchet) return tl::unexpected(ratchet.error());
  switch (*ratchet) {
    case Ratchet::identical: fmt::print(stderr, "baseline: byte-identical\n"); return ExitCode::success;
    case Ratchet::score_equal: fmt::print(stderr, "baseline: score equal, the report differs\n"); return ExitCode::success;
    case Ratchet::higher: fmt::print(stderr, "baseline: score higher\n"); return ExitCode::success;
    case Ratchet::within_slack: fmt::print(stderr, "baseline: score lower, within the slack\n"); return ExitCode::success;
    case Ratchet::lower: fmt::print(stderr, "baseline: score LOWER\n"); return ExitCode::negative;
  }
  return ExitCode::negative;
}

Subject subject_of(const Ground& ground, const EvalOptions& options) {
  Subject subject;
  subject.artefact = to_hex(ground.artefact->fingerprint().value);
  subject.policy = to_hex(ground.policy->fingerprint().value);
  subject.catalogue = to_hex(ground.catalogue.value);
  subject.sessions = to_hex(sessions_fingerprint(ground.sessions).value);
  subject.variant = options.policy;
  subject.wording = options.wording;
  subject.frames = options.frames;
  subject.reader = options.reader;
  subject.decision_version = decision_version;
  subject.seed = options.ground.seed;
  return subject;
}

Status write_results(const EvalOptions& options, const std::string& text, const Evaluation& evaluation) {
  for (const auto& [file, content] : {std::pair{options.out, text}, std::pair{options.timings, options.timings.empty() ? std::string() : timings_report(evaluation.outcomes)},
                                      std::pair{options.transcripts, options.transcripts.empty() ? std::string() : transcripts(evaluation)}}) {
    if (file.empty()) continue;
    if (auto written = write_text_file(file, content); !written) return written;
  }
  return {};
}

// Every wording over the same sessions, one line each.
Result<ExitCode> compare_wordings(const Ground& ground, EvalOptions options, const std::vector<Outcome>* oracle) {
  if (!options.timings.empty() || !options.transcripts.empty() || !options.baseline.empty()) {
    return fail(ErrorCode::invalid_argument, "--timings, --transcripts and --baseline are about one wording; name it with --wording");
  }
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  for (const WordingStyle style : wording_styles) {
    options.wording = to_string(style);
    const auto evaluation = evaluate(ground, ground.policy, evaluation_of(options));
    if (!evaluation) return tl::unexpected(evaluation.error());
    auto document = nlohmann::ordered_json::parse(report(evaluation->outcomes, subject_of(ground, options), oracle));
    if (!options.json) fmt::print("{}", summary_line(document.dump(), style == wording_styles.front()));
    reports.push_back(std::move(document));
  }
  const std::string text = reports.dump(1) + "\n";
  if (options.json) fmt::print("{}", text);
  if (!options.out.empty()) {
    if (auto written = write_text_file(options.out, text); !written) return tl::unexpected(written.error());
  }
  return ExitCode::success;
}

Result<ExitCode> run_knowing(const Ground& ground, const EvalOptions& options) {
  if (options.share || options.wording == all_wordings || options.reader != "engine" || !options.baseline.empty() || !options.timings.empty()) {
    return fail(ErrorCode::invalid_argument, "--shopper knowing goes with one wording, and without --share, --reader, --timings and --baseline");
  }
  const auto evaluation = evaluate(ground, ground.policy, evaluation_of(options));
  if (!evaluation) return tl::unexpected(evaluation.error());
  const std::string text = knowing_report(evaluation->outcomes, RowIndex(ground.rows), *ground.artefact, subject_of(ground, options));
  fmt::print("{}", options.json ? text : knowing_summary(text));
  if (auto written = write_results(options, text, *evaluation); !written) return tl::unexpected(written.error());
  return ExitCode::success;
}

// The score with each part of retrieval, ranking and showing taken away.
Result<ExitCode> run_ablations(const Ground& ground, const EvalOptions& options) {
  if (options.share || options.wording == all_wordings || !options.baseline.empty() || !options.timings.empty() || !options.transcripts.empty()) {
    return fail(ErrorCode::invalid_argument, "--ablate goes with one wording, and without --share, --timings, --transcripts and --baseline");
  }
  const auto whole = evaluate(ground, ground.policy, evaluation_of(options));
  if (!whole) return tl::unexpected(whole.error());
  std::vector<AblationResult> results;
  for (const Ablation& ablation : ablations()) {
    const auto policy = without(*ground.policy, options.policy, ablation);
    if (!policy) return tl::unexpected(policy.error());
    auto part = evaluate(ground, *policy, evaluation_of(options));
    if (!part) return tl::unexpected(part.error());
    results.push_back({ablation.name, paired_difference(whole->outcomes, part->outcomes, options.ground.seed)});
  }
  const std::string text = ablation_report(results, whole->outcomes, subject_of(ground, options));
  fmt::print("{}", options.json ? text : ablation_summary(text));
  if (!options.out.empty()) {
    if (auto written = write_text_file(options.out, text); !written) return tl::unexpected(written.error());
  }
  return ExitCode::success;
}

Result<ExitCode> run_eval(const EvalOptions& options) {
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  if (options.shopper == knowing) return run_knowing(*ground, options);
  if (options.ablate) return run_ablations(*ground, options);
  std::optional<Evaluation> oracle;
  if (options.share) {
    auto perfect = evaluate_with_oracle(*ground, options);
    if (!perfect) return tl::unexpected(perfect.error());
    oracle = *std::move(perfect);
  }
  const std::vector<Outcome>* best = oracle ? &oracle->outcomes : nullptr;
  if (options.wording == all_wordings) return compare_wordings(*ground, options, best);
  const auto evaluation = evaluate(*ground, ground->policy, evaluation_of(options));
  if (!evaluation) return tl::unexpected(evaluation.error());
  const std::string text = report(evaluation->outcomes, subject_of(*ground, options), best);
  fmt::print("{}", options.json ? text : summary(text));
  if (auto written = write_results(options, text, *evaluation); !written) return tl::unexpected(written.error());
  if (options.calibrated_within && !is_calibrated(evaluation->outcomes, *options.calibrated_within)) {
    fmt::print(stderr, "the confidences are NOT calibrated: ECE over {} or Brier score not under the base rate's\n", *options.calibrated_within);
    return ExitCode::negative;
  }
  return options.baseline.empty() ? Result<ExitCode>(ExitCode::success) : hold_against_baseline(text, options.baseline, options.slack);
}

}  // namespace

Verb add_eval(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App& command = add_command(app, "eval", "Measure the engine against simulated shoppers",
                                  "turnstone eval --index idx --catalogue sample.jsonl --generate-sessions 200 --out report.json\n"
                                  "turnstone eval --index idx --catalogue sample.jsonl --sessions sessions.jsonl --baseline report.json\n"
                                  "turnstone eval --index idx --catalogue sample.jsonl --sessions sessions.jsonl --wording all --frames reserved --share");
  command.add_option("--index", options->ground.index, "Folder that `turnstone index` wrote")->required();
  command.add_option("--catalogue", options->ground.catalogue, "The catalogue that the index was made of")->required();
  command.add_option("--sessions", options->ground.sessions, "Sessions: JSON lines with scenario and target");
  command.add_option("--generate-sessions", options->ground.generate_sessions, "Make this many sessions over the catalogue instead");
  command.add_option("--policy", options->policy, "Variant of the policy")->check(CLI::IsMember({"shopper", "benchmark"}))->capture_default_str();
  command.add_option("--policy-file", options->ground.policy_file, "Policy to use instead of the compiled-in one");
  command.add_option("--shopper", options->shopper, "card: discloses a few facts of her product; knowing: knows all of it and only answers")
      ->check(CLI::IsMember({"card", "knowing"}))->capture_default_str();
  std::vector<std::string> wordings{all_wordings};
  for (const WordingStyle style : wording_styles) wordings.emplace_back(to_string(style));
  command.add_option("--wording", options->wording, "How the shoppers put what they want; all: one after the other")->check(CLI::IsMember(wordings))->capture_default_str();
  command.add_option("--frames", options->frames, "Which half of the sentence frames: development to work with, reserved to take marks on")
      ->check(CLI::IsMember({"development", "reserved", "all"}))->capture_default_str();
  command.add_option("--reader", options->reader, "Who reads the messages; oracle: the meaning itself is handed to the engine")
      ->check(CLI::IsMember({"engine", "oracle"}))->capture_default_str();
  command.add_flag("--share", options->share, "Measure with perfect reading too, and print the share of its score that is reached");
  command.add_flag("--ablate", options->ablate, "Take each part of retrieval, ranking, showing and asking away in turn, and print what it is worth");
  command.add_option("--seed", options->ground.seed, "Seed of the shoppers and of the intervals")->capture_default_str();
  command.add_option("--jobs", options->jobs, "Sessions at a time; without it one a processor")->check(CLI::Range(1U, 1024U));
  command.add_option("--limit", options->ground.limit, "Only the first sessions");
  command.add_option("--out", options->out, "Write the report here: the same bytes for the same seed");
  command.add_option("--timings", options->timings, "Write percentiles of the turn times here");
  command.add_option("--transcripts", options->transcripts, "Write the conversations here, one JSON object a line");
  command.add_option("--baseline", options->baseline, "An earlier report: exit 1 when the score is lower");
  command.add_option("--calibrated-within", options->calibrated_within, "Exit 1 unless the calibration error of the confidences is at most this, and their Brier score under the base rate's")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option("--slack", options->slack, "A score lower by at most this much is no fall")->check(CLI::Range(0.0, 1.0));
  add_json_flag(command, options->json);
  return {&command, [options] { return run_eval(*options); }};
}

}  // namespace turnstone
