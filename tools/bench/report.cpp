#include "tools/bench/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace turnstone {
namespace {

using Json = nlohmann::ordered_json;

std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

Json to_document(const Percentiles& p) { return {{"count", p.count}, {"p50_us", p.p50}, {"p90_us", p.p90}, {"p99_us", p.p99}, {"max_us", p.max}}; }

// Three digits that count, whatever the size.
std::string rounded(double value) {
  if (value >= 100) return fmt::format("{:.0f}", value);
  return value >= 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

}  // namespace

Result<BenchReport> BenchReport::begin(std::string bench, const std::string& directory, const std::string& durability) {
  std::string file_system = file_system_of(directory);
  if (durability == "synced" && file_system == "tmpfs") {
    return fail(ErrorCode::invalid_argument, directory + " lies in memory (tmpfs), where a sync does nothing; give --dir on a disk");
  }
  return BenchReport(std::move(bench), std::move(file_system), durability);
}

void BenchReport::print_line(const Line& line) {
  if (const auto* p = std::get_if<Percentiles>(&line.value)) {
    fmt::print("{:<38} p50 {:>7} us   p90 {:>7} us   p99 {:>7} us   max {:>7} us   n {}\n", spaced(line.name), p->p50, p->p90, p->p99, p->max, p->count);
    return;
  }
  const double value = std::get<double>(line.value);
  fmt::print("{:<38} {:>11} {}", spaced(line.name), rounded(value), line.unit);
  if (line.budget) {
    fmt::print("   (budget {} {}: {})", line.budget->side == Budget::Side::at_most ? "<=" : ">=", rounded(line.budget->value),
               line.budget->met_by(value) ? "met" : "MISSED");
  }
  fmt::print("\n");
}

void BenchReport::print_document() const {
  const Machine machine = this_machine();
  Json times = Json::object(), figures = Json::object(), probes = Json::object(), circumstances = Json::object();
  for (const auto& [name, value] : circumstances_) circumstances[name] = value;
  for (const Line& line : lines_) {
    if (const auto* percentiles = std::get_if<Percentiles>(&line.value)) {
      times[line.name] = to_document(*percentiles);
      continue;
    }
    const double value = std::get<double>(line.value);
    Json figure = {{"value", value}, {"unit", line.unit}};
    if (line.budget) {
      figure["budget"] = {{line.budget->side == Budget::Side::at_most ? "at_most" : "at_least", line.budget->value}};
      figure["met"] = line.budget->met_by(value);
    }
    figures[line.name] = std::move(figure);
  }
  for (const Line& line : probes_) {
    if (const auto* percentiles = std::get_if<Percentiles>(&line.value)) {
      probes[line.name] = to_document(*percentiles);
    } else {
      probes[line.name] = {{"value", std::get<double>(line.value)}, {"unit", line.unit}};
    }
  }
  const Json document = {
      {"bench", bench_},
      {"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"memory_mb", machine.memory_mb}, {"kernel", machine.kernel}, {"build", machine.build}}},
      {"file_system", file_system_},
      {"durability", durability_},
      {"circumstances", std::move(circumstances)},
      {"times", std::move(times)},
      {"figures", std::move(figures)},
      {"probes", std::move(probes)}};
  fmt::print("{}\n", document.dump(1));
}

void BenchReport::print(bool json) const {
  if (json) return print_document();
  const Machine machine = this_machine();
  fmt::print("{:<38} {} ({} cores, {} MB), {}\n{:<38} {}\n{:<38} {}, durability {}\n", "machine", machine.cpu, machine.cores, machine.memory_mb, machine.kernel,
             "build", machine.build, "disk", file_system_, durability_);
  for (const auto& [name, value] : circumstances_) fmt::print("{:<38} {:>11}\n", spaced(name), value);
  fmt::print("\n");
  for (const Line& line : lines_) print_line(line);
  if (!probes_.empty()) fmt::print("\nraw probes of the same minute\n");
  for (const Line& line : probes_) print_line(line);
}

}  // namespace turnstone
