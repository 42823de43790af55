// Wishes that are relative to what was shown, and references to it.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/list_order.h"
#include "workers/revision.h"

namespace turnstone {

std::optional<Ordinal> Reviser::shown_at(std::uint32_t place) const {
  if (place == 0 || place > before_.last_shown.size()) return std::nullopt;
  return artefact_.find(before_.last_shown[place - 1].id.value);
}

std::optional<ValueId> Reviser::category_at_hand() const {
  const Facet* facet = artefact_.facet("category");
  if (facet == nullptr) return std::nullopt;
  for (const Constraint& constraint : now_.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is || constraint.set.value.any_of.empty()) continue;
    return artefact_.find_value(facet->id, key(constraint.set.value.any_of.front()));
  }
  return std::nullopt;
}

std::optional<Number> Reviser::number_of(Ordinal product, const std::string& facet) const {
  return number_in(artefact_, product, facet);
}

// What a share of the products of the kind at hand stays below: of prices as the index counted them, of a column by its rows.
std::optional<Number> Reviser::quantile(const std::string& facet, Permille share) const {
  constexpr std::size_t numbers_min = 8;
  const auto category = category_at_hand();
  if (facet == "price") return category ? artefact_.price_quantile(*category, share) : std::nullopt;
  const Facet* column = artefact_.facet(facet);
  if (column == nullptr || column->kind != FacetKind::number) return std::nullopt;
  std::vector<Number> numbers;
  for (const Artefact::NumberRow& row : artefact_.number_column(column->id)) {  // ascending
    const auto with = category ? artefact_.products_with(*category) : std::span<const Ordinal>();
    if (!category || std::binary_search(with.begin(), with.end(), row.product)) numbers.push_back(row.number);
  }
  if (numbers.size() < numbers_min) return std::nullopt;
  return numbers[(numbers.size() - 1) * static_cast<std::size_t>(share.value) / 1000];
}

