#include "storage/artefact/artefact_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>

#include "events/chain.h"

namespace turnstone {

namespace format {

std::string_view section_name(Section section) {
  static constexpr std::array<std::string_view, section_count> names{"language",     "audit",          "text",           "meta",
                                                                     "products",     "parts",          "forward",        "terms",
                                                                     "term_table",   "postings",       "facets",         "values",
                                                                     "value_table",  "value_products", "product_values", "phrases",
                                                                     "phrase_table", "senses",         "numbers",        "numbers_by_product",
                                                                     "prices"};
  return names[static_cast<std::size_t>(section)];
}

}  // namespace format

namespace {

using format::Section;

constexpr std::size_t second_thread_bytes_min = 4u << 20;

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::corrupt, fmt::format("the artefact is damaged ({}): build it again with turnstone index", what));
}

// Checks that collect the first violation; every later one is ignored.
class Check {
 public:
  void require(bool holds, std::string_view what) {
    if (!holds && violation_.empty()) violation_ = what;
  }
  template <class Range, class Predicate>
  void each(const Range& range, std::string_view what, Predicate holds) {
    bool all = true;
    for (const auto& element : range) all &= holds(element);
    require(all, what);
  }
  // first … of consecutive records never falls and the last one closes the range.
  template <class Record>
  void ranges(std::span<const Record> records, std::uint32_t Record::*first, std::size_t end, std::string_view what) {
    bool rising = !records.empty() && records.front().*first == 0 && records.back().*first == end;
    for (std::size_t i = 1; i < records.size(); ++i) rising &= records[i - 1].*first <= records[i].*first;
    require(rising, what);
  }
  const std::string& violation() const { return violation_; }

 private:
  std::string violation_;
};

class Sections {
 public:
  explicit Sections(std::span<const std::byte> file) : file_(file) {}

  Status open(Fingerprint& fingerprint) {
    format::Header header;
    if (file_.size() < sizeof header) return damaged("shorter than its header");
    std::memcpy(&header, file_.data(), sizeof header);
    if (header.magic_bytes != format::magic) return damaged("no artefact file");
    if (header.format_version != format::version) {
      return fail(ErrorCode::unsupported, fmt::format("the artefact has format {}, this program reads format {}: build it again with turnstone index",
                                                      header.format_version, format::version));
    }
    if (header.sections != format::section_count) return damaged("section count");
    if (header.file_size != file_.size()) return damaged("cut off or grown");
    const std::size_t table_bytes = sizeof(format::SectionEntry) * format::section_count;
    if (file_.size() < sizeof header + table_bytes) return damaged("shorter than its section table");
    std::memcpy(table_.data(), file_.data() + sizeof header, table_bytes);

    std::string covered(reinterpret_cast<const char*>(file_.data()), offsetof(format::Header, fingerprint));
    covered.append(reinterpret_cast<const char*>(table_.data()), table_bytes);
    if (blake2b(covered) != header.fingerprint) return damaged("header checksum");
    fingerprint = Fingerprint{header.fingerprint};
    return check_sections(sizeof header + table_bytes);
  }

  std::string_view bytes(Section section) const {
    const format::SectionEntry& entry = table_[static_cast<std::size_t>(section)];
    return {reinterpret_cast<const char*>(file_.data()) + entry.offset, entry.size};
  }

  template <class T>
  std::span<const T> array(Section section, Check& check) const {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 8);
    const std::string_view raw = bytes(section);
    check.require(raw.size() % sizeof(T) == 0, format::section_name(section));
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }

 private:
  Status check_sections(std::uint64_t end) const {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const auto section = static_cast<Section>(i);
      const format::SectionEntry& entry = table_[i];
      // Sections follow each other with less than 8 zero bytes between them: no byte escapes a digest.
      const std::uint64_t start = (end + 7) / 8 * 8;
      if (entry.offset != start || start > file_.size() || entry.size > file_.size() - start) return damaged(format::section_name(section));
      for (std::uint64_t gap = end; gap < start; ++gap) {
        if (file_[gap] != std::byte{0}) return damaged("padding");
      }
      end = start + entry.size;
    }
    if (end != file_.size()) return damaged("bytes behind the last section");
    return check_digests();
  }

  // On two threads, the larger sections first: each takes the next one that is left.
  Status check_digests() const {
    std::array<std::size_t, format::section_count> order;
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) { return table_[a].size > table_[b].size; });
    std::array<bool, format::section_count> right{};
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < order.size(); i = next++) {
        right[order[i]] = blake2b(bytes(static_cast<Section>(order[i]))) == table_[order[i]].digest;
      }
    };
    if (file_.size() >= second_thread_bytes_min) {
      const std::jthread second(work);
      work();
    } else {
      work();
    }
    const auto wrong = std::find(right.begin(), right.end(), false);
    if (wrong == right.end()) return {};
    return damaged(fmt::format("checksum of section {}", format::section_name(static_cast<Section>(wrong - right.begin()))));
  }

  std::span<const std::byte> file_;
  std::array<format::SectionEntry, format::section_count> table_{};
};

