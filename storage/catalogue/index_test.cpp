// The artefact as a whole: round trip, determinism, damage; and the index of record beside it.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "events/chain.h"
#include "storage/artefact/artefact_view.h"
#include "storage/artefact/format.h"
#include "storage/catalogue/postings.h"
#include "storage/catalogue/test_catalogue.h"

namespace turnstone {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> lamp_lines(int count) {
  static const char* colors[] = {"Red", "Blue", "Dark Green"};
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    lines.push_back(
        fmt::format(R"({{"parent_asin":"L{:04}","title":"Glow {} lamp","categories":["Lamps","Floor lamps"],"features":["Dimmable","Needs {} W"],)"
                    R"("description":["Warm light for reading corner {}."],"details":{{"Color":"{}","Power":"{} W","Wired":{}}},"store":"Glow & Co",)"
                    R"("price":{},"average_rating":4.{},"rating_number":{}}})",
                    i, i % 7, 5 + i % 9, i % 11, colors[i % 3], 5 + i % 9, i % 2 == 0, 10 + i, i % 9, i * i));
  }
  return lines;
}

TEST(Artefact, GivesBackWhatWasIndexed) {
  const IndexedCatalogue catalogue(lamp_lines(40));
  const Artefact& artefact = *catalogue.artefact;
  ASSERT_EQ(artefact.product_count(), 40u);
  const auto product = artefact.find("L0007");
  ASSERT_TRUE(product);
  EXPECT_EQ(artefact.find("L0"), std::nullopt);
  EXPECT_EQ(artefact.find(""), std::nullopt);
  EXPECT_EQ(artefact.product_id(*product), "L0007");
  EXPECT_EQ(artefact.title(*product), "Glow 0 lamp");
  EXPECT_EQ(artefact.store(*product), "Glow & Co");
  EXPECT_EQ(artefact.price(*product), whole_number(17));
  EXPECT_EQ(artefact.rating(*product), parse_number("4.7"));
  EXPECT_EQ(artefact.rating_count(*product), 49u);
  EXPECT_EQ(artefact.popularity(*product), static_cast<std::uint32_t>(2048 * std::log2(50.0)));
  ASSERT_EQ(artefact.part_count(*product), 10u);
  const ListingPart power = artefact.part(*product, 6);
  EXPECT_EQ(power.field, ListingField::details);
  EXPECT_EQ(power.key, "Power");
  EXPECT_EQ(power.text, "12 W");
  std::vector<std::string> terms;
  for (const TermId term : power.terms) terms.emplace_back(artefact.term_text(term));
  EXPECT_THAT(terms, ElementsAre("power", "12", "w"));
  std::size_t all = 0;
  for (std::uint32_t i = 0; i < artefact.part_count(*product); ++i) all += artefact.part(*product, i).terms.size();
  EXPECT_EQ(artefact.terms(*product).size(), all);
}

TEST(Artefact, HoldsImpactsOfTheDocumentedFormula) {
  const IndexedCatalogue catalogue(lamp_lines(40));
  const Artefact& artefact = *catalogue.artefact;
  const auto lamp = artefact.term("lamp");
  const auto red = artefact.term("red");
  ASSERT_TRUE(lamp && red);
  EXPECT_EQ(artefact.term("unheard"), std::nullopt);
  EXPECT_EQ(artefact.document_frequency(*lamp), 40u);
  EXPECT_EQ(artefact.document_frequency(*red), 14u);
  EXPECT_EQ(artefact.idf(*red), static_cast<std::uint32_t>(std::llround(1000 * std::log2(41 / 14.5))));
  // One occurrence in the details, in products of any length: the same impact.
  const auto postings = artefact.postings(*red);
  ASSERT_EQ(postings.size(), 14u);
  for (const Posting& posting : postings) EXPECT_EQ(posting.impact, postings[0].impact);
  EXPECT_EQ(artefact.impact_max(*red), postings[0].impact);
  // title 6 + two categories 4 each, against idf · w / (k1 + w) of the other term, on one scale
  const double lamp_exact = inverse_document_frequency(40, 40) * 14.0 / (bm25_k1 + 14.0);
  const double red_exact = inverse_document_frequency(40, 14) * 2.5 / (bm25_k1 + 2.5);
  EXPECT_NEAR(static_cast<double>(artefact.postings(*lamp)[0].impact) / postings[0].impact, lamp_exact / red_exact, 0.001);
}

