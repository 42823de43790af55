// A column's name said together with its value: "120 for the size", "a capacity of 240", "form factor: ATX, Micro ATX",
// "SATA 6.0 Gb/s (interface)".
//
// Found before anything else is read, because only the name tells that "ATX, Micro ATX" are board sizes here and case
// sizes there, or that 6800 is a speed and no price. Words of saying ("of", "as", a colon) bind closer than mere
// neighbourhood; each word belongs to one pair.
#include <algorithm>
#include <utility>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

constexpr std::size_t pair_value_words_max = 12;
constexpr std::size_t pair_values_max = 12;  // of one name

}  // namespace

void Interpreter::find_pairs() {
  pair_at_.assign(m_.size(), 0);
  struct Named {
    std::size_t first = 0;
    std::size_t end = 0;
    const Facet* facet = nullptr;
  };
  std::vector<Named> names;
  named_.assign(m_.size(), false);
  read_as_name_.assign(m_.size(), false);
  for (std::size_t i = 0; i < m_.size();) {
    const ColumnName match = name_at(i);
    for (const Facet* facet : match.columns) {
      const bool usable = facet->name != "price" && facet->name != "category" && facet->name != "rating" &&
                          (facet->kind == FacetKind::number || (facet->kind == FacetKind::words && facet->verdict >= Verdict::filter));
      if (!usable) continue;
      names.push_back({i, i + match.length, facet});
      std::fill_n(named_.begin() + static_cast<long>(i), match.length, true);
    }
    i += std::max<std::size_t>(1, match.length);
  }
  for (const Named& name : names) pair_said_before(*name.facet, name.first, name.end, true);
  for (const Named& name : names) pair_said_behind(*name.facet, name.first, name.end, true);
  for (const Named& name : names) pair_said_behind(*name.facet, name.first, name.end, false);
  for (const Named& name : names) pair_said_before(*name.facet, name.first, name.end, false);
}

// The name of a column at word i; a plain word ("type") counts, too, for a value of it must stand beside it. Other words
// for a longer name count before a shorter name as it is.
Interpreter::ColumnName Interpreter::name_at(std::size_t i) const {
  NameMatch best = m_.facet_names[i];
  std::string key;
  for (std::size_t n = 0; n < lexicon_.longest_facet_name() && i + n < m_.size(); ++n) {
    if (n > 0 && m_.words[i + n].gap > Gap::hyphen) break;
    key += (n > 0 ? " " : "") + m_.terms[i + n];
    if (n + 1 <= best.length) continue;
    if (auto facet = lexicon_.facet_named(key, true)) best = {static_cast<std::uint32_t>(n + 1), std::move(*facet)};
  }
  ColumnName other = name_in_other_words(i);
  if (other.length > best.length) return other;
  ColumnName name;
  name.length = best.length;
  if (const Facet* facet = best.length == 0 ? nullptr : artefact_.facet(best.name)) name.columns.push_back(facet);
  return name;
}

bool Interpreter::pair_free(std::size_t first, std::size_t end) const {
  for (std::size_t i = first; i < end; ++i) {
    if (pair_at_[i] != 0) return false;
  }
  return true;
}

void Interpreter::put_pair(Pair pair) {
  if (!pair_free(pair.first, pair.end)) return;
  pairs_.push_back(pair);
  std::fill(pair_at_.begin() + static_cast<long>(pair.first), pair_at_.begin() + static_cast<long>(pair.end),
            static_cast<std::uint32_t>(pairs_.size()));
}

// The longest value of the column that begins at word i; a number for a column of numbers.
std::optional<Interpreter::Pair> Interpreter::pair_value_at(const Facet& facet, std::size_t i) const {
  if (i >= m_.size() || pair_at_[i] != 0 || named_[i]) return std::nullopt;
  if (facet.kind == FacetKind::number) {
    if (!m_.words[i].number || !m_.words[i].currency.empty()) return std::nullopt;
    const auto amount = amount_at(i);
    if (!amount || !pair_free(i, i + amount->length)) return std::nullopt;
    // "speed 5600 gb 48": the unit begins the next pair.
    const std::size_t unit = i + 1;
    const bool unit_of_next = amount->unit != nullptr && amount->length == 2 && m_.words[unit].gap == Gap::space && unit + 1 < m_.size() &&
                              m_.words[unit + 1].number && m_.words[unit + 1].gap == Gap::space;
    if (unit_of_next) {
      Amount bare;
      bare.value = amount->value;
      bare.length = 1;
      return Pair{i, unit, facet.id, std::nullopt, bare, i, unit};
    }
    if (!amount->bare()) return std::nullopt;
    return Pair{i, i + amount->length, facet.id, std::nullopt, amount, i, i + amount->length};
  }
  std::optional<Pair> best;
  std::string key;
  for (std::size_t k = i; k < std::min(m_.size(), i + pair_value_words_max) && pair_at_[k] == 0; ++k) {
    if (k > i && m_.words[k].gap >= Gap::semicolon) break;
    key += (k > i ? " " : "") + m_.terms[k];
    if (k == i && m_.words[k].function) continue;
    if (const auto value = artefact_.find_value(facet.id, key)) best = Pair{i, k + 1, facet.id, value, std::nullopt, i, k + 1};
  }
  return best;
}

