// Questions about products shown: what one says ("how much is the second?"), whether it is so ("is the first one silver?"),
// which of several it is ("which of the two is lighter?").
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"
#include "workers/list_order.h"

namespace turnstone {

void Interpreter::read_questions() {
  if (state_.last_shown.empty()) return;
  for (std::size_t first = 0; first < m_.size();) {
    std::size_t last = first + 1;
    while (last < m_.size() && m_.words[last].gap < Gap::semicolon) ++last;
    read_question(first, last);
    first = last;
  }
}

// What the words [first, last) hold that makes a question of them.
Interpreter::Query Interpreter::query_in(std::size_t first, std::size_t last) const {
  Query query;
  for (std::size_t i = first; i < last; ++i) {
    const auto& cue = m_.cues[i];
    if (!cue) continue;
    const bool asks = cue->is(CueKind::ask) && i <= first + 1;
    const bool begins = asks || any_kind(*cue, {CueKind::ask_price, CueKind::ask_maker});
    // "I don't care how much it costs", "no matter what it weighs"
    if (!begins && !query.begun() && any_kind(*cue, {CueKind::waive, CueKind::waive_about, CueKind::waive_any, CueKind::harmless})) return {};
    query.price = query.price || cue->is(CueKind::ask_price);
    query.maker = query.maker || cue->is(CueKind::ask_maker);
    query.asks = query.asks || asks;
  }
  query.points.assign(last - first, false);
  for (std::size_t i = first; i < last; ++i) {
    if (const auto found = place_at(i, query.begun())) {
      add_places(query, *found);
      std::fill_n(query.points.begin() + static_cast<long>(i - first), std::min(found->length, last - i), true);
    }
    query.pronoun = query.pronoun || m_.terms[i] == "it" || m_.terms[i] == "its" || m_.surface(i) == "its";
  }
  return query;
}

void Interpreter::add_places(Query& query, const Place& place) const {
  const auto shown = static_cast<int>(state_.last_shown.size());
  for (int k = 0; k < place.count; ++k) {
    const auto wanted = static_cast<std::uint32_t>(place.first < 0 ? shown : std::max(1, place.first) + k);
    if (std::find(query.places.begin(), query.places.end(), wanted) == query.places.end()) query.places.push_back(wanted);
  }
}

void Interpreter::read_question(std::size_t first, std::size_t last) {
  const Query query = query_in(first, last);
  if (!query.begun()) return;
  if (query.asks && query.places.size() != 1 && ask_which(query, first, last)) return;
  if (query.places.empty() && (!query.pronoun || !heads_.empty())) return;
  const Facet* yes_no = query.asks ? yes_no_asked(first, last, false) : nullptr;
  std::string facet = yes_no != nullptr ? std::string(yes_no->name) : facet_in_question(first, last);
  if (facet.empty() && query.asks && (yes_no = yes_no_asked(first, last, true)) != nullptr) facet = yes_no->name;
  const bool costs = query.price && facet.empty();
  const std::string named = costs ? "price" : query.maker ? "brand" : facet;
  const std::vector<std::uint32_t> places = query.places.empty() ? std::vector<std::uint32_t>{1} : query.places;
  for (const std::uint32_t place : places) {
    Signal& signal = put(SignalKind::ask, m_.span(first, last), Permille{900});
    signal.place = place;
    signal.facet = named;
    if (query.asks && !query.price && !query.maker) ask_whether(signal, query, first, last);
  }
  consume(first, last - first, "question");
}

// "Is it under 5000?", "is the first one silver?": what the answer says yes or no to.
void Interpreter::ask_whether(Signal& signal, const Query& query, std::size_t first, std::size_t last) const {
  std::optional<Operator> bound;
  for (std::size_t i = first; i < last; ++i) {
    if (query.points[i - first]) continue;
    if (i > first + 1 && m_.cues[i] && m_.cues[i]->is(CueKind::negate)) return;  // "is it not black?": the fact alone is said
    if (m_.cues[i] && any_kind(*m_.cues[i], {CueKind::at_most, CueKind::at_least}) && amount_near(i + m_.cues[i]->length))
      bound = m_.cues[i]->is(CueKind::at_most) ? Operator::at_most : Operator::at_least;
    const auto amount = amount_at(i);
    if (!amount) continue;
    Amount asked = *amount;
    const bool price = !amount->currency.empty() || (amount->bare() && bound && signal.facet.empty());
    if (amount->unit != nullptr && amount->currency.empty()) {
      const auto column = column_for(*amount, i, i + amount->length);
      if (!column) return;
      signal.facet = std::string(column->facet->name);
      asked = column->amount;
    } else {
      const Facet* facet = artefact_.facet(price ? "price" : signal.facet);
      if (facet == nullptr || facet->kind != FacetKind::number) return;
      signal.facet = std::string(facet->name);
    }
    signal.value.number = asked.value;
    signal.value.upper = asked.upper;
    if (!asked.others.empty()) {
      signal.value.any_of = {to_string(asked.value)};
      for (const Number other : asked.others) signal.value.any_of.push_back(to_string(other));
    }
    signal.op = asked.upper ? Operator::between : bound.value_or(Operator::is);
    return;
  }
  for (std::size_t i = first; i < last; ++i) {
    if (m_.cues[i] || query.points[i - first]) continue;
    const Sense* sense = choose(phrases_[i], i);
    if (sense == nullptr || artefact_.facet(sense->facet).name != signal.facet) continue;
    signal.value.any_of.emplace_back(artefact_.value(sense->value).text);
  }
}

// "Does it need assembly?" where there is "Assembly required", "is a battery included?": the column that says yes or no to most
// of its name, all of it unless `partly`.
const Facet* Interpreter::yes_no_asked(std::size_t first, std::size_t last, const bool partly) const {
  constexpr std::size_t stem_min = 4;
  const Facet* best = nullptr;
  std::size_t best_share = partly ? 49 : 99;
  for (const Facet& facet : artefact_.facets()) {
    if (facet.kind != FacetKind::yes_no || facet.verdict < Verdict::filter) continue;
    std::size_t held = 0;
    std::size_t all = 0;
    for (const Token& token : tokenise(facet.label.empty() ? facet.name : facet.label, artefact_.language())) {
      ++all;
      held += std::any_of(m_.terms.begin() + static_cast<long>(first), m_.terms.begin() + static_cast<long>(last), [&](const std::string& term) {
        const bool stem = std::min(term.size(), token.term.size()) >= stem_min;  // "include", "included"
        return term == token.term || (stem && (term.starts_with(token.term) || token.term.starts_with(term)));
      });
    }
    if (all == 0 || held * 100 / all <= best_share) continue;
    best = &facet;
    best_share = held * 100 / all;
  }
  return best;
}

// The number that several products are compared by, and which end of it is asked for.
std::optional<Interpreter::Measure> Interpreter::compared_by(std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    if (const auto& match = m_.relatives[i]) {
      const std::string facet = relative_facet(match->cue->facets);
      if (!facet.empty()) return Measure{facet, match->cue->up, match->utmost};
    }
    const bool up = cues_.is(SpeechPart::rising, m_.terms[i]) || cues_.part(SpeechPart::topmost, m_.terms, i) > 0;
    const bool down = cues_.is(SpeechPart::falling, m_.terms[i]) || cues_.part(SpeechPart::undermost, m_.terms, i) > 0;
    if (!up && !down) continue;
    const Facet* facet = number_column_at(i + 1);
    if (facet != nullptr) return Measure{std::string(facet->name), up, cues_.is(SpeechPart::topmost, m_.terms[i]) || cues_.is(SpeechPart::undermost, m_.terms[i])};
  }
  return std::nullopt;
}

