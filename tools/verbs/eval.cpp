#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "tools/eval/embedded_agent.h"
#include "tools/eval/ground.h"
#include "tools/eval/knowing_report.h"
#include "tools/eval/knowing_shopper.h"
#include "tools/eval/score.h"
#include "tools/eval/trial.h"
#include "tools/progress.h"
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
  bool share = false;
  bool json = false;
};

constexpr std::size_t report_bytes_max = 256 << 20;
constexpr const char* all_wordings = "all";
constexpr const char* knowing = "knowing";

EmbeddedAgent::ReadBy read_by(const EvalOptions& options) { return options.reader == "oracle" ? EmbeddedAgent::ReadBy::oracle : EmbeddedAgent::ReadBy::engine; }

// Perfect reading does not look at the words, so any of them will do.
EvalOptions one_wording(EvalOptions options) {
  options.wording = to_string(WordingStyle::canonical);
  options.transcripts.clear();
  return options;
}

// Every session on its own engine and ledger; a thread takes the next one that nobody has. Results stand in the
// order of the sessions, so that the number of threads changes nothing.
struct Evaluation {
  std::vector<Outcome> outcomes;
  std::vector<std::optional<Explanation>> target_at_the_end;  // for transcripts alone: nothing is scored by it
};

Result<Outcome> run_one(const Ground& ground, const EvalSession& session, const RowIndex& rows, const TrialOptions& trial, const EvalOptions& options, Agent& agent) {
  if (options.shopper != knowing) return run_trial(session, rows, trial, agent);
  const ProductRow* row = rows.find(session.target);
  const auto product = ground.artefact->find(session.target);
  if (row == nullptr || !product) {
    return fail(ErrorCode::not_found, fmt::format("session {} has product {} in mind, which is not in the catalogue; give the catalogue that the sessions were made for",
                                                  session.sample_id, session.target));
  }
  const auto shopper = knowing_shopper(hidden_card(*row).category, *product, *ground.artefact,
                                       make_wording(trial.wording, trial.frames, seed_of(session.sample_id, trial.seed)));
  return converse(session, *shopper, knowing_turns_max, agent);
}

Result<Evaluation> run_all(const Ground& ground, const EvalOptions& options, EmbeddedAgent::ReadBy read_by) {
  const TrialOptions trial{options.ground.seed, *wording_style_named(options.wording), *frame_half_named(options.frames)};
  const RowIndex rows(ground.rows);
  Evaluation evaluation;
  std::vector<Outcome>& outcomes = evaluation.outcomes;
  outcomes.resize(ground.sessions.size());
  evaluation.target_at_the_end.resize(ground.sessions.size());
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex mutex;
  std::optional<Error> first_error;
  ProgressBar progress("eval");
  const auto work = [&] {
    for (std::size_t at = next++; at < ground.sessions.size(); at = next++) {
      auto agent = EmbeddedAgent::make(ground.artefact, ground.policy, options.policy, read_by);
      auto outcome = agent ? run_one(ground, ground.sessions[at], rows, trial, options, **agent) : tl::unexpected(agent.error());
      if (!outcome) {
        const std::scoped_lock lock(mutex);
        if (!first_error) first_error = outcome.error();
        next = ground.sessions.size();
        return;
      }
      outcomes[at] = *std::move(outcome);
      if (!options.transcripts.empty()) {
        const TurnNumber last{static_cast<std::uint32_t>(outcomes[at].turns.size())};
        if (auto explained = (*agent)->explain_product_at(last, ground.sessions[at].target)) evaluation.target_at_the_end[at] = *std::move(explained);
      }
      ++done;
      progress.update(fmt::format("{} of {} sessions", done.load(), ground.sessions.size()), static_cast<int>(done * 1000 / ground.sessions.size()));
    }
  };
  std::vector<std::thread> threads;
  for (unsigned job = 1; job < options.jobs; ++job) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (first_error) return tl::unexpected(*first_error);
  return evaluation;
}

std::string transcripts(const Evaluation& evaluation) {
  std::string text;
  for (std::size_t at = 0; at < evaluation.outcomes.size(); ++at) {
    const Outcome& outcome = evaluation.outcomes[at];
    nlohmann::ordered_json turns = nlohmann::ordered_json::array();
    for (const TrialTurn& turn : outcome.turns) {
      const AgentReply& reply = turn.answer.reply;
      turns.push_back({{"shopper", turn.message},
                       {"agent", reply.message},
                       {"ask_attribute", reply.ask_attribute ? nlohmann::ordered_json(*reply.ask_attribute) : nlohmann::ordered_json()},
                       {"route", turn.answer.route},
                       {"products", reply.products}});
    }
    nlohmann::ordered_json line = {{"sample_id", outcome.session.sample_id}, {"scenario", to_string(outcome.session.scenario)},
                                         {"target", outcome.session.target},       {"turn", outcome.turn},
                                         {"rank", outcome.rank},                   {"turns", turns}};
    if (const auto& explanation = evaluation.target_at_the_end[at]) line["target_at_the_end"] = to_json(*explanation);
    text += line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  }
  return text;
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
    const auto evaluation = run_all(ground, options, read_by(options));
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
  const auto evaluation = run_all(ground, options, EmbeddedAgent::ReadBy::engine);
  if (!evaluation) return tl::unexpected(evaluation.error());
  const std::string text = knowing_report(evaluation->outcomes, RowIndex(ground.rows), *ground.artefact, subject_of(ground, options));
  fmt::print("{}", options.json ? text : knowing_summary(text));
  if (auto written = write_results(options, text, *evaluation); !written) return tl::unexpected(written.error());
  return ExitCode::success;
}

Result<ExitCode> run_eval(const EvalOptions& options) {
  const auto ground = load_ground(options.ground);
  if (!ground) return tl::unexpected(ground.error());
  if (options.shopper == knowing) return run_knowing(*ground, options);
  std::optional<Evaluation> oracle;
  if (options.share) {
    auto perfect = run_all(*ground, one_wording(options), EmbeddedAgent::ReadBy::oracle);
    if (!perfect) return tl::unexpected(perfect.error());
    oracle = *std::move(perfect);
  }
  const std::vector<Outcome>* best = oracle ? &oracle->outcomes : nullptr;
  if (options.wording == all_wordings) return compare_wordings(*ground, options, best);
  const auto evaluation = run_all(*ground, options, read_by(options));
  if (!evaluation) return tl::unexpected(evaluation.error());
  const std::string text = report(evaluation->outcomes, subject_of(*ground, options), best);
  fmt::print("{}", options.json ? text : summary(text));
  if (auto written = write_results(options, text, *evaluation); !written) return tl::unexpected(written.error());
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
  command.add_option("--seed", options->ground.seed, "Seed of the shoppers and of the intervals")->capture_default_str();
  command.add_option("--jobs", options->jobs, "Sessions at a time")->check(CLI::Range(1U, 1024U));
  command.add_option("--limit", options->ground.limit, "Only the first sessions");
  command.add_option("--out", options->out, "Write the report here: the same bytes for the same seed");
  command.add_option("--timings", options->timings, "Write percentiles of the turn times here");
  command.add_option("--transcripts", options->transcripts, "Write the conversations here, one JSON object a line");
  command.add_option("--baseline", options->baseline, "An earlier report: exit 1 when the score is lower");
  command.add_option("--slack", options->slack, "A score lower by at most this much is no fall")->check(CLI::Range(0.0, 1.0));
  add_json_flag(command, options->json);
  return {&command, [options] { return run_eval(*options); }};
}

}  // namespace turnstone