// The longest value that ends right before word `end`.
std::optional<Interpreter::Pair> Interpreter::pair_value_before(const Facet& facet, std::size_t end) const {
  std::optional<Pair> best;
  for (std::size_t first = end; first > 0 && end - first < pair_value_words_max;) {
    --first;
    if (pair_at_[first] != 0 || named_[first]) break;
    if (const auto value = pair_value_at(facet, first); value && value->end >= end) {
      if (value->end == end) best = value;
      if (facet.kind == FacetKind::number) break;
    }
    if (m_.words[first].gap >= Gap::semicolon) break;
  }
  return best;
}

// "NAME of VALUE", "NAME: VALUE, VALUE"; "NAME VALUE" when it need not be said.
void Interpreter::pair_said_behind(const Facet& facet, std::size_t first, std::size_t end, bool said) {
  if (end >= m_.size() || !pair_free(first, end)) return;
  std::size_t at = end;
  if (said) {
    const bool word = m_.words[at].gap <= Gap::space && cues_.part(SpeechPart::names_value, m_.terms, at) > 0;
    if (word) at += cues_.part(SpeechPart::names_value, m_.terms, at);
    if (!word && m_.words[at].gap != Gap::colon) return;
  } else if (m_.words[at].gap > Gap::space) {
    return;
  }
  auto value = pair_value_at(facet, at);
  if (!value || (!said && facet.kind == FacetKind::number && value->amount->length > 1)) return;
  std::size_t last = value->end;
  value->first = first;
  put_pair(*value);
  // The list goes on with values of the column.
  for (std::size_t n = 1; facet.kind == FacetKind::words && n < pair_values_max && last < m_.size(); ++n) {
    std::size_t next = last;
    if (m_.words[next].gap == Gap::space && cues_.is(SpeechPart::joining, m_.terms[next])) ++next;
    if (next >= m_.size() || m_.words[next].gap > Gap::comma || (next == last && m_.words[next].gap <= Gap::space)) return;
    const auto more = pair_value_at(facet, next);
    if (!more) return;
    put_pair(*more);
    last = more->end;
  }
}

// "VALUE as the NAME", "VALUE, VALUE for the NAME", "VALUE (NAME)"; "VALUE NAME" when it need not be said.
void Interpreter::pair_said_before(const Facet& facet, std::size_t first, std::size_t end, bool said) {
  if (first == 0 || !pair_free(first, end)) return;
  std::size_t at = first;  // behind the value
  const std::string_view between = m_.text.substr(m_.words[first - 1].span.end, m_.words[first].span.begin - m_.words[first - 1].span.end);
  const bool bracket = m_.words[first].gap == Gap::comma && between.find('(') != std::string_view::npos;
  if (said && !bracket) {
    const std::size_t from = first - std::min<std::size_t>(first, 3);
    for (std::size_t k = from; k < first && at == first; ++k) {
      if (k > 0 && m_.words[k].gap <= Gap::space && k + cues_.part(SpeechPart::names_facet, m_.terms, k) == first) at = k;
    }
    if (at == first || m_.words[first].gap > Gap::space) return;
  }
  if (!said && m_.words[first].gap > Gap::hyphen) return;
  auto value = pair_value_before(facet, at);
  if (!value || (!said && facet.kind == FacetKind::number)) return;
  if (!said && stands_intact(m_, value->first, end, artefact_)) return;  // "zipper closure" is a fact of its own
  std::vector<Pair> values{*value};
  values.front().end = end;
  while (said && facet.kind == FacetKind::words && values.size() < pair_values_max) {
    const std::size_t here = values.back().first;
    std::size_t before = here;
    if (before > 1 && m_.words[before].gap == Gap::space && cues_.is(SpeechPart::joining, m_.terms[before - 1])) --before;
    if (before == 0 || m_.words[here].gap > Gap::comma || (before == here && m_.words[here].gap <= Gap::space)) break;
    const auto more = pair_value_before(facet, before);
    if (!more || (more->first > 0 && (named_[more->first - 1] || m_.words[more->first].gap == Gap::colon))) break;
    values.push_back(*more);
  }
  for (auto pair = values.rbegin(); pair != values.rend(); ++pair) put_pair(*pair);
}