// "Which one is the cheapest?", "which of the first two is lighter?", "is the first cheaper than the second?": the one that
// it is, and beside it those that it was compared with by name.
bool Interpreter::ask_which(const Query& query, std::size_t first, std::size_t last) {
  bool of_shown = m_.terms[first] == "which" || query.places.size() > 1;
  for (std::size_t i = first + 1; i < last; ++i) {
    of_shown = of_shown || (m_.terms[i - 1] == "of" && (m_.terms[i] == "these" || m_.terms[i] == "those" || m_.terms[i] == "them"));
  }
  // "The cheapest you have" is one of all.
  const bool of_all = std::any_of(m_.terms.begin() + static_cast<long>(first + 1), m_.terms.begin() + static_cast<long>(last),
                                  [&](const std::string& term) { return cues_.is(SpeechPart::asked_back, term); });
  if (!of_shown || of_all || !heads_.empty()) return false;
  const auto measure = compared_by(first, last);
  if (!measure || (!measure->utmost && query.places.empty() && m_.terms[first] != "which")) return false;
  std::vector<std::uint32_t> places = query.places;
  for (std::uint32_t k = 1; query.places.empty() && k <= state_.last_shown.size(); ++k) places.push_back(k);
  std::vector<std::pair<Number, std::uint32_t>> compared;
  for (const std::uint32_t place : places) {
    if (place == 0 || place > state_.last_shown.size()) continue;
    const auto product = artefact_.find(state_.last_shown[place - 1].id.value);
    if (const auto number = product ? number_in(artefact_, *product, measure->facet) : std::nullopt) compared.emplace_back(*number, place);
  }
  if (compared.empty()) return false;
  const auto before = [&](const auto& a, const auto& b) { return measure->up ? b.first < a.first : a.first < b.first; };
  std::stable_sort(compared.begin(), compared.end(), before);
  if (query.places.empty()) compared.resize(1);
  for (const auto& [number, place] : compared) {
    Signal& signal = put(SignalKind::ask, m_.span(first, last), Permille{900});
    signal.place = place;
    signal.facet = measure->facet;
  }
  consume(first, last - first, "question");
  return true;
}

}  // namespace turnstone
