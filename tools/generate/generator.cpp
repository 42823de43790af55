#include "tools/generate/generator.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "events/ascii.h"
#include "tools/generate/json_line.h"
#include "tools/generate/listing.h"

namespace turnstone {

namespace {

// Streams of one row's randomness, so that one decision more does not move all others.
enum class Stream : std::uint64_t { facts = 0, words = 1, dirt = 2, family = 3 };
Random random_of(std::uint64_t seed, std::uint64_t index, Stream stream) { return Random(seed, index * 4 + static_cast<std::uint64_t>(stream)); }

std::string base36(std::uint64_t number, std::size_t digits) {
  constexpr std::string_view alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string out(digits, '0');
  for (std::size_t at = digits; at-- > 0; number /= 36) out[at] = alphabet[number % 36];
  return out;
}

// --- how a seller writes ---------------------------------------------------------------------------------

std::string respelled_brand(const std::string& brand, Random& dirt) {
  switch (dirt.below(4)) {
    case 0: return upper_case(brand);
    case 1: return brand.substr(0, brand.find(' ')) + " Inc.";
    case 2: return ascii_lower(brand);
    default: return brand.find(' ') == std::string::npos ? brand + " Co." : brand.substr(0, brand.find(' '));
  }
}

std::string respelled_unit(const std::string& value, Random& dirt) {
  struct Spelling { std::string_view unit; std::array<std::string_view, 3> others; };
  constexpr Spelling spellings[] = {{" inches", {"\"", " in", " Inch"}}, {" GB", {"GB", " gb", " Gigabytes"}}, {" TB", {"TB", " Terabytes", "TB"}},
                                    {" kg", {"kg", " Kilograms", " KG"}}, {" pounds", {" lbs", " lb", " Pounds"}}, {" hours", {" h", " Hours", "hrs"}},
                                    {" Hz", {"Hz", "hz", " Hertz"}},      {" mm", {"mm", " Millimeters", "mm"}}, {" W", {"W", " watts", " Watt"}},
                                    {" mAh", {"mAh", " mah", " milliamp hours"}}, {" liters", {"L", " Liter", " l"}}, {" years", {" Year", "-year", " yrs"}}};
  for (const Spelling& spelling : spellings) {
    if (!value.ends_with(spelling.unit)) continue;
    return value.substr(0, value.size() - spelling.unit.size()) + std::string(dirt.pick<std::string_view>(spelling.others));
  }
  return value;
}

std::string written_value(const Fact& fact, const Listing& listing, Random& dirt) {
  std::string value = fact.value;
  if (dirt.chance(180)) value = respelled_unit(value, dirt);
  if ((mix64(listing.brand_number) >> 8) % 3 == 1) value = title_case(value);
  return dirt.chance(15) ? upper_case(value) : value;
}

void write_fact(JsonLine& json, const Fact& fact, const Listing& listing, Random& dirt) {
  json.key(fact.column->name);
  switch (fact.column->form) {
    case TradeColumn::Form::number: json.raw(fact.value); return;
    case TradeColumn::Form::yes_no:
      if (dirt.chance(600)) return json.raw(fact.value);
      return json.text(fact.value == "true" ? "Yes" : "No");
    case TradeColumn::Form::several:
      if (!dirt.chance(120)) return json.text(fact.value);
      json.begin_list();
      for (std::size_t at = 0; at < fact.value.size();) {
        const std::size_t end = std::min(fact.value.find(", ", at), fact.value.size());
        json.text(fact.value.substr(at, end - at));
        at = std::min(end + 2, fact.value.size());
      }
      return json.end_list();
    case TradeColumn::Form::text: return json.text(written_value(fact, listing, dirt));
  }
}

// --- the fields of a row -----------------------------------------------------------------------------------

std::string dirty_title(std::string title, Random& dirt) {
  if (dirt.chance(40)) return upper_case(title);
  if (dirt.chance(30)) return ascii_lower(title);
  constexpr std::string_view decorations[] = {" \xF0\x9F\x8E\x81", " \xE2\xAD\x90", " \xF0\x9F\x94\xA5 NEW", " \xE2\x9C\x85"};
  if (dirt.chance(20)) title += dirt.pick<std::string_view>(decorations);
  if (dirt.chance(15)) title += "  &amp; more";
  return title;
}

void write_categories(JsonLine& json, const Listing& listing, const Trade& trade, Random& dirt) {
  json.key("categories").begin_list();
  if (!dirt.chance(60)) {
    json.text(trade.root);
    if (!listing.department.empty() && dirt.chance(850)) json.text(listing.department);
    for (const std::string& part : listing.kind->path) json.text(part);
    if (dirt.chance(25)) json.text(listing.kind->path.back());
    if (dirt.chance(20)) json.text("Shop All");
  }
  json.end_list();
}

std::string dirty_sentence(const std::string& sentence, Random& dirt) {
  if (dirt.chance(50)) return "\xE2\x9C\x94 " + sentence;
  if (dirt.chance(40)) return "<b>" + sentence + "</b><br>";
  if (dirt.chance(30)) return sentence + " &nbsp;";
  if (dirt.chance(50)) {
    const std::size_t space = std::min(sentence.find(' ', std::min<std::size_t>(8, sentence.size())), sentence.size());
    return "\xE3\x80\x90" + upper_case(sentence.substr(0, space)) + "\xE3\x80\x91" + sentence;
  }
  return sentence;
}

std::vector<std::string> written_sentences(const Listing& listing) {
  std::vector<std::string> out;
  for (const std::string& sentence : listing.kind->sentences) {
    if (std::string written = write_sentence(sentence, listing); !written.empty()) out.push_back(std::move(written));
  }
  return out;
}

void write_features(JsonLine& json, const Listing& listing, const std::string& title, Random& words, Random& dirt) {
  json.key("features").begin_list();
  const std::vector<std::string> sentences = written_sentences(listing);
  if (!dirt.chance(220) && !sentences.empty()) {
    if (dirt.chance(30)) json.text(title);
    const auto count = static_cast<std::uint32_t>(sentences.size());
    const std::uint32_t wanted = dirt.chance(8) ? 28 : std::min(count, words.between(1, 7));
    std::uint32_t at = words.below(count);
    for (std::uint32_t written = 0; written < wanted; ++written, at = (at + 1) % count) json.text(dirty_sentence(sentences[at], dirt));
  }
  json.end_list();
}

void write_description(JsonLine& json, const Listing& listing, Random& words, Random& dirt) {
  json.key("description").begin_list();
  const std::vector<std::string> sentences = written_sentences(listing);
  if (dirt.chance(550) && !sentences.empty()) {
    const std::uint32_t wanted = dirt.chance(15) ? 40 : words.between(1, 4);
    std::string text = fmt::format("The {} by {}.", listing.kind->name, listing.brand);
    for (std::uint32_t written = 0; written < wanted; ++written) text += " " + words.pick<std::string>(sentences) + ".";
    json.text(dirt.chance(50) ? "<p>" + text + "</p>" : text);
  }
  json.end_list();
}

// What sellers' systems put beside the facts: numbers that identify, dates, links.
void write_clutter(JsonLine& json, const Listing& listing, Random& dirt) {
  constexpr std::string_view months[] = {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
  // One draw a statement: the order of evaluation within one is the compiler's.
  if (dirt.chance(350)) {
    const std::string series = base36(dirt.next(), 3);
    json.key("Item model number").text(fmt::format("{}-{:05}", series, dirt.below(100'000)));
  }
  if (dirt.chance(250)) {
    const std::string_view month = dirt.pick<std::string_view>(months);
    const std::uint32_t day = dirt.between(1, 28);
    json.key("Date First Available").text(fmt::format("{} {}, {}", month, day, dirt.between(2015, 2024)));
  }
  if (dirt.chance(300)) {
    const std::uint32_t length = dirt.between(30, 180), width = dirt.between(20, 120), height = dirt.between(4, 80), ounces = dirt.between(10, 900);
    json.key("Package Dimensions").text(fmt::format("{}.{} x {}.{} x {}.{} inches; {}.{} Ounces", length / 10, length % 10, width / 10, width % 10,
                                                    height / 10, height % 10, ounces / 10, ounces % 10));
  }
  if (dirt.chance(60)) {
    json.key("Manufacturer URL").text(fmt::format("https://{}.example/p/{}", ascii_lower(listing.brand.substr(0, listing.brand.find(' '))), ascii_lower(base36(dirt.next(), 7))));
  }
  if (dirt.chance(80)) {
    const std::uint32_t maker = dirt.below(1'000'000);
    json.key("UPC").text(fmt::format("{:06}{:06}", maker, dirt.below(1'000'000)));
  }
  if (dirt.chance(90)) json.key("Is Discontinued By Manufacturer").text("No");
}

void write_details(JsonLine& json, const Listing& listing, bool priced, Random& dirt) {
  json.key("details").begin_object();
  if (!dirt.chance(70)) {
    const bool brand_named = dirt.chance(450);
    if (brand_named) json.key(dirt.chance(600) ? "Brand" : "Manufacturer").text(dirt.chance(130) ? respelled_brand(listing.brand, dirt) : listing.brand);
    if (!listing.department.empty() && dirt.chance(600)) json.key("Department").text(listing.department);
    for (const Fact& fact : listing.facts) write_fact(json, fact, listing, dirt);
    write_clutter(json, listing, dirt);
    if (priced && dirt.chance(20)) {
      const std::uint32_t high = listing.cents + dirt.between(300, 3000);
      json.key("Price range").text(fmt::format("${}.{:02} - ${}.{:02}", listing.cents / 100, listing.cents % 100, high / 100, high % 100));
    }
  }
  json.end_object();
}

std::string with_thousands(std::uint32_t whole) { return whole < 1000 ? fmt::format("{}", whole) : fmt::format("{},{:03}", whole / 1000, whole % 1000); }

void write_price(JsonLine& json, const Listing& listing, bool priced, Random& dirt) {
  json.key("price");
  const std::uint32_t whole = listing.cents / 100, cents = listing.cents % 100;
  if (!priced) {
    json.raw("null");
  } else if (dirt.chance(40)) {
    json.text(dirt.chance(500) ? fmt::format("${}.{:02}", with_thousands(whole), cents) : fmt::format("{}.{:02} USD", whole, cents));
  } else {
    json.raw(cents % 10 == 0 ? fmt::format("{}.{}", whole, cents / 10) : fmt::format("{}.{:02}", whole, cents));
  }
}

void write_ratings(JsonLine& json, Random& words) {
  const std::uint32_t tenths = 50 - words.skewed_below(30);
  json.key("average_rating").raw(words.chance(250) ? std::string("null") : fmt::format("{}.{}", tenths / 10, tenths % 10));
  // Each doubling of the count is about half as frequent: a heavy tail.
  std::uint32_t doublings = 0;
  while (doublings < 17 && words.chance(620)) ++doublings;
  json.key("rating_number").raw(std::to_string((1U << doublings) + words.below(1U << doublings) - 1));
}

}  // namespace

Result<CatalogueGenerator> CatalogueGenerator::make(std::string_view trade, std::uint64_t seed) {
  if (trade == "fashion") return CatalogueGenerator(std::make_shared<const Trade>(read_trade(fashion_trade())), seed);
  if (trade == "electronics") return CatalogueGenerator(std::make_shared<const Trade>(read_trade(electronics_trade())), seed);
  return fail(ErrorCode::invalid_argument, fmt::format("there is no generator for \"{}\"; choose fashion or electronics", trade));
}

// A product with an odd constant, modulo 36^8, is a permutation: no id comes twice.
std::string CatalogueGenerator::row_id(std::uint64_t index) const {
  constexpr std::uint64_t space = 2'821'109'907'456ULL;  // 36^8
  constexpr std::uint64_t odd = 1'442'695'055ULL;
  static_assert(odd % 2 == 1 && odd % 3 != 0, "coprime with 36");
  const std::uint64_t spread = (index % space * odd + mix64(seed_) % space) % space;
  return "T" + std::string(1, trade_->departments.empty() ? 'E' : 'A') + base36(spread, 8);
}

std::string CatalogueGenerator::row(std::uint64_t index) const {
  Random dirt = random_of(seed_, index, Stream::dirt);
  Random family = random_of(seed_, index, Stream::family);
  std::uint64_t original = index;
  if (index > 0 && family.chance(70)) original = index - 1 - family.below(static_cast<std::uint32_t>(std::min<std::uint64_t>(index, 400)));
  Listing listing = draw_listing(*trade_, random_of(seed_, original, Stream::facts));
  if (original != index) vary_listing(listing, family);
  Random words = random_of(seed_, original, Stream::words);
  const std::string title = dirty_title(write_title(listing, *trade_, words), dirt);
  const bool priced = !dirt.chance(320);

  JsonLine json;
  json.begin_object();
  json.key("parent_asin").text(row_id(index));
  json.key("title").text(title);
  write_categories(json, listing, *trade_, dirt);
  write_features(json, listing, title, words, dirt);
  write_description(json, listing, words, dirt);
  write_details(json, listing, priced, dirt);
  json.key("store");
  if (dirt.chance(80)) {
    json.raw("null");
  } else {
    json.text(dirt.chance(60) ? respelled_brand(listing.brand, dirt) : listing.brand);
  }
  write_price(json, listing, priced, dirt);
  write_ratings(json, words);
  json.end_object();
  return json.take();
}

}  // namespace turnstone