// The facet's numbers of the product pointed at, else of the list shown last; ascending.
std::vector<Number> Reviser::shown_numbers(const std::string& facet, std::uint32_t place) const {
  std::vector<Number> numbers;
  for (std::uint32_t i = 1; i <= before_.last_shown.size(); ++i) {
    if (place != 0 && i != place) continue;
    const auto product = shown_at(i);
    const auto number = product ? number_of(*product, facet) : std::nullopt;
    if (number) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The nearest number beyond `from` that the catalogue has.
std::optional<Number> Reviser::step_from(const std::string& facet, Number from, bool up) const {
  const Facet* column = artefact_.facet(facet);
  if (column == nullptr) {
    const Number cent{number_scale / 100};
    return up ? Number{from.value + cent.value} : Number{from.value - cent.value};
  }
  const auto rows = artefact_.number_column(column->id);
  if (up) {
    const auto at = std::upper_bound(rows.begin(), rows.end(), from, [](Number x, const Artefact::NumberRow& row) { return x < row.number; });
    return at == rows.end() ? std::nullopt : std::optional(at->number);
  }
  const auto at = std::lower_bound(rows.begin(), rows.end(), from, [](const Artefact::NumberRow& row, Number x) { return row.number < x; });
  return at == rows.begin() ? std::nullopt : std::optional((at - 1)->number);
}

// A relative wish goes beyond the bound that holds already: after "under 900" what is cheaper is under 900, too.
bool Reviser::tighten(Signal& wish, bool up) {
  for (const Constraint& constraint : now_.active) {
    const ConstraintSet& set = constraint.set;
    if (set.facet != wish.facet || !set.value.number) continue;
    std::optional<Number> bound;
    if (up && (set.op == Operator::at_least || set.op == Operator::between)) bound = set.value.number;
    if (!up && set.op == Operator::at_most) bound = set.value.number;
    if (!up && set.op == Operator::between) bound = set.value.upper;
    if (!bound || (up ? *wish.value.number > *bound : *wish.value.number < *bound)) continue;
    const auto number = step_from(wish.facet, *bound, up);
    if (!number) {
      revision_.guidance.notices.push_back("Nothing in the catalogue goes further than what you asked for.");
      return false;
    }
    wish.value.number = number;
  }
  return true;
}

void Reviser::move(const Signal& signal) {
  if (signal.facet.empty() || (signal.utmost && !is_said(artefact_, signal.facet))) {
    revision_.guidance.notices.push_back("The catalogue does not tell what would be \"" + signal.said + "\".");
    return;
  }
  if (signal.utmost) {
    revision_.guidance.order = ListOrder{signal.facet, signal.up};
    return;
  }
  // "Too expensive, under 80": the number says how much cheaper.
  const bool said_in_figures = std::any_of(reading_.signals.begin(), reading_.signals.end(), [&](const Signal& other) {
    return other.kind == SignalKind::wish && other.facet == signal.facet && other.value.number && other.op != Operator::is_not;
  });
  if (said_in_figures) return;
  std::uint32_t place = 0;
  for (const Signal& other : reading_.signals) {
    if (other.kind == SignalKind::refer) place = other.place;
  }
  std::vector<Number> numbers = shown_numbers(signal.facet, place);
  if (numbers.empty()) {
    for (const Constraint& constraint : now_.active) {
      if (constraint.set.facet == signal.facet && constraint.set.value.number) numbers.push_back(*constraint.set.value.number);
    }
  }
  Signal wish = signal;
  wish.kind = SignalKind::wish;
  wish.op = signal.up ? Operator::at_least : Operator::at_most;
  const Facet* column = artefact_.facet(signal.facet);
  if (column != nullptr) wish.unit = column->unit;
  for (const Constraint& constraint : now_.active) {
    if (constraint.set.facet == signal.facet && !constraint.set.unit.empty()) wish.unit = constraint.set.unit;
  }
  if (!numbers.empty()) {
    const auto number = step_from(signal.facet, numbers[(numbers.size() - 1) / 2], signal.up);
    if (!number) {
      revision_.guidance.notices.push_back("Nothing in the catalogue goes further than what you have seen.");
      return;
    }
    wish.value.number = number;
  } else if (const auto usual = signal.facet == "price" ? quantile("price", Permille{signal.up ? 750 : 250}) : std::nullopt) {
    wish.value.number = usual;
  } else {
    revision_.guidance.notices.push_back("What was shown does not say its " + signal.facet + ", so \"" + signal.said + "\" has no measure.");
    return;
  }
  wish.value.upper.reset();
  if (!tighten(wish, signal.up)) return;
  // Every other bound of the column gives way: it was about what has been seen.
  std::vector<ConstraintId> gone;
  for (const Constraint& constraint : now_.active) {
    const ConstraintSet& set = constraint.set;
    if (set.facet != signal.facet || !set.value.number || set.op == Operator::is_not) continue;
    const bool stands = (set.op == Operator::at_most && signal.up && *set.value.number >= *wish.value.number) ||
                        (set.op == Operator::at_least && !signal.up && *set.value.number <= *wish.value.number);
    if (!stands && !(set.op == wish.op && set.value.number == wish.value.number)) gone.push_back(set.id);
  }
  const ConstraintId by = next(now_.last_constraint);
  for (const ConstraintId id : gone) bury(id, TombstoneReason::superseded, by, signal.said);
  set(wish, Source::reference);
}

void Reviser::refer(const Signal& signal) {
  const auto product = shown_at(signal.place);
  if (!product) return;
  const ProductId id{std::string(artefact_.product_id(*product))};
  if (signal.kind == SignalKind::reject) {
    write(ProductRejected{id, signal.said});
    return;
  }
  write(ReferenceResolved{signal.said, id, {}});
  revision_.guidance.like = id;
}

void Reviser::same_facet(const Signal& signal) {
  const auto product = shown_at(signal.place);
  if (!product) return;
  const ProductId id{std::string(artefact_.product_id(*product))};
  Signal wish = signal;
  wish.kind = SignalKind::wish;
  const Facet* facet = artefact_.facet(signal.facet);
  if (facet != nullptr && facet->kind == FacetKind::words) {
    for (const ValueId value : artefact_.values_of(*product, facet->id)) wish.value.any_of.emplace_back(artefact_.value(value).text);
  } else if (const auto number = number_of(*product, signal.facet)) {
    wish.op = Operator::about;
    wish.value.number = number;
    if (facet != nullptr) wish.unit = facet->unit;
  }
  if (wish.value.any_of.empty() && !wish.value.number && signal.facet == "brand" && !artefact_.store(*product).empty()) {
    wish.value.any_of.emplace_back(artefact_.store(*product));
  }
  write(ReferenceResolved{signal.said, id, {signal.facet}});
  if (wish.value.any_of.empty() && !wish.value.number) {
    revision_.guidance.notices.push_back("The listing does not say its " + signal.facet + ".");
    return;
  }
  set(wish, Source::reference);
}

}  // namespace turnstone
