// tools/simulate --broken: does the simulation find what it ought to? Each mistake of mistakes.cmake in turn, the seeds
// from 1 on, until something is found. Exit codes: 0 all found, within the median; 1 not; 2 usage.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "mistakes.h"
#include "tests/simulation/run.h"

namespace turnstone::simulation {
namespace {

constexpr std::uint64_t seeds_max = 2'000;
constexpr std::uint64_t median_max = 200;

std::optional<Outcome> first_found() {
  for (std::uint64_t seed = 1; seed <= seeds_max; ++seed) {
    if (Outcome outcome = run(seed); outcome.violation) return outcome;
  }
  return std::nullopt;
}

std::string shortened(std::string text, std::size_t size) {
  if (text.size() > size) text = text.substr(0, size - 1) + "…";
  return text;
}

int table() {
  int missed = 0;
  std::vector<std::uint64_t> seeds;
  fmt::print("{:<32} {:>5}  {}\n", "mistake", "seed", "what was found");
  for (const NamedMistake& each : all_mistakes) {
    current_mistake() = each.mistake;
    const auto found = first_found();
    if (found) seeds.push_back(found->seed);
    missed += found ? 0 : 1;
    fmt::print("{:<32} {:>5}  {}\n", each.name, found ? std::to_string(found->seed) : "none",
               found ? shortened(*found->violation, 110) : std::string(each.what));
  }
  std::sort(seeds.begin(), seeds.end());
  const std::uint64_t median = seeds.empty() ? seeds_max : seeds[seeds.size() / 2];
  fmt::print("{} mistakes, {} found, the median at seed {}\nlook at one: tools/simulate --broken MISTAKE --seed SEED --trace\n",
             std::size(all_mistakes), seeds.size(), median);
  return missed == 0 && median <= median_max ? 0 : 1;
}

int one(const std::string& name, std::uint64_t seed, bool trace) {
  const auto* found = std::find_if(std::begin(all_mistakes), std::end(all_mistakes), [&](const NamedMistake& each) { return each.name == name; });
  if (found == std::end(all_mistakes)) {
    fmt::print(stderr, "there is no mistake {}; tools/simulate --broken lists them\n", name);
    return 2;
  }
  current_mistake() = found->mistake;
  const Outcome outcome = run(seed, trace);
  fmt::print("{}: {}\nseed {}: {}\n", found->name, found->what, seed, outcome.violation.value_or("nothing found"));
  return outcome.violation ? 1 : 0;
}

}  // namespace
}  // namespace turnstone::simulation

int main(int argc, char** argv) {
  CLI::App app("Which mistakes the simulation finds, and with which seed.\nExample: simulate --broken");
  std::string mistake;
  std::uint64_t seed = 1;
  std::uint64_t hash = 0;
  bool trace = false;
  app.add_option("mistake", mistake, "look at this one alone");
  app.add_option("--seed", seed, "with this seed")->capture_default_str();
  app.add_flag("--trace", trace, "print what happens");
  app.add_option("--hash-of", hash, "with no mistake: run so many seeds and print one number over their traces");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  using namespace turnstone::simulation;
  if (hash > 0) return hash_of_seeds(hash);  // the changes must change nothing while their mistakes are off
  return mistake.empty() ? table() : one(mistake, seed, trace);
}