TEST(Artefact, PostingsTellTheFieldsOfTheirWord) {
  const IndexedCatalogue catalogue(lamp_lines(40));
  const Artefact& artefact = *catalogue.artefact;
  std::uint32_t in_titles = 0, elsewhere = 0;
  for (std::uint32_t t = 0; t < artefact.term_count(); ++t) {
    for (const Posting& posting : artefact.postings(TermId{t})) {
      std::uint16_t fields = 0;
      for (std::uint32_t i = 0; i < artefact.part_count(posting.product); ++i) {
        const ListingPart part = artefact.part(posting.product, i);
        const bool here = std::find(part.terms.begin(), part.terms.end(), TermId{t}) != part.terms.end();
        if (here) fields = static_cast<std::uint16_t>(fields | 1U << static_cast<unsigned>(part.field));
      }
      ASSERT_EQ(posting.fields, fields) << artefact.term_text(TermId{t});
      ++(posting.stands_in(ListingField::title) ? in_titles : elsewhere);
    }
  }
  EXPECT_GT(in_titles, 0u);
  EXPECT_GT(elsewhere, 0u);
}

TEST(Artefact, IsTheSameWhateverTheOrderOfTheInput) {
  std::vector<std::string> lines = lamp_lines(60);
  const IndexedCatalogue straight(lines);
  std::mt19937 random(20);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = lines.size(); i-- > 1;) std::swap(lines[i], lines[random() % (i + 1)]);
    const IndexedCatalogue shuffled(lines);
    EXPECT_EQ(straight.report.fingerprint, shuffled.report.fingerprint);
    EXPECT_EQ(read_file(straight.artefact_file()), read_file(shuffled.artefact_file()));
  }
}

Status read_bytes(const std::string& bytes) {
  // A copy on the heap, aligned and of exactly this size, so that the sanitizer sees any step over its end.
  std::vector<std::uint64_t> copy((bytes.size() + 7) / 8);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(copy.data()));
  auto view = ArtefactView::read({reinterpret_cast<const std::byte*>(copy.data()), bytes.size()});
  return view ? Status{} : tl::unexpected(view.error());
}

TEST(DamagedArtefact, EveryFlippedByteIsFound) {
  const IndexedCatalogue catalogue(lamp_lines(12));
  std::string bytes = read_file(catalogue.artefact_file());
  ASSERT_TRUE(read_bytes(bytes));
  const std::size_t header = sizeof(format::Header) + sizeof(format::SectionEntry) * format::section_count;
  const std::size_t step = std::max<std::size_t>(1, bytes.size() / 1500);
  for (std::size_t i = 0; i < bytes.size(); i += i < header ? 1 : step) {
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    const auto read = read_bytes(bytes);
    ASSERT_FALSE(read) << "byte " << i;
    ASSERT_TRUE(read.error().code == ErrorCode::corrupt || read.error().code == ErrorCode::unsupported) << "byte " << i;
    bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
  }
}

TEST(DamagedArtefact, EveryCutIsFound) {
  const IndexedCatalogue catalogue(lamp_lines(12));
  const std::string bytes = read_file(catalogue.artefact_file());
  for (std::size_t size = 0; size < bytes.size(); size += size < 2000 ? 7 : bytes.size() / 300)
    ASSERT_FALSE(read_bytes(bytes.substr(0, size))) << size;
  ASSERT_FALSE(read_bytes(bytes + std::string(8, '\0')));
}

