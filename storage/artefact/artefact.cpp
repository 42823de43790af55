#include "storage/artefact/artefact.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "storage/artefact/artefact_view.h"
#include "storage/artefact/format.h"
#include "storage/artefact/mapped_file.h"

namespace turnstone {

// These are mapped as they stand.
static_assert(sizeof(Posting) == 8 && sizeof(Sense) == 12 && sizeof(Artefact::NumberRow) == 16);
static_assert(std::is_trivially_copyable_v<Posting> && std::is_trivially_copyable_v<Sense> && std::is_trivially_copyable_v<Artefact::NumberRow>);

struct Artefact::Mapped {
  MappedFile file;
  ArtefactView view;
  Language language;
  std::vector<Facet> facets;  // with views into the file
  std::vector<FacetValue> values;
};

namespace {

std::vector<Facet> facet_views(const ArtefactView& view) {
  std::vector<Facet> facets;
  facets.reserve(view.facets.size());
  for (std::uint32_t i = 0; i < view.facets.size(); ++i) {
    const format::Facet& stored = view.facets[i];
    facets.push_back({.id = FacetId{i},
                      .name = view.string(stored.name),
                      .label = view.string(stored.label),
                      .kind = static_cast<FacetKind>(stored.kind),
                      .verdict = static_cast<Verdict>(stored.verdict),
                      .verdict_reason = view.string(stored.reason),
                      .unit = view.string(stored.unit),
                      .filled = stored.filled,
                      .first_value = ValueId{stored.first_value},
                      .value_count = stored.value_count,
                      .entropy = Millibits{stored.entropy}});
  }
  return facets;
}

std::vector<FacetValue> value_views(const ArtefactView& view) {
  std::vector<FacetValue> values;
  values.reserve(view.values.size() - 1);
  for (std::uint32_t i = 0; i + 1 < view.values.size(); ++i) {
    const format::Value& stored = view.values[i];
    values.push_back(
        {.id = ValueId{i}, .facet = FacetId{stored.facet}, .key = view.string(stored.key), .text = view.string(stored.text), .count = stored.count});
  }
  return values;
}

// The record of `key` in an open-addressing table; equal(i) tells whether record i has it.
template <class Equal>
std::optional<std::uint32_t> probe(std::span<const std::uint32_t> table, std::uint64_t hash, Equal equal) {
  const std::uint64_t mask = table.size() - 1;
  for (std::uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const std::uint32_t index = table[slot];
    if (index == format::empty_slot) return std::nullopt;
    if (equal(index)) return index;
  }
}

}  // namespace

Artefact::Artefact() = default;
Artefact::~Artefact() = default;

Result<std::shared_ptr<const Artefact>> Artefact::open(const std::string& directory) {
  auto file = MappedFile::open(directory + "/" + std::string(format::file_name));
  if (!file) {
    Error error = file.error();
    error.detail += " (is this the --out folder of turnstone index?)";
    return tl::unexpected(error);
  }
  auto view = ArtefactView::read(file->bytes());
  if (!view) return tl::unexpected(view.error());
  auto language = Language::parse(view->language);
  if (!language) return fail(ErrorCode::corrupt, "the artefact's language data cannot be read: " + language.error().detail);

  std::shared_ptr<Artefact> artefact(new Artefact);
  auto facets = facet_views(*view);
  auto values = value_views(*view);
  artefact->mapped_.reset(new Mapped{std::move(*file), *view, std::move(*language), std::move(facets), std::move(values)});
  return std::shared_ptr<const Artefact>(std::move(artefact));
}

const Fingerprint& Artefact::fingerprint() const { return mapped_->view.fingerprint; }
const Language& Artefact::language() const { return mapped_->language; }
std::string_view Artefact::audit_json() const { return mapped_->view.audit; }

// --- products -------------------------------------------------------------------------------------------

std::uint32_t Artefact::product_count() const { return mapped_->view.meta.product_count; }
std::string_view Artefact::product_id(Ordinal product) const { return mapped_->view.string(mapped_->view.products[product.value].id); }

std::optional<Ordinal> Artefact::find(std::string_view id) const {
  const ArtefactView& view = mapped_->view;
  const auto products = view.products.first(view.meta.product_count);
  const auto found = std::lower_bound(products.begin(), products.end(), id,
                                      [&view](const format::Product& p, std::string_view wanted) { return view.string(p.id) < wanted; });
  if (found == products.end() || view.string(found->id) != id) return std::nullopt;
  return Ordinal{static_cast<std::uint32_t>(found - products.begin())};
}

std::string_view Artefact::title(Ordinal product) const { return mapped_->view.string(mapped_->view.products[product.value].title); }
std::string_view Artefact::store(Ordinal product) const { return mapped_->view.string(mapped_->view.products[product.value].store); }

std::optional<Number> Artefact::price(Ordinal product) const {
  const std::int64_t stored = mapped_->view.products[product.value].price;
  return stored == format::no_number ? std::nullopt : std::optional(Number{stored});
}

std::optional<Number> Artefact::rating(Ordinal product) const {
  const std::int64_t stored = mapped_->view.products[product.value].rating;
  return stored == format::no_number ? std::nullopt : std::optional(Number{stored});
}

std::optional<std::uint32_t> Artefact::rating_count(Ordinal product) const {
  const std::uint32_t stored = mapped_->view.products[product.value].rating_count;
  return stored == format::no_count ? std::nullopt : std::optional(stored);
}

std::uint32_t Artefact::popularity(Ordinal product) const { return mapped_->view.products[product.value].popularity; }

std::uint32_t Artefact::part_count(Ordinal product) const {
  const auto& products = mapped_->view.products;
  return products[product.value + 1].first_part - products[product.value].first_part;
}

ListingPart Artefact::part(Ordinal product, std::uint32_t index) const {
  const ArtefactView& view = mapped_->view;
  const std::size_t at = std::size_t{view.products[product.value].first_part} + index;
  const format::Part& stored = view.parts[at];
  const std::uint32_t end = view.parts[at + 1].first_term;
  return {.field = static_cast<ListingField>(stored.field),
          .position = stored.position,
          .key = view.string(stored.key),
          .text = view.string(stored.text),
          .terms = view.forward.subspan(stored.first_term, end - stored.first_term)};
}

void Artefact::part_ends(Ordinal product, std::vector<PartEnd>& ends) const {
  const ArtefactView& view = mapped_->view;
  const std::uint32_t first_term = view.products[product.value].first_term;
  ends.clear();
  for (std::uint32_t p = view.products[product.value].first_part; p < view.products[product.value + 1].first_part; ++p) {
    ends.push_back({static_cast<ListingField>(view.parts[p].field), view.parts[p + 1].first_term - first_term});
  }
}

std::span<const TermId> Artefact::terms(Ordinal product) const {
  const ArtefactView& view = mapped_->view;
  const std::uint32_t first = view.products[product.value].first_term;
  return view.forward.subspan(first, view.products[product.value + 1].first_term - first);
}

// --- terms ----------------------------------------------------------------------------------------------

std::uint32_t Artefact::term_count() const { return static_cast<std::uint32_t>(mapped_->view.terms.size() - 1); }

std::optional<TermId> Artefact::term(std::string_view term) const {
  const ArtefactView& view = mapped_->view;
  const auto found = probe(view.term_table, format::hash_key(term), [&](std::uint32_t i) { return view.string(view.terms[i].text) == term; });
  return found ? std::optional(TermId{*found}) : std::nullopt;
}

std::string_view Artefact::term_text(TermId term) const { return mapped_->view.string(mapped_->view.terms[term.value].text); }
std::string_view Artefact::term_surface(TermId term) const { return mapped_->view.string(mapped_->view.terms[term.value].surface); }
std::uint32_t Artefact::document_frequency(TermId term) const { return mapped_->view.terms[term.value].document_frequency; }
std::uint32_t Artefact::idf(TermId term) const { return mapped_->view.terms[term.value].idf; }
bool Artefact::is_function_word(TermId term) const { return (mapped_->view.terms[term.value].flags & 1u) != 0; }

std::span<const Posting> Artefact::postings(TermId term) const {
  const format::Term& stored = mapped_->view.terms[term.value];
  return mapped_->view.postings.subspan(stored.first_posting, stored.document_frequency);
}

std::uint16_t Artefact::impact_max(TermId term) const { return mapped_->view.terms[term.value].impact_max; }

// --- facets ---------------------------------------------------------------------------------------------

std::span<const Facet> Artefact::facets() const { return mapped_->facets; }

const Facet* Artefact::facet(std::string_view name) const {
  // Facets stand in byte order of their names.
  const auto& facets = mapped_->facets;
  const auto found = std::lower_bound(facets.begin(), facets.end(), name, [](const Facet& f, std::string_view wanted) { return f.name < wanted; });
  return found != facets.end() && found->name == name ? &*found : nullptr;
}

const Facet& Artefact::facet(FacetId id) const { return mapped_->facets[id.value]; }
const FacetValue& Artefact::value(ValueId id) const { return mapped_->values[id.value]; }

std::span<const FacetValue> Artefact::values(FacetId id) const {
  const Facet& facet = mapped_->facets[id.value];
  return std::span(mapped_->values).subspan(facet.first_value.value, facet.value_count);
}

std::optional<ValueId> Artefact::find_value(FacetId facet, std::string_view key) const {
  const auto& values = mapped_->values;
  const auto found = probe(mapped_->view.value_table, format::hash_key(key, facet.value),
                           [&](std::uint32_t i) { return values[i].facet == facet && values[i].key == key; });
  return found ? std::optional(ValueId{*found}) : std::nullopt;
}

std::span<const Ordinal> Artefact::products_with(ValueId value) const {
  const format::Value& stored = mapped_->view.values[value.value];
  return mapped_->view.value_products.subspan(stored.first_product, stored.count);
}

std::span<const ValueId> Artefact::values_of(Ordinal product) const {
  const auto& products = mapped_->view.products;
  const std::uint32_t first = products[product.value].first_value;
  return mapped_->view.product_values.subspan(first, products[product.value + 1].first_value - first);
}

std::span<const ValueId> Artefact::values_of(Ordinal product, FacetId id) const {
  const Facet& facet = mapped_->facets[id.value];
  const auto all = values_of(product);
  const auto first = std::lower_bound(all.begin(), all.end(), facet.first_value);
  const auto last = std::lower_bound(first, all.end(), ValueId{facet.first_value.value + facet.value_count});
  return {first, last};
}

std::optional<Number> Artefact::number_of(Ordinal product, FacetId facet) const {
  const format::Facet& stored = mapped_->view.facets[facet.value];
  const auto rows = mapped_->view.numbers_by_product.subspan(stored.first_number, stored.number_count);
  const auto found = std::lower_bound(rows.begin(), rows.end(), product, [](const NumberRow& row, Ordinal wanted) { return row.product < wanted; });
  return found != rows.end() && found->product == product ? std::optional(found->number) : std::nullopt;
}

std::span<const Artefact::NumberRow> Artefact::number_column(FacetId facet) const {
  const format::Facet& stored = mapped_->view.facets[facet.value];
  return mapped_->view.numbers.subspan(stored.first_number, stored.number_count);
}

std::span<const Artefact::NumberRow> Artefact::numbers_by_product(FacetId facet) const {
  const format::Facet& stored = mapped_->view.facets[facet.value];
  return mapped_->view.numbers_by_product.subspan(stored.first_number, stored.number_count);
}

// --- vocabulary -----------------------------------------------------------------------------------------

std::span<const Sense> Artefact::senses(std::string_view term_key) const {
  const ArtefactView& view = mapped_->view;
  const auto found =
      probe(view.phrase_table, format::hash_key(term_key), [&](std::uint32_t i) { return view.string(view.phrases[i].key) == term_key; });
  if (!found) return {};
  return view.senses.subspan(view.phrases[*found].first_sense, view.phrases[*found].sense_count);
}

std::uint32_t Artefact::longest_phrase() const { return mapped_->view.meta.longest_phrase; }
std::uint32_t Artefact::phrase_count() const { return static_cast<std::uint32_t>(mapped_->view.phrases.size()); }
std::string_view Artefact::phrase(std::uint32_t index) const { return mapped_->view.string(mapped_->view.phrases[index].key); }

std::optional<Number> Artefact::price_quantile(ValueId category, Permille p) const {
  const format::Value& stored = mapped_->view.values[category.value];
  if (stored.price_count < price_quantile_count_min) return std::nullopt;
  const std::int64_t clamped = std::clamp(p.value, 0, 1000);
  return Number{mapped_->view.prices[stored.first_price + static_cast<std::size_t>(clamped * (stored.price_count - 1) / 1000)]};
}

}  // namespace turnstone
