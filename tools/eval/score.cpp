#include "tools/eval/score.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/eval/fixed.h"
#include "tools/generate/random.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;
constexpr int digits = 6;

constexpr std::int64_t reciprocal_unit = 2520;  // divisible by every rank from 1 to 10

struct Sums {
  std::int64_t sessions = 0, hits = 0, reciprocal = 0, turns = 0;

  void add(const Outcome& outcome) {
    ++sessions;
    hits += outcome.rank > 0 ? 1 : 0;
    reciprocal += outcome.rank > 0 ? reciprocal_unit / outcome.rank : 0;
    turns += outcome.turn;
  }
  double hit_rate() const { return static_cast<double>(hits) / static_cast<double>(sessions); }
  double mrr() const { return static_cast<double>(reciprocal) / static_cast<double>(sessions * reciprocal_unit); }
  double mttc() const { return static_cast<double>(turns) / static_cast<double>(sessions); }
  double technical_score() const { return 0.5 * hit_rate() + 0.3 * mrr() + 0.2 * (missed_turn - mttc()) / turns_max; }
};

template <class Get>
Interval interval(const Sums& all, const std::vector<Sums>& resamples, Get get) {
  std::vector<double> values;
  values.reserve(resamples.size());
  for (const Sums& sums : resamples) values.push_back(get(sums));
  std::sort(values.begin(), values.end());
  const auto at = [&values](std::size_t permille) { return values[std::min(values.size() - 1, values.size() * permille / 1000)]; };
  return {get(all), at(25), at(975)};
}

constexpr std::size_t calibration_bins = 10;
constexpr std::int64_t permille_whole = 1000;

Figures::Calibration calibration_of(const std::vector<const Outcome*>& outcomes) {
  std::array<std::int64_t, calibration_bins> said{}, right{};
  std::int64_t all = 0, targets = 0, squares = 0;  // squares in millionths
  for (const Outcome* outcome : outcomes) {
    for (const TrialTurn& turn : outcome->turns) {
      const AgentReply& reply = turn.answer.reply;
      for (std::size_t at = 0; at < reply.confidences.size(); ++at) {
        const std::int64_t truth = reply.products[at] == outcome->session.target ? permille_whole : 0;
        const std::int64_t forecast = reply.confidences[at];
        const auto bin = static_cast<std::size_t>(std::clamp<std::int64_t>(forecast * calibration_bins / permille_whole, 0, calibration_bins - 1));
        ++all;
        said[bin] += forecast;
        right[bin] += truth;
        targets += truth / permille_whole;
        squares += (forecast - truth) * (forecast - truth);
      }
    }
  }
  Figures::Calibration out;
  out.shown = static_cast<std::size_t>(all);
  if (all == 0) return out;
  const auto shown = static_cast<double>(all);
  out.base_rate = static_cast<double>(targets) / shown;
  out.brier = static_cast<double>(squares) / 1e6 / shown;
  out.brier_of_base = out.base_rate * (1 - out.base_rate);
  for (std::size_t bin = 0; bin < calibration_bins; ++bin) {
    out.expected_error += std::abs(static_cast<double>(said[bin] - right[bin])) / static_cast<double>(permille_whole) / shown;
  }
  return out;
}

bool is_fallback(const std::string& route) { return route == "popular" || route == "previous"; }

Json to_document(const Interval& interval) { return {{"value", fixed(interval.value, digits)}, {"low", fixed(interval.low, digits)}, {"high", fixed(interval.high, digits)}}; }

Json to_document(const Figures& figures) {
  Json entropy = Json::array();
  for (const double bits : figures.entropy_bits) entropy.push_back(fixed(bits, digits));
  return {{"sessions", figures.sessions},
          {"technical_score", to_document(figures.technical_score)},
          {"hit_rate_at_10", to_document(figures.hit_rate)},
          {"mrr", to_document(figures.mrr)},
          {"mttc", to_document(figures.mttc)},
          {"precision_at_5", fixed(figures.precision_at_5, digits)},
          {"solved_in_3_turns", fixed(figures.solved_in_3, digits)},
          {"depth", fixed(figures.depth, digits)},
          {"fallback_rate", fixed(figures.fallback_rate, digits)},
          {"questions_per_turn", fixed(figures.questions_per_turn, digits)},
          {"calibration",
           {{"shown", figures.calibration.shown},
            {"base_rate", fixed(figures.calibration.base_rate, digits)},
            {"brier", fixed(figures.calibration.brier, digits)},
            {"brier_of_base_rate", fixed(figures.calibration.brier_of_base, digits)},
            {"expected_calibration_error", fixed(figures.calibration.expected_error, digits)}}},
          {"entropy_bits_by_turn", entropy}};
}