void check_products(const ArtefactView& view, Check& check) {
  const auto inside = [&view](format::Text t) { return t.offset <= view.text.size() && t.size <= view.text.size() - t.offset; };
  check.require(view.products.size() == std::size_t{view.meta.product_count} + 1, "products");
  check.each(view.products, "products: text", [&](const auto& p) { return inside(p.id) && inside(p.title) && inside(p.store); });
  check.each(view.parts, "parts: text", [&](const auto& p) { return inside(p.key) && inside(p.text) && p.field < listing_field_count; });
  check.require(!view.parts.empty(), "parts");
  if (!check.violation().empty()) return;
  check.ranges(view.products, &format::Product::first_part, view.parts.size() - 1, "products: parts");
  check.ranges(view.products, &format::Product::first_term, view.forward.size(), "products: terms");
  check.ranges(view.products, &format::Product::first_value, view.product_values.size(), "products: values");
  check.ranges(view.parts, &format::Part::first_term, view.forward.size(), "parts: terms");
  for (std::size_t i = 1; i + 1 < view.products.size(); ++i) {
    check.require(view.string(view.products[i - 1].id) < view.string(view.products[i].id), "products: order of ids");
  }
  check.each(view.products, "products: popularity", [](const auto& p) { return p.popularity <= 0xFFFF; });
}

void check_terms(const ArtefactView& view, Check& check) {
  const auto inside = [&view](format::Text t) { return t.offset <= view.text.size() && t.size <= view.text.size() - t.offset; };
  check.each(view.terms, "terms: text", [&](const auto& t) { return inside(t.text) && inside(t.surface); });
  check.ranges(view.terms, &format::Term::first_posting, view.postings.size(), "terms: postings");
  if (!check.violation().empty()) return;
  const std::size_t term_count = view.terms.size() - 1;
  check.each(view.forward, "forward", [&](TermId id) { return id.value < term_count; });
  for (std::size_t t = 0; t < term_count; ++t) {
    const std::uint32_t first = view.terms[t].first_posting;
    const std::uint32_t end = view.terms[t + 1].first_posting;
    check.require(end - first == view.terms[t].document_frequency, "terms: document frequency");
    for (std::uint32_t i = first; i < end; ++i) {
      const bool rises = i == first || view.postings[i - 1].product < view.postings[i].product;
      check.require(rises && view.postings[i].product.value < view.meta.product_count, "postings");
    }
  }
}

template <class Record>
void check_table(std::span<const std::uint32_t> table, std::span<const Record> records, std::size_t count, std::string_view what, Check& check) {
  check.require(table.size() == format::table_size(count) && records.size() >= count, what);
  std::size_t used = 0;
  for (const std::uint32_t slot : table) {
    used += slot != format::empty_slot;
    check.require(slot == format::empty_slot || slot < count, what);
  }
  check.require(used == count, what);  // at most half full: a probe always ends
}

