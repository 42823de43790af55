#include "workers/rank_score.h"

#include <algorithm>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

using fixed_point::share;

constexpr std::int64_t mostly = 600;  // permille of a wording in one part from which that part is what was meant

// Permille: how much a wish tells, up to `enough` millibits. What nearly every listing has hardly counts.
std::int64_t telling(std::int64_t information, std::int64_t enough) {
  return std::min(fixed_point::whole, fixed_point::permille_of(information, std::max<std::int64_t>(1, enough)));
}

}  // namespace

class Scorer::Sum {
 public:
  explicit Sum(std::vector<ScorePart>* parts) : parts_(parts) {}
  void add(std::string_view what, std::string_view of, std::int64_t points, std::string_view ending = {}) {
    total_ += points;
    if (parts_ == nullptr || points == 0) return;
    std::string name(what);
    name.append(ending);
    if (!of.empty()) name.append(" '").append(of).append("'");
    parts_->push_back({std::move(name), points});
  }
  std::int64_t total() const { return total_; }

 private:
  std::vector<ScorePart>* parts_;
  std::int64_t total_ = 0;
};

Scorer::Scorer(std::shared_ptr<const Wishes> wishes, const Guidance& guidance, const Artefact& artefact, const Variant& variant)
    : artefact_(artefact),
      weights_(variant.rank),
      shared_wishes_(std::move(wishes)),
      wishes_(*shared_wishes_),
      liked_(compile_liked(guidance, artefact, variant)),
      meter_(all_wordings(), artefact) {}

std::vector<const Wording*> Scorer::all_wordings() const {
  std::vector<const Wording*> wordings;
  for (const Requirement& requirement : wishes_.requirements) {
    for (const Wording& wording : requirement.wordings) wordings.push_back(&wording);
  }
  if (!liked_.words.words.empty()) wordings.push_back(&liked_.words);
  return wordings;
}

void Scorer::score_words(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Sum& sum) const {
  std::int64_t best = 0;
  for (std::size_t i = 0; i < requirement.wordings.size(); ++i) {
    const Wording& wording = requirement.wordings[i];
    const Evidence& found = evidence.wordings[first_wording + i];
    std::int64_t points = share(found.anywhere, weights_.word_anywhere) + share(found.together, weights_.word_together) +
                          share(found.run, weights_.phrase) + share(share(found.together, found.fill), weights_.whole_part);
    const std::int64_t held = fixed_point::permille_of(found.together, wording.weight);
    if (held >= mostly) {
      const std::int64_t prominent = std::max<std::int64_t>(0, weights_.prominence - weights_.prominence_step * found.part);
      points += share(share(prominent, held), telling(wording.weight, weights_.telling));
    }
    best = std::max(best, points);
  }
  sum.add("words of", requirement.set->said, share(best, requirement.share));
}

void Scorer::score_type(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Ordinal product,
                        Sum& sum) const {
  bool in_title = false;
  for (std::size_t i = 0; i < requirement.wordings.size(); ++i) in_title |= evidence.wordings[first_wording + i].head_in_title;
  if (in_title) sum.add("title names", requirement.set->said, share(weights_.type_in_title, requirement.share));
  if (requirement.values.empty()) return;
  const std::int64_t weight = share(requirement.share, telling(requirement.information, weights_.telling_type));
  if (has_value(requirement, product, artefact_)) sum.add("category", requirement.set->said, share(weights_.type_in_category, weight));
  else if (!in_title && !requirement.withdrawn) sum.add("another category than", requirement.set->said, -share(weights_.type_mismatch, weight));
}

void Scorer::score_facet(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Ordinal product,
                         Sum& sum) const {
  if (requirement.values.empty()) return;
  if (has_value(requirement, product, artefact_)) {
    const std::int64_t points = std::clamp<std::int64_t>(share(requirement.information, weights_.facet_match), 0, weights_.facet_match_max);
    sum.add(requirement.facet->name, requirement.set->said, share(points, requirement.share));
    return;
  }
  if (artefact_.values_of(product, requirement.facet->id).empty()) return;
  if (requirement.withdrawn) return;
  bool mentioned = false;
  for (std::size_t i = 0; i < requirement.wordings.size() && !requirement.is_yes_no(); ++i) {
    mentioned |= evidence.wordings[first_wording + i].anywhere == requirement.wordings[i].weight;
  }
  const std::int64_t loss = mentioned ? weights_.facet_contradiction_mentioned : weights_.facet_contradiction;
  sum.add("listing says otherwise than", requirement.set->said, -share(share(loss, requirement.set->confidence.value), requirement.share));
}

