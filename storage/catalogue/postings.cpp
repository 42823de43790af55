#include "storage/catalogue/postings.h"

#include <algorithm>
#include <cmath>

namespace turnstone {

double inverse_document_frequency(std::uint64_t products, std::uint64_t document_frequency) {
  return std::max(0.0, std::log2(static_cast<double>(products + 1) / (static_cast<double>(document_frequency) + 0.5)));
}

namespace {

// Calls visit(product, term, weighted occurrences, fields as bits) for each distinct term of each product, products ascending.
template <class Visit>
void each_use(const Corpus& corpus, Visit visit) {
  static_assert(listing_field_count <= 16);
  std::vector<double> weight(corpus.term_texts().size(), 0.0);
  std::vector<std::uint16_t> fields(corpus.term_texts().size(), 0);
  std::vector<std::uint32_t> touched;
  for (std::uint32_t product = 0; product < corpus.size(); ++product) {
    touched.clear();
    for (const CorpusPart& part : corpus.parts(product)) {
      const double field_weight = field_weights[static_cast<std::size_t>(part.field)];
      for (const std::uint32_t term : corpus.terms(part)) {
        if (weight[term] == 0.0) touched.push_back(term);
        weight[term] += field_weight;
        fields[term] = static_cast<std::uint16_t>(fields[term] | 1U << static_cast<unsigned>(part.field));
      }
    }
    for (const std::uint32_t term : touched) {
      visit(product, term, weight[term], fields[term]);
      weight[term] = 0.0;
      fields[term] = 0;
    }
  }
}

}  // namespace

Postings build_postings(const Corpus& corpus) {
  const std::size_t term_count = corpus.term_texts().size();
  Postings result;
  result.first.assign(term_count + 1, 0);
  each_use(corpus, [&](std::uint32_t, std::uint32_t term, double, std::uint16_t) { ++result.first[term + 1]; });

  std::vector<double> idf(term_count);
  result.idf.resize(term_count);
  for (std::size_t term = 0; term < term_count; ++term) {
    idf[term] = inverse_document_frequency(corpus.size(), result.first[term + 1]);
    result.idf[term] = static_cast<std::uint32_t>(std::llround(idf[term] * 1000));
    result.first[term + 1] += result.first[term];
  }

  // Exact impacts first: the scale is known only when all are.
  std::vector<float> exact(result.first[term_count]);
  result.postings.resize(exact.size());
  std::vector<std::uint32_t> next(result.first.begin(), result.first.end() - 1);
  float largest = 0;
  each_use(corpus, [&](std::uint32_t product, std::uint32_t term, double weight, std::uint16_t fields) {
    const std::uint32_t at = next[term]++;
    exact[at] = static_cast<float>(idf[term] * weight / (bm25_k1 + weight));
    result.postings[at].product = Ordinal{product};
    result.postings[at].fields = fields;
    largest = std::max(largest, exact[at]);
  });
  result.impact_max.assign(term_count, 0);
  const double scale = largest > 0 ? 65535.0 / largest : 0.0;
  for (std::size_t term = 0; term < term_count; ++term) {
    for (std::uint32_t i = result.first[term]; i < result.first[term + 1]; ++i) {
      const auto impact = static_cast<std::uint16_t>(std::clamp<long long>(std::llround(exact[i] * scale), 1, 65535));
      result.postings[i].impact = impact;
      result.impact_max[term] = std::max(result.impact_max[term], impact);
    }
  }
  return result;
}

}  // namespace turnstone
