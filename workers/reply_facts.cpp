#include "workers/reply_facts.h"

#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/gate_reasons.h"
#include "workers/list_order.h"
#include "workers/requirement.h"

namespace turnstone {
namespace {

constexpr std::size_t title_bytes_max = 80;
constexpr std::size_t fact_bytes_max = 300;

std::string label_of(const Facet& facet) { return std::string(facet.label.empty() ? facet.name : facet.label); }

std::string values_text(Ordinal product, const Facet& facet, const Artefact& artefact) {
  std::string text;
  for (const ValueId value : artefact.values_of(product, facet.id)) {
    if (!text.empty()) text += ", ";
    text += artefact.value(value).text;
  }
  return text;
}

std::string facet_fact(Ordinal product, const Facet& facet, const Artefact& artefact) {
  if (facet.kind == FacetKind::number) {
    const auto number = artefact.number_of(product, facet.id);
    return number ? number_text(facet, *number) : "";
  }
  return values_text(product, facet, artefact);
}

// The part of the listing that shares the heaviest words with the question; empty when none does.
std::string part_about(Ordinal product, const std::string& words, const Artefact& artefact) {
  std::vector<TermId> asked;
  std::size_t unknown = 0;
  for (const Token& token : tokenise(words, artefact.language())) {
    const auto term = artefact.term(token.term);
    if (!term) ++unknown;
    if (term && !artefact.is_function_word(*term) && !artefact.language().in_list("meta", token.surface)) asked.push_back(*term);
  }
  std::int64_t best = 0;
  std::string fact;
  for (std::uint32_t p = 0; p < artefact.part_count(product); ++p) {
    const ListingPart part = artefact.part(product, p);
    if (part.field == ListingField::title) continue;
    std::int64_t weight = 0;
    std::size_t words_held = 0;
    for (const TermId term : asked) {
      if (std::find(part.terms.begin(), part.terms.end(), term) == part.terms.end()) continue;
      weight += artefact.idf(term);
      ++words_held;
    }
    // A part that holds one word of many ("number" of "number pad") speaks of something else.
    if (weight <= best || 2 * words_held < asked.size() + unknown) continue;
    best = weight;
    fact = part.key.empty() ? std::string(part.text) : std::string(part.key) + ": " + std::string(part.text);
  }
  return fact;
}

// Whether the product's number is as the question asks; nullopt where it asks for none, or the listing says none.
std::optional<bool> number_is_so(const ProductQuestion& question, const Facet& facet, Ordinal product, const Artefact& artefact) {
  if (!question.value.number) return std::nullopt;
  ConstraintSet asked;
  asked.facet = question.facet;
  asked.op = question.op;
  asked.value = question.value;
  asked.unit = facet.unit;
  const auto number = number_in(artefact, product, question.facet);
  return number ? std::optional(holds(ranges_of(asked), *number)) : std::nullopt;
}

bool has_value(const ProductQuestion& question, const Facet& facet, Ordinal product, const Artefact& artefact) {
  const auto values = artefact.values_of(product, facet.id);
  return std::any_of(question.value.any_of.begin(), question.value.any_of.end(), [&](const std::string& asked) {
    const auto meant = values_meant(facet, asked, artefact);
    return std::any_of(values.begin(), values.end(), [&](ValueId value) { return std::binary_search(meant.begin(), meant.end(), value); });
  });
}

// The column in which the product has the value asked for: that of the question, else another of its kind ("does it contain
// musk?", where there are several columns of notes).
const Facet* column_with(const ProductQuestion& question, const Facet& facet, Ordinal product, const Artefact& artefact) {
  if (question.value.any_of.empty() || question.value.number) return nullptr;
  if (has_value(question, facet, product, artefact)) return &facet;
  for (const Facet& other : artefact.facets()) {
    if (other.kind == facet.kind && other.verdict >= Verdict::filter && has_value(question, other, product, artefact)) return &other;
  }
  return nullptr;
}

std::string verdict(std::optional<bool> so) { return !so ? "" : *so ? "Yes: " : "No: "; }

}  // namespace

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  std::size_t end = bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  const std::size_t space = text.substr(0, end).rfind(' ');
  if (space != std::string_view::npos && space > end / 2) end = space;
  return std::string(text.substr(0, end)) + "…";
}

std::string answer_about(const ProductQuestion& question, const Artefact& artefact) {
  const auto product = artefact.find(question.product.value);
  if (!product) return "That product is not in this catalogue.";
  const std::string title = shortened(artefact.title(*product), title_bytes_max);
  const Facet* facet = question.facet.empty() ? nullptr : artefact.facet(question.facet);
  std::string fact;
  std::optional<bool> so;
  if (facet != nullptr) {
    so = number_is_so(question, *facet, *product, artefact);
    const Facet* with = column_with(question, *facet, *product, artefact);
    if (with != nullptr) facet = with;
    if (!question.value.any_of.empty() && !question.value.number && (with != nullptr || !artefact.values_of(*product, facet->id).empty())) so = with != nullptr;
  }
  if (question.facet == "brand" && !artefact.store(*product).empty()) fact = std::string(artefact.store(*product));
  else if (facet != nullptr) fact = facet_fact(*product, *facet, artefact);
  if (!fact.empty()) {
    if (question.facet == "price") return verdict(so) + title + " costs " + fact + ".";
    return verdict(so) + title + ": " + (facet != nullptr ? label_of(*facet) : question.facet) + " " + shortened(fact, fact_bytes_max) + ".";
  }
  if (facet == nullptr) {
    fact = part_about(*product, question.words, artefact);
    if (!fact.empty()) return title + ": the listing says “" + shortened(fact, fact_bytes_max) + "”.";
  }
  const std::string about = facet != nullptr ? label_of(*facet) : question.facet.empty() ? shortened(question.words, title_bytes_max) : question.facet;
  return "The listing of " + title + " does not say" + (about.empty() ? "." : " (" + about + ").");
}

}  // namespace turnstone
