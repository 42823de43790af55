// The figures of an evaluation and its report.
//
//   TechnicalScore = 0.5 · HitRate@10 + 0.3 · MRR + 0.2 · (11 − MTTC) / 10
//
// with reciprocal rank 0 and turn 11 for a session whose target was never shown. Intervals: percentiles 2.5 and
// 97.5 of bootstrap_samples resamples of the sessions (Efron 1979), seeded. Sums are integers, so that neither
// threads nor order move a digit; figures are printed with a fixed number of digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/eval/trial.h"

namespace turnstone {

inline constexpr std::uint32_t bootstrap_samples = 1'000;

struct Interval {
  double value = 0, low = 0, high = 0;
};

struct Figures {
  std::size_t sessions = 0;
  Interval technical_score, hit_rate, mrr, mttc;
  double precision_at_5 = 0;      // of the last answer's first five: share of the card's facts that they meet
  double solved_in_3 = 0;
  double depth = 0;               // mean number of turns held
  double fallback_rate = 0;       // share of turns answered from the previous list or by popularity
  double questions_per_turn = 0;  // share of turns that ask something
  std::vector<double> entropy_bits;  // by turn: mean over the sessions that asked on it
  struct Calibration {               // of the confidences of all products shown, each a forecast that it is the target
    std::size_t shown = 0;
    double base_rate = 0;                 // share that is
    double brier = 0, brier_of_base = 0;  // mean squared error (Brier 1950), and that of always saying the base rate
    double expected_error = 0;            // ECE over ten bins of equal width, weighted by how many fall into them
  } calibration;
};
Figures measure(const std::vector<const Outcome*>& outcomes, std::uint64_t seed);

// Whether the confidences shown err by at most `error_max` and forecast better than the base rate.
bool is_calibrated(const std::vector<Outcome>& outcomes, double error_max);

// Mean over the sessions of the score with a part less that without it, each session against itself.
Interval paired_difference(const std::vector<Outcome>& with, const std::vector<Outcome>& without, std::uint64_t seed);

// What the figures were measured on.
struct Subject {
  std::string artefact, policy, catalogue, sessions, variant, shopper = "card", wording = "canonical", frames = "development", reader = "engine";
  std::uint32_t decision_version = 0;
  std::uint64_t seed = 0;
};
// The whole report as JSON text; no time, no path, no machine in it. `oracle`: the same sessions with perfect reading; the report
// then says which share of its score is reached.
std::string report(const std::vector<Outcome>& outcomes, const Subject& subject, const std::vector<Outcome>* oracle = nullptr);
// For people: one line a scenario.
std::string summary(std::string_view report_text);
// For people: one line a report, to be read under each other.
std::string summary_line(std::string_view report_text, bool with_head);

// Against an earlier report, of which the score is read, and what it was measured on as far as it says so: another catalogue, other
// sessions, shoppers or a variant are refused (Error refused names both); another artefact or policy is what is compared. A fall by at
// most `slack` is no fall.
enum class Ratchet { identical, score_equal, higher, within_slack, lower };
Result<Ratchet> compare(std::string_view report_text, std::string_view baseline_text, double slack = 0);

// Percentiles of turn times, by turn and over all turns, as JSON text. Not part of the report.
std::string timings_report(const std::vector<Outcome>& outcomes);

}  // namespace turnstone
