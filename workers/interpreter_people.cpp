// Whom it is for, and sizes in words and letters.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::uint32_t department_values_max = 8;

}  // namespace

// --- whom it is for ---

// The department's values of this catalogue for a family of the language data ("boys" → Boys, Kids).
std::vector<std::string> Interpreter::department_values(const std::string& family) const {
  std::vector<std::string> values;
  const Facet* facet = artefact_.facet("department");
  if (facet == nullptr || facet->kind != FacetKind::words) return values;
  const auto take = [&](std::string_view wanted) {
    for (const FacetValue& value : artefact_.values(facet->id)) {
      if (values.size() == department_values_max) return;
      const auto own = lexicon_.family("department", value.key);
      if (own && *own == wanted && std::find(values.begin(), values.end(), value.text) == values.end()) values.emplace_back(value.text);
    }
  };
  take(family);
  if (family == "boys" || family == "girls" || family == "baby") take("kids");
  if (family == "kids") {
    take("boys");
    take("girls");
  }
  return values;
}

bool Interpreter::put_department(const std::string& family, std::size_t first, std::size_t length) {
  std::vector<std::string> values = department_values(family);
  if (values.empty()) return false;
  put_word("department", std::move(values), first, length, Permille{900});
  return true;
}

bool Interpreter::read_person() {
  const FamilyMatch match = family_at(m_, at_, "recipient", lexicon_, 3);
  if (match.length == 0 || phrases_[at_].length > match.length) return false;
  bool meant = age_said_;
  const std::size_t from = at_ >= 3 ? at_ - 3 : 0;
  for (std::size_t i = from; i < at_ && !meant; ++i) {
    if (m_.words[i].gap >= Gap::semicolon && i > from) meant = false;
    const bool owner = cues_.is(SpeechPart::owner, m_.terms[i]);
    meant = owner || cues_.is(SpeechPart::for_somebody, m_.terms[i]) || (m_.cues[i] && m_.cues[i]->is(CueKind::for_whom) && m_.cues[i]->length > 1);
  }
  if (!meant) return false;
  Signal& signal = put(SignalKind::recipient, m_.span(at_, at_ + match.length), Permille{900});
  signal.recipient = match.key;
  signal.department = match.family == "any" ? "" : match.family;
  const TextSpan span = signal.span;
  if (!signal.department.empty()) {
    std::vector<std::string> values = department_values(signal.department);
    if (!values.empty()) {
      Signal& wish = put(SignalKind::wish, span, Permille{850});
      wish.facet = "department";
      wish.value.any_of = std::move(values);
    }
  }
  consume(at_, match.length, "for whom");
  at_ += match.length;
  return true;
}

bool Interpreter::read_department() {
  const FamilyMatch match = family_at(m_, at_, "department", lexicon_, 3);
  if (match.length == 0 || phrases_[at_].length > match.length) return false;
  const std::size_t first = at_;
  const bool for_whom = age_said_ || (first > 0 && m_.terms[first - 1] == "for") || (first > 1 && m_.terms[first - 2] == "for");
  if (!put_department(match.family, first, match.length)) {
    if (!for_whom) return false;
    Signal& signal = put(SignalKind::recipient, m_.span(first, first + match.length), Permille{800});
    signal.recipient = m_.said(signal.span);
    signal.department = match.family;
    consume(first, match.length, "for whom");
  } else if (age_said_) {
    Signal& signal = put(SignalKind::recipient, m_.span(first, first + match.length), Permille{800});
    signal.recipient = m_.said(signal.span);
    signal.department = match.family;
  }
  at_ = first + match.length;
  return true;
}

// --- sizes in words and letters ---

// The column that holds this size: "size", else one that is called a size of something ("bed size").
const Facet* Interpreter::size_column(const FamilyMatch& match) const {
  const auto holds = [&](const Facet& facet) {
    return facet.kind == FacetKind::words && facet.verdict >= Verdict::filter &&
           (artefact_.find_value(facet.id, match.key) || artefact_.find_value(facet.id, term_key(match.family, artefact_.language())));
  };
  const Facet* size = artefact_.facet("size");
  if (size != nullptr && (size->kind == FacetKind::number || holds(*size))) return size;
  const std::string said = lexicon_.concept_of("size");  // the facet's own name, or what stands for it in other columns
  for (const Facet& facet : artefact_.facets()) {
    const auto& name = lexicon_.concepts_of(facet.id);
    if (name.size() > 1 && name.back() == said && holds(facet)) return &facet;
  }
  return size;
}

bool Interpreter::read_size() {
  const FamilyMatch match = family_at(m_, at_, "size", lexicon_, 4);
  if (match.length == 0 || phrases_[at_].length > match.length) return false;
  const std::size_t end = at_ + match.length;
  const bool ends = end >= m_.size() || m_.words[end].gap >= Gap::comma || m_.terms[end] == "please" ||
                    (m_.cues[end] && (m_.cues[end]->is(CueKind::accept) || m_.cues[end]->is(CueKind::either_or)));
  const bool asked_size = asked_about("size");
  const bool size_follows = end < m_.size() && m_.cues[end] && m_.cues[end]->is(CueKind::size) && m_.words[end].gap <= Gap::hyphen;
  const bool plain = match.length == 1 && match.key.size() != 2 && match.key.find("xl") == std::string::npos;
  const Facet* facet = size_column(match);
  const bool counted = facet != nullptr && facet->kind == FacetKind::number;
  if (plain || counted) {
    const bool article = at_ > 0 && cues_.is(SpeechPart::before_size, m_.terms[at_ - 1]) && m_.words[at_].gap == Gap::space;
    const bool alone = only_small_words(0, at_) && only_small_words(end, m_.size()) && (match.key.size() > 1 || m_.size() <= 2);
    // "A king mattress": most mattresses say their size.
    const bool sized = facet != nullptr && !counted && category_ && lexicon_.filled(*category_, facet->id) * 2 >= artefact_.value(*category_).count &&
                       artefact_.find_value(facet->id, match.key);
    const bool context = sized || c_.size || asked_size || size_follows || (article && ends && !counted) || (alone && !counted && m_.size() <= 4);
    if (!context) return false;
  }
  std::string value = match.family;
  if (value.find(' ') == std::string::npos && value.size() <= 6 && value.find_first_not_of("xsml") == std::string::npos) {
    for (char& c : value) c = static_cast<char>(c - 32);
  }
  const std::size_t length = match.length + (size_follows ? m_.cues[end]->length : 0);
  // The catalogue's own word for it, whichever of the family that is.
  if (facet != nullptr && facet->kind == FacetKind::words) {
    auto known = artefact_.find_value(facet->id, match.key);
    if (!known) known = artefact_.find_value(facet->id, term_key(match.family, artefact_.language()));
    if (known) value = std::string(artefact_.value(*known).text);
  }
  put_word(facet == nullptr ? "size" : std::string(facet->name), {std::move(value)}, at_, length, Permille{900});
  at_ += length;
  return true;
}

}  // namespace turnstone