void check_facets(const ArtefactView& view, Check& check) {
  const auto inside = [&view](format::Text t) { return t.offset <= view.text.size() && t.size <= view.text.size() - t.offset; };
  check.each(view.values, "values: text", [&](const auto& v) { return inside(v.key) && inside(v.text); });
  check.ranges(view.values, &format::Value::first_product, view.value_products.size(), "values: products");
  check.ranges(view.values, &format::Value::first_price, view.prices.size(), "values: prices");
  if (!check.violation().empty()) return;
  const std::size_t value_count = view.values.size() - 1;
  std::size_t next_value = 0;
  std::size_t next_number = 0;
  for (std::size_t f = 0; f < view.facets.size(); ++f) {
    const format::Facet& facet = view.facets[f];
    check.require(inside(facet.name) && inside(facet.label) && inside(facet.reason) && inside(facet.unit), "facets: text");
    check.require(facet.kind <= 2 && facet.verdict <= 3, "facets: kind");
    check.require(facet.first_value == next_value && facet.value_count <= value_count - next_value, "facets: values");
    check.require(facet.first_number == next_number && facet.number_count <= view.numbers.size() - next_number, "facets: numbers");
    if (!check.violation().empty()) return;
    for (std::size_t v = next_value; v < next_value + facet.value_count; ++v) check.require(view.values[v].facet == f, "values: facet");
    next_value += facet.value_count;
    next_number += facet.number_count;
  }
  check.require(next_value == value_count && next_number == view.numbers.size(), "facets: ranges");
  check.require(view.numbers.size() == view.numbers_by_product.size(), "numbers");
  const auto known = [&view](Ordinal o) { return o.value < view.meta.product_count; };
  check.each(view.value_products, "value_products", known);
  check.each(view.product_values, "product_values", [&](ValueId v) { return v.value < value_count; });
  check.each(view.numbers, "numbers", [&](const auto& row) { return known(row.product); });
  check.each(view.numbers_by_product, "numbers", [&](const auto& row) { return known(row.product); });
  for (std::size_t v = 0; v < value_count; ++v) {
    const format::Value& value = view.values[v];
    check.require(view.values[v + 1].first_product - value.first_product == value.count, "values: count");
    check.require(view.values[v + 1].first_price - value.first_price == value.price_count, "values: prices");
  }
}

void check_vocabulary(const ArtefactView& view, Check& check) {
  const auto inside = [&view](format::Text t) { return t.offset <= view.text.size() && t.size <= view.text.size() - t.offset; };
  const std::size_t value_count = view.values.empty() ? 0 : view.values.size() - 1;
  check.each(view.phrases, "phrases", [&](const auto& p) {
    return inside(p.key) && p.first_sense <= view.senses.size() && p.sense_count <= view.senses.size() - p.first_sense;
  });
  check.each(view.senses, "senses", [&](const Sense& s) { return s.facet.value < view.facets.size() && s.value.value < value_count; });
}

}  // namespace

Result<ArtefactView> ArtefactView::read(std::span<const std::byte> file) {
  ArtefactView view;
  Sections sections(file);
  if (auto opened = sections.open(view.fingerprint); !opened) return tl::unexpected(opened.error());

  Check check;
  view.language = sections.bytes(Section::language);
  view.audit = sections.bytes(Section::audit);
  view.text = sections.bytes(Section::text);
  const auto meta = sections.array<format::Meta>(Section::meta, check);
  check.require(meta.size() == 1, "meta");
  if (meta.size() == 1) view.meta = meta.front();
  view.products = sections.array<format::Product>(Section::products, check);
  view.parts = sections.array<format::Part>(Section::parts, check);
  view.forward = sections.array<TermId>(Section::forward, check);
  view.terms = sections.array<format::Term>(Section::terms, check);
  view.term_table = sections.array<std::uint32_t>(Section::term_table, check);
  view.postings = sections.array<Posting>(Section::postings, check);
  view.facets = sections.array<format::Facet>(Section::facets, check);
  view.values = sections.array<format::Value>(Section::values, check);
  view.value_table = sections.array<std::uint32_t>(Section::value_table, check);
  view.value_products = sections.array<Ordinal>(Section::value_products, check);
  view.product_values = sections.array<ValueId>(Section::product_values, check);
  view.phrases = sections.array<format::Phrase>(Section::phrases, check);
  view.phrase_table = sections.array<std::uint32_t>(Section::phrase_table, check);
  view.senses = sections.array<Sense>(Section::senses, check);
  view.numbers = sections.array<Artefact::NumberRow>(Section::numbers, check);
  view.numbers_by_product = sections.array<Artefact::NumberRow>(Section::numbers_by_product, check);
  view.prices = sections.array<std::int64_t>(Section::prices, check);

  check_products(view, check);
  check_terms(view, check);
  check_facets(view, check);
  check_vocabulary(view, check);
  if (check.violation().empty()) {
    check_table(view.term_table, view.terms, view.terms.size() - 1, "term_table", check);
    check_table(view.value_table, view.values, view.values.size() - 1, "value_table", check);
    check_table(view.phrase_table, view.phrases, view.phrases.size(), "phrase_table", check);
  }
  if (!check.violation().empty()) return damaged(check.violation());
  return view;
}

}  // namespace turnstone