bool Interpreter::is_filled(FacetId facet) const {
  return category_ && lexicon_.filled(*category_, facet) * 20 >= artefact_.value(*category_).count;
}

// "width 295" where the column is "dimensions mm width"; "quantity 2" where these products have "modules quantity" alone.
void Interpreter::find_part_names() {
  constexpr std::size_t part_words_max = 4;
  if (!category_ || category_facet_ == nullptr) return;
  find_shortened_names();
  for (Pair& pair : pairs_) {
    if (!pair.amount || is_filled(pair.facet)) continue;
    std::string key(artefact_.facet(pair.facet).label);
    std::replace(key.begin(), key.end(), '_', ' ');
    auto facet = holding(lexicon_.named_in_part(term_key(key, artefact_.language())), pair.amount->value);
    if (!facet) {  // another column that says the same
      key.clear();
      for (const std::string& word : lexicon_.concepts_of(pair.facet)) key += (key.empty() ? "" : " ") + word;
      facet = holding(lexicon_.named_alike(key), pair.amount->value);
    }
    if (facet) pair.facet = *facet;
  }
  for (std::size_t i = 0; i < m_.size(); ++i) {
    if (pair_at_[i] != 0 || (m_.words[i].function && !m_.words[i].counts)) continue;
    std::string key;
    std::optional<Pair> best;
    for (std::size_t n = 0; n < part_words_max && i + n + 1 < m_.size() && pair_at_[i + n] == 0; ++n) {
      if (n > 0 && m_.words[i + n].gap > Gap::hyphen) break;
      key += (n > 0 ? " " : "") + m_.terms[i + n];
      const auto& columns = lexicon_.named_in_part(key);
      std::size_t value = i + n + 1;
      if (columns.empty() || m_.words[value].gap > Gap::colon) continue;
      if (m_.words[value].gap <= Gap::space) value += cues_.part(SpeechPart::names_value, m_.terms, value);
      auto pair = pair_value_at(artefact_.facet(columns.front()), value);
      const auto facet = pair ? holding(columns, pair->amount->value) : std::nullopt;
      if (!facet) continue;
      pair->facet = *facet;
      pair->first = i;
      best = *pair;
    }
    if (best) put_pair(*best);
  }
}

bool Interpreter::read_pair() {
  if (pair_at_[at_] == 0) return false;
  const Pair& pair = pairs_[pair_at_[at_] - 1];
  if (pair.first != at_) return false;
  for (std::size_t i = pair.first; i < pair.end; ++i) {
    if (used(i)) return false;
  }
  const Facet& facet = artefact_.facet(pair.facet);
  const std::string name(facet.name);
  const std::size_t first = at_;
  at_ = pair.end;
  consume(first, pair.end - first, "names " + name);
  if (pair.value_first > first) {
    c_.facet = name;
    c_.facet_at = first;
    take_label_front(first);
    c_.facet.reset();
  }
  if (pair.value) {
    const std::size_t before = reading_.signals.size();
    put_word(name, {std::string(artefact_.value(*pair.value).text)}, pair.value_first, pair.value_end - pair.value_first, Permille{950});
    if (reading_.signals.size() > before) reading_.signals.back().said = m_.said(m_.span(first, pair.end));  // the name counts as evidence
    return true;
  }
  const TextSpan span = m_.span(pair.value_first, pair.value_end);
  consume(pair.value_first, pair.value_end - pair.value_first, name);
  if (c_.polarity == Polarity::neither) return true;
  if (c_.dropping || c_.waiving) {
    take_word_away(name, "", span);
    return true;
  }
  amount_first_ = pair.value_first;
  amount_end_ = pair.value_end;
  put_column_number(facet, *pair.amount, span);
  reading_.signals.back().said = m_.said(m_.span(first, pair.end));
  ++c_.polarity_items;
  c_.compare.reset();
  return true;
}

}  // namespace turnstone