void Scorer::score_number(const Requirement& requirement, Ordinal product, Sum& sum) const {
  const auto number = artefact_.number_of(product, requirement.facet->id);
  if (!number) return;
  const ConstraintSet& set = *requirement.set;
  const bool within = requirement.holds(*number);
  std::int64_t points = within ? weights_.number_fit : -weights_.number_miss;
  const bool single = set.op == Operator::about || (set.op == Operator::is && set.value.any_of.empty());
  if (single && number->value > 0 && set.value.number->value > 0) {
    const std::int64_t wished = fixed_point::log2_millibits(static_cast<std::uint64_t>(set.value.number->value));
    const std::int64_t listed = fixed_point::log2_millibits(static_cast<std::uint64_t>(number->value));
    const std::int64_t distance = wished > listed ? wished - listed : listed - wished;
    points = std::max(-weights_.number_miss, weights_.number_fit - share(weights_.number_slope, distance));
  }
  if (requirement.withdrawn) points = std::max<std::int64_t>(0, points);
  sum.add(requirement.facet->name, set.said, share(points, requirement.share), " fit");
}

void Scorer::score_rejection(const Requirement& requirement, std::size_t first_wording, const ListingEvidence& evidence, Ordinal product,
                             Sum& sum) const {
  if (requirement.withdrawn) return;
  const bool has = requirement.is_number() ? match_of(requirement, product, artefact_) == Match::yes : has_value(requirement, product, artefact_);
  if (has) {
    sum.add("rejected", requirement.set->said, -share(weights_.rejected_value, requirement.share));
    return;
  }
  for (std::size_t i = 0; i < requirement.wordings.size(); ++i) {
    const Evidence& found = evidence.wordings[first_wording + i];
    if (!found.head_in_title || found.anywhere < requirement.wordings[i].weight) continue;
    sum.add("title names the rejected", requirement.set->said, -share(weights_.rejected_mention, requirement.share));
    return;
  }
}

void Scorer::score_person(Ordinal product, Sum& sum) const {
  if (!wishes_.department.empty()) {
    const auto values = artefact_.values_of(product, wishes_.department_facet->id);
    const bool fits = values.empty() || std::any_of(values.begin(), values.end(), [&](ValueId value) {
                        return std::find(wishes_.department.begin(), wishes_.department.end(), value) != wishes_.department.end();
                      });
    if (!fits) sum.add("made for somebody else", "", -weights_.department_mismatch);
  }
  if (wishes_.tags.empty()) return;
  const auto terms = artefact_.terms(product);
  std::int64_t tags = 0;
  for (const TermId tag : wishes_.tags) tags += std::find(terms.begin(), terms.end(), tag) != terms.end() ? 1 : 0;
  sum.add("profile", "", tags * weights_.preference_tag);
}

std::int64_t Scorer::score(Ordinal product, std::vector<ScorePart>* parts) const {
  meter_.measure(product, walk_, evidence_);
  Sum sum(parts);
  std::size_t wording = 0;
  for (const Requirement& requirement : wishes_.requirements) {
    if (requirement.rejected) score_rejection(requirement, wording, evidence_, product, sum);
    else {
      if (!requirement.wordings.empty()) score_words(requirement, wording, evidence_, sum);
      if (requirement.is_number()) score_number(requirement, product, sum);
      else if (requirement.is_type) score_type(requirement, wording, evidence_, product, sum);
      else score_facet(requirement, wording, evidence_, product, sum);
    }
    wording += requirement.wordings.size();
  }
  if (!liked_.words.words.empty()) sum.add("like the one pointed at", "", share(evidence_.wordings[wording].anywhere, weights_.liked));
  if (!liked_.kinds.empty()) {
    sum.add("kind of the one pointed at", "", liked_.is_kind(product, artefact_) ? weights_.type_in_category : -weights_.type_mismatch);
  }
  sum.add("precision", "", share(weights_.precision, fixed_point::permille_of(evidence_.matched, evidence_.total)));
  score_person(product, sum);
  sum.add("popularity", "", weights_.popularity * static_cast<std::int64_t>(artefact_.popularity(product)) / 65'535);
  return sum.total();
}

}  // namespace turnstone