// Whoever can write the file can recompute its digests: the bounds must hold without them.
TEST(DamagedArtefact, WrongNumbersUnderRightDigestsAreRefusedOrHarmless) {
  const IndexedCatalogue catalogue(lamp_lines(12));
  const std::string bytes = read_file(catalogue.artefact_file());
  std::mt19937 random(7);
  for (int round = 0; round < 150; ++round) {
    std::string forged = bytes;
    format::Header header;
    std::array<format::SectionEntry, format::section_count> table;
    std::memcpy(&header, forged.data(), sizeof header);
    std::memcpy(table.data(), forged.data() + sizeof header, sizeof table);
    const std::size_t section = static_cast<std::size_t>(format::Section::meta) + random() % (format::section_count - 3);
    if (table[section].size < 4) continue;
    const std::uint32_t wild[] = {0, 1, 0x7FFFFFFF, 0xFFFFFFFF, static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random() % 500)};
    const std::uint32_t forged_number = wild[random() % std::size(wild)];
    std::memcpy(forged.data() + table[section].offset + random() % (table[section].size / 4) * 4, &forged_number, sizeof forged_number);
    table[section].digest = blake2b(std::string_view(forged).substr(table[section].offset, table[section].size));
    std::string covered(forged.substr(0, offsetof(format::Header, fingerprint)));
    covered.append(reinterpret_cast<const char*>(table.data()), sizeof table);
    header.fingerprint = blake2b(covered);
    std::memcpy(forged.data(), &header, sizeof header);
    std::memcpy(forged.data() + sizeof header, table.data(), sizeof table);

    const TrialFolder folder;
    write_file(folder / "artefact.tsx", forged);
    const auto opened = Artefact::open(folder.path());
    if (!opened) continue;
    // It passed: then every accessor must stay inside.
    const Artefact& artefact = **opened;
    std::size_t sum = 0;
    for (std::uint32_t p = 0; p < artefact.product_count(); ++p) {
      sum += artefact.title(Ordinal{p}).size() + artefact.terms(Ordinal{p}).size();
      for (std::uint32_t i = 0; i < artefact.part_count(Ordinal{p}); ++i) sum += artefact.part(Ordinal{p}, i).text.size();
      for (const Facet& facet : artefact.facets()) {
        sum += artefact.values_of(Ordinal{p}, facet.id).size();
        sum += artefact.number_of(Ordinal{p}, facet.id).has_value();
      }
    }
    for (std::uint32_t t = 0; t < artefact.term_count(); ++t)
      sum += artefact.postings(TermId{t}).size() + artefact.term(artefact.term_text(TermId{t})).has_value();
    for (const Facet& facet : artefact.facets()) {
      for (const FacetValue& value : artefact.values(facet.id)) {
        for (const Ordinal product : artefact.products_with(value.id)) sum += artefact.title(product).size();
        sum += artefact.price_quantile(value.id, Permille{500}).has_value() + artefact.find_value(facet.id, value.key).has_value();
      }
      sum += artefact.number_column(facet.id).size();
    }
    for (std::uint32_t i = 0; i < artefact.phrase_count(); ++i) {
      for (const Sense& sense : artefact.senses(artefact.phrase(i))) sum += artefact.value(sense.value).text.size();
    }
    EXPECT_GT(sum, 0u);
  }
}

TEST(DamagedArtefact, ErrorsSayWhatToDo) {
  const TrialFolder folder;
  const auto missing = Artefact::open(folder.path());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  EXPECT_THAT(missing.error().detail, HasSubstr("turnstone index"));
  write_file(folder / "artefact.tsx", "not an artefact at all, but long enough to hold a header of fifty-six bytes");
  const auto wrong = Artefact::open(folder.path());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::corrupt);
  EXPECT_THAT(wrong.error().detail, HasSubstr("turnstone index"));
}

// --- the index of record --------------------------------------------------------------------------------

std::vector<std::string> ids(const Result<std::vector<SearchHit>>& hits) {
  EXPECT_TRUE(hits) << (hits ? "" : hits.error().detail);
  std::vector<std::string> found;
  if (hits) {
    for (const SearchHit& hit : *hits) found.push_back(hit.id);
  }
  return found;
}

