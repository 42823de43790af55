// Seeded mutations of the corpus, with any compiler: what libFuzzer does for a minute in every run of the tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/fuzz/reading_trial.h"

namespace turnstone {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TURNSTONE_FUZZ_CORPUS)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return seeds;
}

std::string mutated(const std::vector<std::string>& seeds, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  std::string text = seeds[below(seeds.size())];
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) {
    const std::string& other = seeds[below(seeds.size())];
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = below(std::min<std::size_t>(24, text.size() - at + 1));
    const std::size_t from = below(other.size() + 1);
    switch (below(6)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, other.substr(from, below(40))); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(at, 1, static_cast<char>(below(256))); break;
      case 4: text.replace(at, length, other.substr(from, below(24))); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ static_cast<char>(1U << below(8)));
        break;
    }
  }
  return text;
}

TEST(ReadingMutations, TheCorpusIsRead) {
  const auto seeds = corpus();
  ASSERT_GE(seeds.size(), 8u);
  for (const std::string& seed : seeds) EXPECT_EQ(broken_by(seed), std::vector<std::string>{}) << seed;
}

// TURNSTONE_SEED=n repeats a run, TURNSTONE_MUTATIONS=n makes it longer.
TEST(ReadingMutations, NoMutationBreaksAState) {
  const char* seed_text = std::getenv("TURNSTONE_SEED");
  const char* count_text = std::getenv("TURNSTONE_MUTATIONS");
  const auto seed = static_cast<std::uint32_t>(seed_text == nullptr ? 20'240'611 : std::atol(seed_text));
  const long count = count_text == nullptr ? 400 : std::atol(count_text);
  std::mt19937 random(seed);
  const auto seeds = corpus();
  for (long i = 0; i < count; ++i) {
    const std::string text = mutated(seeds, random);
    ASSERT_EQ(broken_by(text), std::vector<std::string>{}) << "TURNSTONE_SEED=" << seed << ", mutation " << i << ":\n" << text;
  }
}

}  // namespace
}  // namespace turnstone
