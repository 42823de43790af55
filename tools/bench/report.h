// What a benchmark says, as text or as JSON: above, the machine, the file system and the sync mode; each figure beside its budget; below, the
// raw probes of the same minute.
//
//     {"bench", "machine": {…}, "file_system", "durability", "circumstances": {…}, "times": {NAME: {"count","p50_us","p90_us","p99_us","max_us"}},
//      "figures": {NAME: {"value", "unit", "budget": {"at_most" | "at_least"}?, "met"?}}, "probes": {NAME: times or a number}}
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "events/error.h"
#include "tools/bench/probes.h"
#include "tools/verbs/verb.h"

namespace turnstone {

struct Budget {
  enum class Side : std::uint8_t { at_most, at_least } side = Side::at_most;
  double value = 0;
  bool met_by(double figure) const { return side == Side::at_most ? figure <= value : figure >= value; }
};
constexpr Budget at_most(double value) { return {Budget::Side::at_most, value}; }
constexpr Budget at_least(double value) { return {Budget::Side::at_least, value}; }

class BenchReport {
 public:
  // Error: invalid_argument where `durability` is "synced" and `directory` lies in memory, so that a sync would do nothing.
  static Result<BenchReport> begin(std::string bench, const std::string& directory, const std::string& durability);

  void circumstance(std::string name, std::int64_t value) { circumstances_.emplace_back(std::move(name), value); }
  void times(std::string name, const Percentiles& percentiles) { lines_.push_back({std::move(name), percentiles, "", std::nullopt}); }
  void figure(std::string name, double value, std::string unit, std::optional<Budget> budget = std::nullopt) {
    lines_.push_back({std::move(name), value, std::move(unit), budget});
  }
  void probe(std::string name, const Percentiles& percentiles) { probes_.push_back({std::move(name), percentiles, "", std::nullopt}); }
  void probe(std::string name, double value, std::string unit) { probes_.push_back({std::move(name), value, std::move(unit), std::nullopt}); }
  void print(bool json) const;

 private:
  struct Line {
    std::string name;  // "turn_of_no_work"; spaces for underscores in text
    std::variant<Percentiles, double> value;
    std::string unit;
    std::optional<Budget> budget;
  };
  BenchReport(std::string bench, std::string file_system, std::string durability)
      : bench_(std::move(bench)), file_system_(std::move(file_system)), durability_(std::move(durability)) {}
  static void print_line(const Line& line);
  void print_document() const;

  std::string bench_, file_system_, durability_;
  std::vector<std::pair<std::string, std::int64_t>> circumstances_;
  std::vector<Line> lines_, probes_;
};

}  // namespace turnstone