std::vector<std::string> odd_lines() {
  return {R"({"parent_asin":"cpp","title":"Learn C++ today"})",   R"({"parent_asin":"csharp","title":"Learn C# today"})",
          R"({"parent_asin":"c","title":"Learn C today"})",       R"({"parent_asin":"mouse","title":"Red mouse","features":["usb-c"]})",
          R"({"parent_asin":"car","title":"near car and body"})", "{\"parent_asin\":\"cafe\",\"title\":\"Cafe\xCC\x81 cups\"}",
          R"({"parent_asin":"usb","title":"USB hub"})",           R"({"parent_asin":"split","title":"x","features":["alpha beta","gamma delta"]})"};
}

TEST(Search, TakesNothingForSyntax) {
  const IndexedCatalogue catalogue(odd_lines(), true);
  for (const char* query : {"multi-agent",
                            "usb-c",
                            "don't",
                            "C++",
                            "\"",
                            "\"unbalanced",
                            "AND",
                            "OR hello",
                            "NOT red",
                            "NEAR(",
                            "*",
                            "",
                            "   ",
                            "38.101",
                            "why?",
                            "@nasa",
                            "red AND",
                            "(red",
                            "-red",
                            "col:",
                            "red NEAR/2 mouse",
                            "body:red",
                            "{title body} : red",
                            "red*",
                            "^red",
                            "\xff\xfe",
                            "a\"b\"c",
                            "++"}) {
    for (const SearchMode mode : {SearchMode::any_word, SearchMode::all_words, SearchMode::phrase}) {
      EXPECT_TRUE(search_index(catalogue.directory(), query, mode, 10)) << query;
    }
  }
  EXPECT_THAT(ids(search_index(catalogue.directory(), "NOT red", SearchMode::any_word, 10)), ElementsAre("mouse"));
  EXPECT_THAT(ids(search_index(catalogue.directory(), "red*", SearchMode::any_word, 10)), ElementsAre("mouse"));
  EXPECT_THAT(ids(search_index(catalogue.directory(), "mo*", SearchMode::any_word, 10)), IsEmpty());
  EXPECT_THAT(ids(search_index(catalogue.directory(), "title:usb", SearchMode::all_words, 10)), IsEmpty());
  EXPECT_THAT(ids(search_index(catalogue.directory(), "++", SearchMode::any_word, 10)), IsEmpty());
  EXPECT_THAT(ids(search_index(catalogue.directory(), "red AND car", SearchMode::all_words, 10)), IsEmpty());
}

TEST(Search, TellsSignsFromLettersAndFoldsForms) {
  const IndexedCatalogue catalogue(odd_lines(), true);
  EXPECT_THAT(ids(search_index(catalogue.directory(), "C++", SearchMode::any_word, 10)), ElementsAre("cpp"));
  EXPECT_THAT(ids(search_index(catalogue.directory(), "c#", SearchMode::any_word, 10)), ElementsAre("csharp"));
  EXPECT_THAT(ids(search_index(catalogue.directory(), "learn c", SearchMode::phrase, 10)), ElementsAre("c"));
  for (const char* form : {"cafe", "caf\xC3\xA9", "cafe\xCC\x81", "CAFE"})
    EXPECT_THAT(ids(search_index(catalogue.directory(), form, SearchMode::any_word, 10)), ElementsAre("cafe"));
  // Full width letters.
  EXPECT_THAT(ids(search_index(catalogue.directory(), "\xEF\xBC\xB5\xEF\xBC\xB3\xEF\xBC\xA2 hub", SearchMode::all_words, 10)), ElementsAre("usb"));
}

TEST(Search, PhrasesDoNotRunOverFromOnePartToTheNext) {
  const IndexedCatalogue catalogue(odd_lines(), true);
  EXPECT_THAT(ids(search_index(catalogue.directory(), "gamma delta", SearchMode::phrase, 10)), ElementsAre("split"));
  EXPECT_THAT(ids(search_index(catalogue.directory(), "beta gamma", SearchMode::phrase, 10)), IsEmpty());
}

