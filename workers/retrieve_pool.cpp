#include "workers/retrieve_pool.h"

#include <algorithm>

#include "workers/column_index.h"
#include "workers/fixed_point.h"

namespace turnstone {
namespace {

bool is_filled(const Facet& facet, const Artefact& artefact, const Variant& variant) {
  return fixed_point::permille_of(facet.filled, artefact.product_count()) >= variant.retrieve.filled_facet;
}

// Visits the rows inside the ranges; of a single range those outside, where they are fewer.
ProductSet numbers_within(const Requirement& requirement, const Artefact& artefact) {
  const auto column = artefact.number_column(requirement.facet->id);
  const auto below = [](const auto& row, Number number) { return row.number < number; };
  const auto above = [](Number number, const auto& row) { return number < row.number; };
  const auto columns = ColumnIndex::of(artefact);
  const ProductSet& holders = columns->holders(requirement.facet->id);
  ProductSet set(artefact.product_count(), silence_is_unknown(*requirement.facet, artefact));
  bool only_inside = false;  // the set holds no row but those inserted
  for (const NumberBounds& range : requirement.ranges) {
    const auto first = range.least ? std::lower_bound(column.begin(), column.end(), *range.least, below) : column.begin();
    const auto last = range.most ? std::max(first, std::upper_bound(column.begin(), column.end(), *range.most, above)) : column.end();
    if (requirement.ranges.size() > 1 || (last - first) * 2 <= column.end() - column.begin()) {
      if (!only_inside) set.remove_all(holders);
      only_inside = true;
      for (auto row = first; row != last; ++row) set.insert(row->product);
    } else {
      set.add_all(holders);
      for (auto row = column.begin(); row != first; ++row) set.erase(row->product);
      for (auto row = last; row != column.end(); ++row) set.erase(row->product);
    }
  }
  return set;
}

std::vector<TermId> weighing_terms(const Wording& wording) {
  std::vector<TermId> terms;
  for (const WordOfWording& word : wording.words) {
    if (word.weight > 0) terms.push_back(*word.term);
  }
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

// Products whose text holds every weighing word of one of the wordings. Who mentions "blue colour" mentions "blue".
ProductSet mentioners_of(const Requirement& requirement, std::size_t words_max, const Artefact& artefact) {
  ProductSet set(artefact.product_count());
  if (requirement.is_yes_no()) return set;
  const auto columns = ColumnIndex::of(artefact);
  std::vector<std::vector<TermId>> wordings;
  for (const Wording& wording : requirement.wordings) {
    if (weighing_words(wording) <= words_max) wordings.push_back(weighing_terms(wording));
  }
  std::stable_sort(wordings.begin(), wordings.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (auto wording = wordings.begin(); wording != wordings.end(); ++wording) {
    const bool known = std::any_of(wordings.begin(), wording, [&](const std::vector<TermId>& shorter) {
      return !shorter.empty() && std::includes(wording->begin(), wording->end(), shorter.begin(), shorter.end());
    });
    if (known) continue;
    if (wording->size() == 1) {
      columns->add_products_with(wording->front(), artefact, set);
      continue;
    }
    if (wording->empty()) continue;
    columns->for_each_with_all(*wording, artefact, [&](Ordinal product) {
      set.insert(product);
      return true;
    });
  }
  return set;
}

// A listing is of the kind that its title names, by the last word at least ("coat" of "winter coat"); a description names
// other kinds too ("goes with any coat"). Those known to be of the kind, and those whose title names it.
ProductSet of_kind_or_named_so(const ProductSet& of_kind, const Requirement& type, const Artefact& artefact) {
  ProductSet set = of_kind;
  for (const Wording& wording : type.wordings) {
    const auto head = std::find_if(wording.words.rbegin(), wording.words.rend(), [](const WordOfWording& word) { return word.weight > 0; });
    if (head == wording.words.rend()) continue;
    for (const Posting& posting : artefact.postings(*head->term)) {
      if (posting.stands_in(ListingField::title)) set.insert(posting.product);
    }
  }
  return set;
}

// What the columns say, and where they are silent what the words say.
Clause words_clause(const Requirement& requirement, const Artefact& artefact, const Variant& variant) {
  const std::uint32_t count = artefact.product_count();
  if (requirement.values.empty()) return {&requirement, mentioners_of(requirement, clause_words_max, artefact), ProductSet(count, true), 0, false};
  Clause clause{&requirement, ProductSet(count), ProductSet(count), 0, true};
  const auto columns = ColumnIndex::of(artefact);
  for (const ValueId value : requirement.values) columns->add_products_with(value, artefact, clause.satisfied);
  const bool broad = requirement.is_type && requirement.information < variant.retrieve.broad_type;
  if (broad) {
    clause.open = ProductSet(count, true);
    return clause;
  }
  if (requirement.is_type) {
    clause.open = of_kind_or_named_so(clause.satisfied, requirement, artefact);
  } else {
    clause.open = mentioners_of(requirement, wording_words_max, artefact);
    ProductSet others = clause.open;  // whose column does not say so, though their words do
    others.remove_all(clause.satisfied);
    const bool few_words = std::all_of(requirement.wordings.begin(), requirement.wordings.end(),
                                       [](const Wording& wording) { return weighing_words(wording) <= clause_words_max; });
    if (!few_words) others.keep_common(mentioners_of(requirement, clause_words_max, artefact));
    others.remove_all(columns->holders(requirement.facet->id));
    clause.satisfied.add_all(others);
  }
  clause.open.add_all(clause.satisfied);
  if (!is_filled(*requirement.facet, artefact, variant)) {
    ProductSet silent(count, true);
    silent.remove_all(columns->holders(requirement.facet->id));
    clause.open.add_all(silent);
  }
  return clause;
}

Clause make_clause(const Requirement& requirement, const Artefact& artefact, const Variant& variant) {
  if (!requirement.is_number()) return words_clause(requirement, artefact, variant);
  ProductSet within = numbers_within(requirement, artefact);
  return {&requirement, within, within, 0, true};
}

std::vector<Clause> make_clauses(const Wishes& wishes, const Artefact& artefact, const Variant& variant) {
  std::vector<Clause> clauses;
  for (const Requirement& requirement : wishes.requirements) {
    if (!is_condition(requirement)) continue;
    clauses.push_back(make_clause(requirement, artefact, variant));
    clauses.back().size = clauses.back().satisfied.size();
  }
  std::stable_sort(clauses.begin(), clauses.end(), [](const Clause& a, const Clause& b) { return a.size < b.size; });
  return clauses;
}

ProductSet intersect(const std::vector<Clause>& clauses, const ProductSet& allowed) {
  ProductSet pool = allowed;
  for (const Clause& clause : clauses) pool.keep_common(clause.satisfied);
  return pool;
}

// Everything but what was rejected, by product or by value.
ProductSet allowed_products(const IntentState& state, const Wishes& wishes, const Artefact& artefact) {
  ProductSet allowed(artefact.product_count(), true);
  for (const Requirement& requirement : wishes.requirements) {
    if (!requirement.rejected || requirement.withdrawn || requirement.set->strength == Strength::soft) continue;
    for (const ValueId value : requirement.values) {
      for (const Ordinal product : artefact.products_with(value)) allowed.erase(product);
    }
    if (requirement.is_number()) {
      for (const auto& row : artefact.number_column(requirement.facet->id)) {
        if (requirement.holds(row.number)) allowed.erase(row.product);
      }
    }
  }
  for (const ProductId& id : state.rejected) {
    if (const auto product = artefact.find(id.value)) allowed.erase(*product);
  }
  return allowed;
}

// Whether `a` is given up before `b`: soft before hard, the product type last, then what was only looked for in the
// words of listings (which leave much unsaid), then the less confident, then the later said.
bool goes_first(const Clause* a, const Clause* b) {
  const ConstraintSet &x = *a->requirement->set, &y = *b->requirement->set;
  if (a->requirement->is_type != b->requirement->is_type) return b->requirement->is_type;
  if (x.strength != y.strength) return x.strength == Strength::soft;
  if (a->by_column != b->by_column) return b->by_column;
  if (x.confidence != y.confidence) return x.confidence < y.confidence;
  return x.id > y.id;
}

bool can_give_up_softly(const Clause& clause, const Variant& variant) {
  const ConstraintSet& set = *clause.requirement->set;
  return set.strength == Strength::soft && set.confidence.value <= variant.retrieve.relax_confidence;
}

// The clause to give up next: the first in order whose loss alone leaves products; when there is none, the first.
// `soft_left` bounds how many unsure soft wishes go before the others are looked at.
const Clause* next_to_relax(const std::vector<Clause>& kept, const ProductSet& allowed, std::int64_t soft_left, const Variant& variant) {
  std::vector<const Clause*> order;
  for (const Clause& clause : kept) order.push_back(&clause);
  std::sort(order.begin(), order.end(), goes_first);
  if (soft_left > 0) {
    std::stable_partition(order.begin(), order.end(), [&](const Clause* clause) { return can_give_up_softly(*clause, variant); });
    if (can_give_up_softly(*order.front(), variant)) return order.front();
  }
  const auto enough = std::find_if(order.begin(), order.end(), [&](const Clause* left_out) {
    ProductSet pool = allowed;
    for (const Clause& clause : kept) {
      if (&clause != left_out) pool.keep_common(clause.satisfied);
    }
    return pool.size() > 0;
  });
  return enough == order.end() ? order.front() : *enough;
}

}  // namespace

Pool build_pool(const IntentState& state, const Wishes& wishes, const Artefact& artefact, const Variant& variant) {
  const ProductSet allowed = allowed_products(state, wishes, artefact);
  Pool pool{ProductSet(artefact.product_count()), allowed, 0, make_clauses(wishes, artefact, variant), {}, false, false};
  pool.constrained = !pool.kept.empty();
  if (!pool.constrained) {
    pool.products = allowed;
    pool.matching = allowed.size();
    return pool;
  }
  pool.products = intersect(pool.kept, allowed);
  pool.matching = pool.products.size();
  std::int64_t soft_left = variant.retrieve.relax_soft_max;
  while (pool.matching == 0) {
    const Clause* clause = next_to_relax(pool.kept, allowed, soft_left, variant);
    if (can_give_up_softly(*clause, variant)) --soft_left;
    ClauseRelaxed relaxed{clause->requirement->set->id, "no product satisfies all wishes", 0, 0};
    pool.kept.erase(pool.kept.begin() + (clause - pool.kept.data()));
    if (!pool.kept.empty()) {
      pool.products = intersect(pool.kept, allowed);
      pool.matching = pool.products.size();
    }
    relaxed.pool_after = pool.matching;
    pool.relaxed.push_back(std::move(relaxed));
    if (pool.kept.empty()) {
      pool.products = allowed;
      break;
    }
  }
  for (const Clause& clause : pool.kept) {
    if (clause.requirement->set->strength == Strength::hard) pool.admissible.keep_common(clause.open);
  }
  const auto wished = std::count_if(wishes.requirements.begin(), wishes.requirements.end(),
                                    [](const Requirement& r) { return !r.rejected && !r.withdrawn && r.set->source != Source::profile; });
  pool.exact = pool.relaxed.empty() && static_cast<std::size_t>(wished) == pool.kept.size() &&
               std::all_of(pool.kept.begin(), pool.kept.end(), [](const Clause& clause) { return clause.by_column; });
  return pool;
}

}  // namespace turnstone
