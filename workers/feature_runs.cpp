#include "workers/feature_runs.h"

#include <algorithm>

#include "workers/postings.h"

namespace turnstone {
namespace {

struct Window {
  std::size_t first = 0;
  std::size_t last = 0;
};

// The rarest known word of a window that was not tried yet.
std::optional<std::size_t> rarest(const Message& message, Window window, const std::vector<bool>& tried) {
  std::optional<std::size_t> best;
  for (std::size_t i = window.first; i < window.last; ++i) {
    const Word& word = message.words[i];
    if (tried[i] || !word.id || word.frequency == 0 || word.function) continue;
    if (!best || word.frequency < message.words[*best].frequency) best = i;
  }
  return best;
}

// The listings to look at: those that hold the rarest word, thinned by its rarest neighbour when they are many.
std::vector<Ordinal> listings(const Message& message, Window window, std::size_t at, const Artefact& artefact) {
  std::vector<Ordinal> found;
  const auto postings = artefact.postings(*message.words[at].id);
  std::optional<std::size_t> partner;
  if (postings.size() > run_products_max) {
    const std::size_t from = std::max(window.first, at < 6 ? 0 : at - 6);
    for (std::size_t i = from; i < std::min(window.last, at + 7); ++i) {
      const Word& word = message.words[i];
      if (i == at || !word.id || word.term == message.words[at].term || word.frequency == 0) continue;
      if (!partner || word.frequency < message.words[*partner].frequency) partner = i;
    }
  }
  if (!partner) {
    for (std::size_t i = 0; i < std::min(postings.size(), run_products_max); ++i) found.push_back(postings[i].product);
    return found;
  }
  auto others = artefact.postings(*message.words[*partner].id);
  for (const Posting& posting : postings) {
    others = from_product(others, posting.product);
    if (others.empty()) break;
    if (others.front().product == posting.product) found.push_back(posting.product);
    if (found.size() == run_products_max) break;
  }
  return found;
}

// The longest stretch of the window around word `at` that stands in the fact.
FeatureRun stretch_in(const Message& message, Window window, std::size_t at, const ListingPart& part) {
  FeatureRun best;
  const auto& terms = part.terms;
  for (std::size_t p = 0; p < terms.size(); ++p) {
    if (terms[p] != *message.words[at].id) continue;
    std::size_t left = 0;
    while (at - left > window.first && p - left > 0 && message.words[at - left - 1].id == terms[p - left - 1]) ++left;
    std::size_t right = 1;
    while (at + right < window.last && p + right < terms.size() && message.words[at + right].id == terms[p + right]) ++right;
    if (left + right > best.last - best.first) {
      best = {at - left, at + right, left + right == terms.size(), part.field == ListingField::title};
    }
  }
  return best;
}

FeatureRun longest_run(const Message& message, Window window, std::size_t at, const Artefact& artefact) {
  FeatureRun best;
  for (const Ordinal product : listings(message, window, at, artefact)) {
    for (std::uint32_t i = 0; i < artefact.part_count(product); ++i) {
      const FeatureRun run = stretch_in(message, window, at, artefact.part(product, i));
      const std::size_t length = run.last - run.first;
      const std::size_t longest = best.last - best.first;
      if (length > longest || (length == longest && run.whole_fact && !best.whole_fact)) best = run;
    }
    if (best.last - best.first == window.last - window.first && best.whole_fact) break;
  }
  return best;
}

}  // namespace

std::vector<FeatureRun> feature_runs(const Message& message, const Artefact& artefact) {
  std::vector<FeatureRun> runs;
  if (message.size() < run_words_min) return runs;
  std::vector<bool> tried(message.size(), false);
  std::vector<Window> windows{{0, message.size()}};
  for (std::size_t tries = 0; tries < run_tries_max && !windows.empty();) {
    const Window window = windows.back();
    const auto at = window.last - window.first < run_words_min ? std::nullopt : rarest(message, window, tried);
    if (!at) {
      windows.pop_back();
      continue;
    }
    ++tries;
    tried[*at] = true;
    const FeatureRun run = longest_run(message, window, *at, artefact);
    const std::size_t length = run.last - run.first;
    if (length < run_words_min && !(run.whole_fact && length >= 3)) continue;
    windows.pop_back();
    windows.push_back({window.first, run.first});
    windows.push_back({run.last, window.last});
    runs.push_back(run);
  }
  std::sort(runs.begin(), runs.end(), [](const FeatureRun& a, const FeatureRun& b) { return a.first < b.first; });
  return runs;
}

bool stands_intact(const Message& message, std::size_t first, std::size_t last, const Artefact& artefact) {
  const Window window{first, last};
  const auto at = rarest(message, window, std::vector<bool>(message.size(), false));
  if (!at) return false;
  for (std::size_t i = first; i < last; ++i) {
    if (!message.words[i].id) return false;
  }
  const FeatureRun run = longest_run(message, window, *at, artefact);
  return run.last - run.first == last - first;
}

}  // namespace turnstone
