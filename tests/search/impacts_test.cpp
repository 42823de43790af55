// The words of a turn are scored by integer impacts from a mapped file; the index of record scores them with SQLite. Over a
// thousand queries both must find the same: at least 99 of 100 of the best hundred, in the same order wherever two scores are
// further apart than quantising can bring them together.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "storage/catalogue/test_catalogue.h"
#include "tools/generate/generator.h"
#include "workers/retrieve_routes.h"

namespace turnstone {
namespace {

constexpr std::size_t top = 100;
constexpr int queries = 500;  // over each of two trades
constexpr std::uint64_t seed = 20'261'130;

std::vector<std::string> generated_lines(const std::string& trade, int rows) {
  const auto generator = CatalogueGenerator::make(trade, 7);
  EXPECT_TRUE(generator) << generator.error().detail;
  std::vector<std::string> lines;
  for (int i = 0; i < rows; ++i) lines.push_back(generator->row(static_cast<std::uint64_t>(i)));
  return lines;
}

// One to six words of one listing, or of two.
std::set<TermId> some_words(const Artefact& artefact, std::mt19937_64& random) {
  std::set<TermId> words;
  const std::size_t wanted = 1 + random() % 6;
  for (int listing = 0; listing < (random() % 3 == 0 ? 2 : 1); ++listing) {
    const auto terms = artefact.terms(Ordinal{static_cast<std::uint32_t>(random() % artefact.product_count())});
    if (terms.empty()) continue;
    const std::size_t first = random() % terms.size();
    for (std::size_t i = first; i < terms.size() && words.size() < wanted; ++i) words.insert(terms[i]);
  }
  return words;
}

LexicalQuery query_of(const std::set<TermId>& words, const Artefact& artefact) {
  LexicalQuery query;
  query.words.assign(words.begin(), words.end());
  std::stable_sort(query.words.begin(), query.words.end(),
                   [&](TermId a, TermId b) { return artefact.document_frequency(a) < artefact.document_frequency(b); });
  query.shares.assign(words.size(), 1'000);
  return query;
}

struct Agreement {
  std::size_t compared = 0;
  std::size_t shared = 0;
};

void compare(const std::set<TermId>& words, const IndexedCatalogue& catalogue, Agreement& agreement) {
  const Artefact& artefact = *catalogue.artefact;
  std::ostringstream text;
  for (const TermId word : words) text << artefact.term_surface(word) << ' ';
  SCOPED_TRACE(text.str());
  std::map<Ordinal, std::uint32_t> impacts;
  std::vector<std::uint32_t> best;
  for (const LexicalHit& hit : score_words(query_of(words, artefact), artefact, std::int64_t{1} << 40).hits) {
    impacts[hit.product] = hit.impact;
    best.push_back(hit.impact);
  }
  std::sort(best.rbegin(), best.rend());
  const auto hits = search_index(catalogue.directory(), text.str(), SearchMode::any_word, top);
  ASSERT_TRUE(hits) << hits.error().detail;
  ASSERT_EQ(hits->size(), std::min(top, impacts.size()));
  // Each word's impact is rounded by half a step at most, and so is the one that it is compared with.
  const auto step = static_cast<std::uint32_t>(words.size());
  const std::uint32_t least = best[hits->size() - 1];
  std::uint32_t before = ~std::uint32_t{0} - step;
  for (const SearchHit& hit : *hits) {
    const auto product = artefact.find(hit.id);
    ASSERT_TRUE(product && impacts.contains(*product)) << hit.id;
    const std::uint32_t impact = impacts[*product];
    ++agreement.compared;
    agreement.shared += impact >= least ? 1 : 0;
    EXPECT_LE(impact, before + step) << hit.id << " stands too low";
    before = std::min(before, impact);
  }
}

class Impacts : public ::testing::TestWithParam<const char*> {};

TEST_P(Impacts, FindWhatTheIndexOfRecordFinds) {
  const IndexedCatalogue catalogue(generated_lines(GetParam(), 2'000), true);
  std::mt19937_64 random(seed);
  Agreement agreement;
  for (int i = 0; i < queries; ++i) {
    const auto words = some_words(*catalogue.artefact, random);
    if (!words.empty()) compare(words, catalogue, agreement);
    ASSERT_FALSE(HasFatalFailure()) << "query " << i << ", seed " << seed;
  }
  EXPECT_GE(agreement.compared, 20'000U);
  EXPECT_GE(agreement.shared * 100, agreement.compared * 99) << agreement.shared << " of " << agreement.compared << ", seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Trades, Impacts, ::testing::Values("fashion", "electronics"));

// Blocks of products, and lists that end anywhere within them, add up to what one pass over each list gives.
TEST(ScoreWords, AddsUpByBlocksWhatOnePassGives) {
  const IndexedCatalogue catalogue(generated_lines("fashion", 2'000));
  const Artefact& artefact = *catalogue.artefact;
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    LexicalQuery query = query_of(some_words(artefact, random), artefact);
    for (std::int64_t& share : query.shares) share = 1 + static_cast<std::int64_t>(random() % 1'000);
    const auto budget = static_cast<std::int64_t>(random() % 3'000);
    const auto block = 1 + static_cast<std::uint32_t>(random() % 3'000);  // many blocks, or one
    const LexicalHits found = score_words(query, artefact, budget, block);
    std::map<Ordinal, std::pair<std::uint32_t, std::uint16_t>> wanted;
    std::int64_t left = budget;
    std::size_t read = 0;
    for (; read < query.words.size(); ++read) {
      const auto postings = artefact.postings(query.words[read]);
      if (read > 0 && static_cast<std::int64_t>(postings.size()) > left) break;
      left -= static_cast<std::int64_t>(postings.size());
      for (const Posting& posting : postings) {
        wanted[posting.product].first += posting.impact * static_cast<std::uint32_t>(query.shares[read]) / 1'000U;
        ++wanted[posting.product].second;
      }
    }
    ASSERT_EQ(found.words_read, read);
    ASSERT_EQ(found.hits.size(), wanted.size()) << "query " << i;
    auto hit = found.hits.begin();
    for (const auto& [product, sum] : wanted) {
      ASSERT_EQ(hit->product, product);
      ASSERT_EQ(hit->impact, sum.first);
      ASSERT_EQ(hit->words, sum.second);
      ++hit;
    }
  }
}

}  // namespace
}  // namespace turnstone
