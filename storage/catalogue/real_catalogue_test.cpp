// What must hold over a real, very sparse catalogue. Skipped where the shared data is not at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

std::string shared_catalogue() {
  const char* folder = std::getenv("TURNSTONE_SHARED");
  const std::filesystem::path shared =
      folder != nullptr ? std::filesystem::path(folder) : std::filesystem::path(TURNSTONE_SOURCE_DIR).parent_path() / "shared";
  const auto file = shared / "data" / "sparse5k.jsonl.zst";
  return std::filesystem::exists(file) ? file.string() : std::string();
}

class RealCatalogue : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (shared_catalogue().empty()) return;
    folder_ = std::make_unique<TrialFolder>();
    const auto built = build_index(shared_catalogue(), folder_->path(), {});
    ASSERT_TRUE(built) << built.error().detail;
    const auto opened = Artefact::open(folder_->path());
    ASSERT_TRUE(opened) << opened.error().detail;
    artefact_ = *opened;
  }
  static void TearDownTestSuite() {
    artefact_.reset();
    folder_.reset();
  }
  void SetUp() override {
    if (artefact_ == nullptr) GTEST_SKIP() << "needs data/sparse5k.jsonl.zst in the folder TURNSTONE_SHARED or in shared/ beside the source tree";
  }

  static std::unique_ptr<TrialFolder> folder_;
  static std::shared_ptr<const Artefact> artefact_;
};
std::unique_ptr<TrialFolder> RealCatalogue::folder_;
std::shared_ptr<const Artefact> RealCatalogue::artefact_;

TEST_F(RealCatalogue, ImpactsFindWhatTheIndexOfRecordFinds) {
  constexpr std::size_t top = 100;
  std::size_t compared = 0;
  std::size_t shared = 0;
  for (std::uint32_t p = 0; p < artefact_->product_count(); p += artefact_->product_count() / 40) {
    const auto title = artefact_->part(Ordinal{p}, 0).terms;
    std::string query;
    std::set<std::uint32_t> terms;
    for (std::size_t i = 0; i < std::min<std::size_t>(title.size(), 5); ++i) {
      query += std::string(artefact_->term_surface(title[i])) + " ";
      terms.insert(title[i].value);
    }
    std::map<std::uint32_t, std::int64_t> scores;
    for (const std::uint32_t term : terms) {
      for (const Posting& posting : artefact_->postings(TermId{term})) scores[posting.product.value] += posting.impact;
    }
    const auto hits = search_index(folder_->path(), query, SearchMode::any_word, top);
    ASSERT_TRUE(hits) << hits.error().detail;
    ASSERT_FALSE(hits->empty());
    std::vector<std::int64_t> ranked;
    for (const auto& [product, score] : scores) ranked.push_back(score);
    std::sort(ranked.rbegin(), ranked.rend());
    // In the top of the fast path, up to half a quantisation step a term.
    const std::int64_t threshold = ranked[std::min(hits->size(), ranked.size()) - 1] - static_cast<std::int64_t>(terms.size());
    for (const SearchHit& hit : *hits) {
      ++compared;
      const auto found = scores.find(artefact_->find(hit.id)->value);
      shared += found != scores.end() && found->second >= threshold;
    }
  }
  EXPECT_GE(compared, 1000u);
  EXPECT_GE(shared * 100, compared * 99) << shared << " of " << compared;
}

TEST_F(RealCatalogue, EveryValueIsReachedByItsWords) {
  std::size_t checked = 0;
  for (const Facet& facet : artefact_->facets()) {
    if (facet.verdict < Verdict::filter || facet.kind == FacetKind::yes_no) continue;
    for (const FacetValue& value : artefact_->values(facet.id)) {
      const bool figures = value.key.find_first_not_of("0123456789. ") == std::string_view::npos;
      const auto terms = std::count(value.key.begin(), value.key.end(), ' ') + 1;
      if (figures || terms > artefact_->longest_phrase()) continue;
      if (terms == 1 && artefact_->language().in_list("function", value.key)) continue;
      const auto senses = artefact_->senses(value.key);
      EXPECT_TRUE(std::any_of(senses.begin(), senses.end(), [&](const Sense& s) { return s.value == value.id; })) << facet.name << "=" << value.key;
      ++checked;
    }
  }
  EXPECT_GE(checked, 1000u);
}

TEST_F(RealCatalogue, NothingThatIdentifiesProductsIsAskedOrFilteredBy) {
  for (const char* name : {"date_first_available", "item_model_number", "package_dimensions", "best_sellers_rank", "upc"}) {
    const Facet* facet = artefact_->facet(name);
    ASSERT_NE(facet, nullptr) << name;
    EXPECT_LT(facet->verdict, Verdict::filter) << name;
    EXPECT_EQ(facet->value_count, 0u) << name;
  }
}

}  // namespace
}  // namespace turnstone