std::vector<const Outcome*> pointers_to(const std::vector<Outcome>& outcomes) {
  std::vector<const Outcome*> all;
  for (const Outcome& outcome : outcomes) all.push_back(&outcome);
  return all;
}

double technical_score(const std::vector<Outcome>& outcomes) {
  Sums sums;
  for (const Outcome& outcome : outcomes) sums.add(outcome);
  return outcomes.empty() ? 0 : sums.technical_score();
}

Json against_oracle(const std::vector<Outcome>& outcomes, const std::vector<Outcome>& oracle) {
  const double best = technical_score(oracle);
  return {{"technical_score", fixed(best, digits)}, {"share_reached", fixed(best > 0 ? technical_score(outcomes) / best : 0, digits)}};
}

Json percentiles(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](std::size_t permille) { return values.empty() ? 0 : values[std::min(values.size() - 1, values.size() * permille / 1000)]; };
  return {{"count", values.size()}, {"p50_us", at(500)}, {"p90_us", at(900)}, {"p99_us", at(990)}, {"max_us", values.empty() ? 0 : values.back()}};
}

// Two scores can be compared when the same shoppers wanted the same products of the same catalogue.
Status expect_same_subject(const Json& now, const Json& then) {
  const char* catalogue = then.contains("catalogue") ? "catalogue" : "artefact";  // reports have not always named it
  for (const char* part : {catalogue, "sessions", "variant", "shopper", "wording", "frames", "reader", "seed"}) {
    if (!then.contains(part) || !now.contains(part) || then.at(part) == now.at(part)) continue;
    const auto text = [part](const Json& subject) {
      const Json& value = subject.at(part);
      return value.is_string() ? value.get<std::string>().substr(0, 16) : value.dump();
    };
    return fail(ErrorCode::refused, fmt::format("the baseline was measured with another {} ({} there, {} here); compare like with like", part, text(then), text(now)));
  }
  return {};
}

}  // namespace

Figures measure(const std::vector<const Outcome*>& outcomes, std::uint64_t seed) {
  Figures figures;
  figures.sessions = outcomes.size();
  if (outcomes.empty()) return figures;
  Sums all;
  std::int64_t met = 0, asked_facts = 0, early = 0, turns = 0, fallbacks = 0, questions = 0;
  std::array<std::int64_t, turns_max> entropy{}, entropy_count{};
  for (const Outcome* outcome : outcomes) {
    all.add(*outcome);
    met += outcome->precision_met;
    asked_facts += outcome->precision_asked;
    early += outcome->turn <= 3 ? 1 : 0;
    turns += static_cast<std::int64_t>(outcome->turns.size());
    for (std::size_t at = 0; at < outcome->turns.size(); ++at) {
      const Agent::Answer& answer = outcome->turns[at].answer;
      fallbacks += is_fallback(answer.route) ? 1 : 0;
      questions += answer.reply.ask_attribute ? 1 : 0;
      if (!answer.entropy_millibits) continue;
      entropy[at] += *answer.entropy_millibits;
      ++entropy_count[at];
    }
  }
  std::vector<Sums> resamples(bootstrap_samples);
  Random random(seed, 2);
  for (Sums& sums : resamples) {
    for (std::size_t draw = 0; draw < outcomes.size(); ++draw) sums.add(*outcomes[random.below(static_cast<std::uint32_t>(outcomes.size()))]);
  }
  figures.technical_score = interval(all, resamples, [](const Sums& s) { return s.technical_score(); });
  figures.hit_rate = interval(all, resamples, [](const Sums& s) { return s.hit_rate(); });
  figures.mrr = interval(all, resamples, [](const Sums& s) { return s.mrr(); });
  figures.mttc = interval(all, resamples, [](const Sums& s) { return s.mttc(); });
  const auto share = [](std::int64_t part, std::int64_t whole) { return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole); };
  figures.calibration = calibration_of(outcomes);
  figures.precision_at_5 = share(met, asked_facts);
  figures.solved_in_3 = share(early, all.sessions);
  figures.depth = share(turns, all.sessions);
  figures.fallback_rate = share(fallbacks, turns);
  figures.questions_per_turn = share(questions, turns);
  for (std::size_t at = 0; at < turns_max && entropy_count[at] > 0; ++at) figures.entropy_bits.push_back(share(entropy[at], entropy_count[at] * 1000));
  return figures;
}

