// The column audit as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "storage/artefact/tokeniser.h"
#include "storage/catalogue/column_audit.h"

namespace turnstone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t examples_max = 5;
constexpr std::size_t example_bytes_max = 60;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ignore:
      return "ignore";
    case Verdict::search_only:
      return "search_only";
    case Verdict::filter:
      return "filter";
    case Verdict::ask:
      return "ask";
  }
  return "ignore";
}

std::string_view name_of(FacetKind kind) {
  switch (kind) {
    case FacetKind::words:
      return "words";
    case FacetKind::number:
      return "number";
    case FacetKind::yes_no:
      return "yes_no";
  }
  return "words";
}

int permille(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : static_cast<int>(part * 1000 / whole); }

std::string shortened(std::string_view text) {
  if (text.size() <= example_bytes_max) return std::string(text);
  std::size_t end = example_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

Json field_fill(const Corpus& corpus) {
  struct Field {
    std::string_view name;
    bool (*has)(const ProductRow&);
  };
  static constexpr Field fields[] = {
      {"title", [](const ProductRow& r) { return !r.title.empty(); }},
      {"categories", [](const ProductRow& r) { return !r.categories.empty(); }},
      {"features", [](const ProductRow& r) { return !r.features.empty(); }},
      {"description", [](const ProductRow& r) { return !r.description.empty(); }},
      {"details", [](const ProductRow& r) { return !r.details.empty(); }},
      {"store", [](const ProductRow& r) { return !r.store.empty(); }},
      {"price", [](const ProductRow& r) { return r.price.has_value(); }},
      {"average_rating", [](const ProductRow& r) { return r.average_rating.has_value(); }},
      {"rating_number", [](const ProductRow& r) { return r.rating_number.has_value(); }},
  };
  Json document;
  for (const Field& field : fields) {
    std::uint64_t filled = 0;
    for (std::uint32_t product = 0; product < corpus.size(); ++product) filled += field.has(corpus.row(product));
    document[std::string(field.name)] = permille(filled, corpus.size());
  }
  return document;
}

// Products whose store and brand columns name different makers.
Json brand_disagreement(const Corpus& corpus) {
  std::uint64_t compared = 0;
  std::uint64_t differing = 0;
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    std::vector<std::string> keys;
    const ProductRow& row = corpus.row(product);
    if (!row.store.empty()) keys.push_back(term_key(row.store, corpus.language()));
    for (const auto& [name, value] : row.details) {
      if (corpus.language().facet_of_column(name) == "brand") keys.push_back(term_key(value, corpus.language()));
    }
    if (keys.size() < 2) continue;
    ++compared;
    differing += std::any_of(keys.begin(), keys.end(), [&keys](const std::string& key) { return key != keys.front(); });
  }
  return {{"compared", compared}, {"differing", differing}, {"permille", permille(differing, compared)}};
}

Json column_document(const Column& column, const Corpus& corpus) {
  std::unordered_set<std::string_view> keys;
  std::vector<const DistinctValue*> by_count;
  for (const DistinctValue& value : column.distinct) {
    if (value.cell.shape == CellShape::missing) continue;
    keys.insert(value.cell.key);
    by_count.push_back(&value);
  }
  std::sort(by_count.begin(), by_count.end(),
            [](const auto* a, const auto* b) { return a->count != b->count ? a->count > b->count : a->text < b->text; });
  const auto once = std::count_if(by_count.begin(), by_count.end(), [](const auto* v) { return v->count == 1; });
  Json examples = Json::array();
  for (std::size_t i = 0; i < std::min(examples_max, by_count.size()); ++i) {
    examples.push_back({{"value", shortened(by_count[i]->text)}, {"count", by_count[i]->count}});
  }
  Json document{{"column", column.name},
                {"facet", column.facet},
                {"verdict", name_of(column.verdict)},
                {"reason", column.reason},
                {"kind", name_of(column.kind)},
                {"filled", column.filled},
                {"filled_permille", permille(column.filled, corpus.size())},
                {"distinct", keys.size()},
                {"once_permille", permille(static_cast<std::uint64_t>(once), column.filled)},
                {"entropy_millibits", column.entropy},
                {"numbers", column.numbers}};
  if (!column.unit.empty()) document["unit"] = column.unit;
  Json units = Json::object();
  for (const auto& [unit, count] : column.units) {
    if (!unit.empty()) units[unit] = count;
  }
  if (!units.empty()) document["units_found"] = std::move(units);
  document["examples"] = std::move(examples);
  return document;
}

}  // namespace

std::string audit_document(const Corpus& corpus, const std::vector<Column>& columns) {
  std::vector<const Column*> sorted;
  for (const Column& column : columns) sorted.push_back(&column);
  std::sort(sorted.begin(), sorted.end(),
            [](const Column* a, const Column* b) { return a->filled != b->filled ? a->filled > b->filled : a->folded < b->folded; });
  Json document{{"rows", corpus.size()}, {"fields_permille", field_fill(corpus)}, {"brand_disagreement", brand_disagreement(corpus)}};
  document["columns"] = Json::array();
  for (const Column* column : sorted) document["columns"].push_back(column_document(*column, corpus));
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace turnstone
