#include "workers/posterior.h"

#include <algorithm>
#include <iterator>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

std::int64_t weight_below(std::int64_t best, std::int64_t score, std::int64_t temperature) {
  return fixed_point::exp2_weight((best - score) * fixed_point::whole / temperature);
}

Posterior softmax(const Ranking& ranking, std::int64_t temperature, std::int64_t outside) {
  Posterior posterior;
  if (ranking.products.empty()) return posterior;
  const std::int64_t best = ranking.products.front().score.value;
  for (const Ranked& product : ranking.products) {
    posterior.products.push_back(product.product);
    posterior.weights.push_back(weight_below(best, product.score.value, temperature));
    posterior.total += posterior.weights.back();
  }
  posterior.outside = fixed_point::exp2_weight(outside * fixed_point::whole / temperature);
  posterior.total += posterior.outside;
  return posterior;
}

}  // namespace

Permille Posterior::confidence(std::size_t index) const {
  return Permille{static_cast<std::int32_t>(fixed_point::permille_of(weights[index], total))};
}

std::int64_t Posterior::entropy() const {
  std::vector<std::int64_t> bounded = weights;
  for (std::int64_t& weight : bounded) weight = std::min(weight, fixed_point::weight_one);
  return fixed_point::entropy_millibits(bounded);
}

Posterior posterior_of(const Ranking& ranking, const Variant& variant) {
  return softmax(ranking, variant.gate.temperature, variant.gate.outside);
}

Posterior told_posterior(const Ranking& ranking, const Variant& variant) {
  return softmax(ranking, variant.gate.confidence_temperature, variant.gate.confidence_outside);
}

Posterior pool_posterior(const Retrieval& retrieval, const Ranking& ranking, const Variant& variant) {
  if (retrieval.exact.empty()) return posterior_of(ranking, variant);
  Posterior posterior;
  std::vector<Ordinal> seen;
  std::int64_t best = 0;
  std::int64_t least = fixed_point::weight_one;
  const auto limit = static_cast<std::size_t>(variant.ask.pool_sample);
  for (const Ranked& product : ranking.products) {
    if (posterior.products.size() == limit) break;
    if (!std::binary_search(retrieval.exact.begin(), retrieval.exact.end(), product.product)) continue;
    if (posterior.products.empty()) best = product.score.value;
    least = std::max<std::int64_t>(1, weight_below(best, product.score.value, variant.gate.temperature));
    posterior.products.push_back(product.product);
    posterior.weights.push_back(least);
    seen.push_back(product.product);
  }
  std::sort(seen.begin(), seen.end());
  std::vector<Ordinal> rest;
  std::set_difference(retrieval.exact.begin(), retrieval.exact.end(), seen.begin(), seen.end(), std::back_inserter(rest));
  const std::size_t room = limit - posterior.products.size();
  const std::size_t step = room == 0 ? rest.size() + 1 : (rest.size() + room - 1) / std::max<std::size_t>(room, 1);
  for (std::size_t i = 0; i < rest.size() && posterior.products.size() < limit; i += std::max<std::size_t>(step, 1)) {
    posterior.products.push_back(rest[i]);
    posterior.weights.push_back(std::min(fixed_point::weight_one, least * static_cast<std::int64_t>(std::max<std::size_t>(step, 1))));
  }
  for (const std::int64_t weight : posterior.weights) posterior.total += weight;
  return posterior;
}

}  // namespace turnstone