bool is_calibrated(const std::vector<Outcome>& outcomes, double error_max) {
  const Figures::Calibration calibration = calibration_of(pointers_to(outcomes));
  return calibration.shown > 0 && calibration.expected_error <= error_max && calibration.brier < calibration.brier_of_base;
}

Interval paired_difference(const std::vector<Outcome>& with, const std::vector<Outcome>& without, std::uint64_t seed) {
  std::vector<double> differences;
  for (std::size_t at = 0; at < with.size() && at < without.size(); ++at) {
    Sums one, other;
    one.add(with[at]);
    other.add(without[at]);
    differences.push_back(one.technical_score() - other.technical_score());
  }
  Interval out;
  if (differences.empty()) return out;
  const auto mean = [&differences](auto next) {
    double sum = 0;
    for (std::size_t at = 0; at < differences.size(); ++at) sum += differences[next(at)];
    return sum / static_cast<double>(differences.size());
  };
  out.value = mean([](std::size_t at) { return at; });
  Random random(seed, 3);
  std::vector<double> means(bootstrap_samples);
  for (double& sample : means) sample = mean([&](std::size_t) { return random.below(static_cast<std::uint32_t>(differences.size())); });
  std::sort(means.begin(), means.end());
  out.low = means[means.size() * 25 / 1000];
  out.high = means[means.size() * 975 / 1000];
  return out;
}