TEST(Search, EqualScoresComeInOrderOfIds) {
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i) lines.push_back(fmt::format(R"({{"parent_asin":"same{:03}","title":"Plain white mug"}})", i));
  std::mt19937 random(3);
  std::vector<std::string> first;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = lines.size(); i-- > 1;) std::swap(lines[i], lines[random() % (i + 1)]);
    const IndexedCatalogue catalogue(lines, true);
    const auto found = ids(search_index(catalogue.directory(), "white mug", SearchMode::any_word, 50));
    ASSERT_EQ(found.size(), 50u);
    EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
    if (first.empty()) first = found;
    EXPECT_EQ(found, first);
  }
}

// The fast path's impacts are the same score, quantised.
TEST(Search, AgreesWithTheArtefactsImpacts) {
  const IndexedCatalogue catalogue(lamp_lines(120), true);
  const Artefact& artefact = *catalogue.artefact;
  for (const std::vector<std::string>& query :
       {std::vector<std::string>{"red", "lamp"}, {"reading", "corner", "3"}, {"wired", "green", "dimmable"}}) {
    std::map<std::uint32_t, std::uint64_t> scores;
    std::string text;
    for (const std::string& word : query) {
      text += word + " ";
      const auto term = artefact.term(word);
      ASSERT_TRUE(term) << word;
      for (const Posting& posting : artefact.postings(*term)) scores[posting.product.value] += posting.impact;
    }
    const auto hits = search_index(catalogue.directory(), text, SearchMode::any_word, 1000);
    ASSERT_TRUE(hits);
    ASSERT_EQ(hits->size(), scores.size());
    for (std::size_t i = 1; i < hits->size(); ++i) {
      const auto before = scores.at(artefact.find((*hits)[i - 1].id)->value);
      const auto after = scores.at(artefact.find((*hits)[i].id)->value);
      EXPECT_GE(before + query.size(), after);  // each term may be off by half a step on either side
    }
  }
}

TEST(Search, SaysWhereAnIndexComesFrom) {
  const TrialFolder folder;
  const auto missing = search_index(folder.path(), "lamp", SearchMode::any_word, 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  write_file(folder / "catalogue.sqlite", std::string(4096, 'x'));
  const auto wrong = search_index(folder.path(), "lamp", SearchMode::any_word, 10);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::corrupt);
}

TEST(BuildIndex, NamesWhatIsWrong) {
  const TrialFolder folder;
  write_file(folder / "c.jsonl", R"({"parent_asin":"a","title":"t"})");
  IndexOptions options;
  options.language_directory = folder / "none";
  const auto no_language = build_index(folder / "c.jsonl", folder / "out", options);
  ASSERT_FALSE(no_language);
  EXPECT_EQ(no_language.error().code, ErrorCode::not_found);
  std::filesystem::create_directory(folder / "lang");
  write_file(folder / "lang/bad.toml", "[table.color\nred = ");
  options.language_directory = folder / "lang";
  const auto bad_language = build_index(folder / "c.jsonl", folder / "out", options);
  ASSERT_FALSE(bad_language);
  EXPECT_THAT(bad_language.error().detail, HasSubstr("bad.toml"));
  const auto no_folder = build_index(folder / "c.jsonl", folder / "c.jsonl/under", {});
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().code, ErrorCode::io);
}

TEST(BuildIndex, ReadsFurtherLanguageData) {
  const TrialFolder folder;
  std::filesystem::create_directory(folder / "lang");
  write_file(folder / "lang/de.toml", "[table.color]\nblue = [\"blau\", \"himmelblau\"]\n");
  write_file(folder / "c.jsonl", joined({R"({"parent_asin":"a","title":"Lampe himmelblau"})", R"({"parent_asin":"b","title":"Lampe rot"})"}));
  IndexOptions options;
  options.language_directory = folder / "lang";
  options.write_sqlite = false;
  ASSERT_TRUE(build_index(folder / "c.jsonl", folder / "out", options));
  const auto artefact = Artefact::open(folder / "out");
  ASSERT_TRUE(artefact);
  const Facet* color = (*artefact)->facet("color");
  ASSERT_NE(color, nullptr);
  const auto blue = (*artefact)->find_value(color->id, "blue");
  ASSERT_TRUE(blue);
  EXPECT_EQ((*artefact)->products_with(*blue).size(), 1u);
}

}  // namespace
}  // namespace turnstone