std::string report(const std::vector<Outcome>& outcomes, const Subject& subject, const std::vector<Outcome>* oracle) {
  Json document = {{"subject",
                    {{"artefact", subject.artefact},
                     {"policy", subject.policy},
                     {"catalogue", subject.catalogue},
                     {"sessions", subject.sessions},
                     {"variant", subject.variant},
                     {"decision_version", subject.decision_version},
                     {"shopper", subject.shopper},
                     {"wording", subject.wording},
                     {"frames", subject.frames},
                     {"reader", subject.reader},
                     {"seed", subject.seed}}},
                   {"overall", to_document(measure(pointers_to(outcomes), subject.seed))}};
  if (oracle != nullptr) document["oracle"] = against_oracle(outcomes, *oracle);
  Json by_scenario = Json::object();
  for (const Scenario scenario : scenarios) {
    std::vector<const Outcome*> some;
    for (const Outcome& outcome : outcomes) {
      if (outcome.session.scenario == scenario) some.push_back(&outcome);
    }
    if (!some.empty()) by_scenario[std::string(to_string(scenario))] = to_document(measure(some, subject.seed));
  }
  document["scenarios"] = std::move(by_scenario);
  Json sessions = Json::array();
  for (const Outcome& outcome : outcomes) {
    sessions.push_back({{"sample_id", outcome.session.sample_id}, {"scenario", to_string(outcome.session.scenario)}, {"turn", outcome.turn}, {"rank", outcome.rank}});
  }
  document["sessions"] = std::move(sessions);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string summary(std::string_view report_text) {
  const Json document = Json::parse(report_text, nullptr, false);
  if (!document.is_object()) return std::string(report_text);
  std::string out = fmt::format("{:<16}{:>6}  {:<24}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "scenario", "n", "TechnicalScore", "hit@10", "MRR", "MTTC", "p@5",
                                "<=3", "depth", "fallb.");
  const auto line = [&out](const std::string& name, const Json& f) {
    const Json& score = f.at("technical_score");
    out += fmt::format("{:<16}{:>6}  {:.4f} [{:.4f}, {:.4f}]{:>10.3f}{:>8.3f}{:>8.2f}{:>8.3f}{:>8.3f}{:>8.2f}{:>8.3f}\n", name, f.at("sessions").get<std::size_t>(),
                       score.at("value").get<double>(), score.at("low").get<double>(), score.at("high").get<double>(),
                       f.at("hit_rate_at_10").at("value").get<double>(), f.at("mrr").at("value").get<double>(), f.at("mttc").at("value").get<double>(),
                       f.at("precision_at_5").get<double>(), f.at("solved_in_3_turns").get<double>(), f.at("depth").get<double>(),
                       f.at("fallback_rate").get<double>());
  };
  for (const auto& [name, figures] : document.at("scenarios").items()) line(name, figures);
  line("overall", document.at("overall"));
  if (document.contains("oracle")) {
    out += fmt::format("with perfect reading {:.4f}; share reached {:.3f}\n", document.at("oracle").at("technical_score").get<double>(),
                       document.at("oracle").at("share_reached").get<double>());
  }
  const Json& calibration = document.at("overall").at("calibration");
  out += fmt::format("questions in {:.3f} of the turns; confidence of {} products shown: ECE {:.3f}, Brier {:.4f} (base rate's {:.4f})\n",
                     document.at("overall").at("questions_per_turn").get<double>(), calibration.at("shown").get<std::size_t>(),
                     calibration.at("expected_calibration_error").get<double>(), calibration.at("brier").get<double>(),
                     calibration.at("brier_of_base_rate").get<double>());
  out += "entropy by turn (bits):";
  for (const Json& bits : document.at("overall").at("entropy_bits_by_turn")) out += fmt::format(" {:.2f}", bits.get<double>());
  return out + "\n";
}

std::string summary_line(std::string_view report_text, bool with_head) {
  const Json document = Json::parse(report_text, nullptr, false);
  if (!document.is_object()) return std::string(report_text);
  const Json& overall = document.at("overall");
  const Json& score = overall.at("technical_score");
  std::string out = with_head ? fmt::format("{:<12}{:>5}  {:<25}{:>7}{:>8}{:>7}{:>9}\n", "wording", "n", "TechnicalScore", "hit@10", "MRR", "MTTC", "share") : "";
  const std::string share = document.contains("oracle") ? fmt::format("{:.3f}", document.at("oracle").at("share_reached").get<double>()) : "-";
  return out + fmt::format("{:<12}{:>5}  {:.4f} [{:.4f}, {:.4f}]{:>9.3f}{:>8.3f}{:>7.2f}{:>9}\n", document.at("subject").at("wording").get<std::string>(),
                           overall.at("sessions").get<std::size_t>(), score.at("value").get<double>(), score.at("low").get<double>(),
                           score.at("high").get<double>(), overall.at("hit_rate_at_10").at("value").get<double>(), overall.at("mrr").at("value").get<double>(),
                           overall.at("mttc").at("value").get<double>(), share);
}

Result<Ratchet> compare(std::string_view report_text, std::string_view baseline_text, double slack) {
  if (report_text == baseline_text) return Ratchet::identical;
  const Json now = Json::parse(report_text, nullptr, false);
  const Json then = Json::parse(baseline_text, nullptr, false);
  const auto score = Json::json_pointer("/overall/technical_score/value");
  const auto sessions = Json::json_pointer("/overall/sessions");
  if (!then.is_object() || !then.contains(score) || !then.at(score).is_number() || !then.contains(sessions)) {
    return fail(ErrorCode::invalid_argument, "the baseline is no report of `turnstone eval`; give one written with --out");
  }
  if (then.at(sessions) != now.at(sessions)) {
    return fail(ErrorCode::invalid_argument, "the baseline was measured over another number of sessions; compare like with like");
  }
  if (auto same = expect_same_subject(now.value("subject", Json::object()), then.value("subject", Json::object())); !same) return tl::unexpected(same.error());
  // Six digits are printed, so a whole unit of the last is a difference and half of one is not.
  const double gap = now.at(score).get<double>() - then.at(score).get<double>();
  if (std::abs(gap) < 0.5e-6) return Ratchet::score_equal;
  if (gap > 0) return Ratchet::higher;
  return -gap <= slack ? Ratchet::within_slack : Ratchet::lower;
}

std::string timings_report(const std::vector<Outcome>& outcomes) {
  std::array<std::vector<std::int64_t>, turns_max> decide, total;
  std::vector<std::int64_t> decide_all, total_all;
  for (const Outcome& outcome : outcomes) {
    for (std::size_t at = 0; at < outcome.turns.size(); ++at) {
      decide[at].push_back(outcome.turns[at].answer.decide_us);
      total[at].push_back(outcome.turns[at].answer.total_us);
      decide_all.push_back(decide[at].back());
      total_all.push_back(total[at].back());
    }
  }
  Json by_turn = Json::array();
  for (std::size_t at = 0; at < turns_max && !decide[at].empty(); ++at) {
    by_turn.push_back({{"turn", at + 1}, {"turn_function", percentiles(decide[at])}, {"whole_turn", percentiles(total[at])}});
  }
  const Json document = {{"turn_function", percentiles(decide_all)}, {"whole_turn", percentiles(total_all)}, {"by_turn", by_turn}};
  return document.dump(1) + "\n";
}

}  // namespace turnstone
