#include "workers/reply_list.h"

#include <algorithm>
#include <vector>

#include "workers/reply_facts.h"
#include "workers/reply_wish.h"

namespace turnstone {
namespace {

constexpr std::size_t titles_max = 3;
constexpr std::size_t title_bytes_max = 50;

bool was_given_up(const Retrieval& retrieval, ConstraintId id) {
  return std::any_of(retrieval.relaxed.begin(), retrieval.relaxed.end(), [&](const ClauseRelaxed& relaxed) { return relaxed.constraint == id; });
}

std::string given_up(const IntentState& state, const Retrieval& retrieval) {
  std::vector<std::string> wishes;
  for (const ClauseRelaxed& relaxed : retrieval.relaxed) {
    if (const ConstraintSet* set = find_constraint(state, relaxed.constraint)) wishes.push_back(wish_text(*set));
  }
  return list_text(wishes);
}

// The list's products by what they hold to, those wishes aside that were given up for all of them.
struct Held {
  std::vector<std::size_t> places;  // from 1: products that miss nothing
  std::string missed;               // what the others miss, together
};

Held held_by(const IntentState& state, const Retrieval& retrieval, const Slate& slate) {
  Held held;
  std::vector<ConstraintId> missed;
  for (std::size_t i = 0; i < slate.products.size(); ++i) {
    const std::size_t before = missed.size();
    for (const ConstraintId id : slate.products[i].misses) {
      if (!was_given_up(retrieval, id)) missed.push_back(id);
    }
    if (missed.size() == before) held.places.push_back(i + 1);
  }
  std::vector<std::string> wishes;
  for (const Constraint& constraint : state.active) {
    if (std::find(missed.begin(), missed.end(), constraint.set.id) != missed.end()) wishes.push_back(wish_text(constraint.set));
  }
  held.missed = list_text(wishes);
  return held;
}

// "number 2", "numbers 1, 3 to 5 and 8".
std::string numbers_text(const std::vector<std::size_t>& places) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < places.size();) {
    std::size_t end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1) ++end;
    if (end - i > 2) {
      runs.push_back(std::to_string(places[i]) + " to " + std::to_string(places[end - 1]));
    } else {
      for (std::size_t k = i; k < end; ++k) runs.push_back(std::to_string(places[k]));
    }
    i = end;
  }
  return (places.size() == 1 ? "number " : "numbers ") + list_text(runs);
}

std::string titles_of(const std::vector<Ordinal>& products, const Artefact& artefact) {
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < std::min(titles_max, products.size()); ++i) {
    titles.push_back("“" + shortened(artefact.title(products[i]), title_bytes_max) + "”");
  }
  if (products.size() > titles_max) titles.push_back(std::to_string(products.size() - titles_max) + " more");
  return list_text(titles);
}

std::string count_text(std::uint32_t count) { return count == 1 ? "one product matches" : std::to_string(count) + " products match"; }

std::string all_shown(const Retrieval& retrieval, const Artefact& artefact) {
  const std::string titles = titles_of(retrieval.seen, artefact);
  if (retrieval.matching == 1) return "the one product that matches has been shown: " + titles;
  return "all " + std::to_string(retrieval.matching) + " that match have been shown: " + titles;
}

std::string others_text(const Held& held) { return held.missed.empty() ? "come near" : "come near without holding to " + held.missed; }

// What matches and where, to be continued from a comma or put as a sentence: no capital, no full stop.
std::string matches_text(const IntentState& state, const Retrieval& retrieval, const Slate& slate, const Artefact& artefact) {
  const Held held = held_by(state, retrieval, slate);
  const bool all_match = retrieval.matching > 0 && held.places.size() == slate.products.size();
  if (all_match) return count_text(retrieval.matching);  // also where an order brings back what was shown
  if (retrieval.exact.empty() && !retrieval.seen.empty()) return all_shown(retrieval, artefact) + "; these " + others_text(held);
  if (retrieval.exact.empty()) return "these come nearest";
  const std::string matches = count_text(retrieval.matching);
  if (held.places.empty()) return matches + "; those here " + others_text(held);
  const bool all = held.places.size() == retrieval.matching;
  return matches + (all ? ": " : ", of those here ") + numbers_text(held.places) + "; the others " + others_text(held);
}

std::string sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

bool is_rated(const Slate& slate, const Artefact& artefact) {
  return std::any_of(slate.products.begin(), slate.products.end(), [&](const SlateEntry& entry) { return artefact.rating_count(entry.product) > 0; });
}

std::string empty_sentence(const IntentState& state, const Retrieval& retrieval, const Slate& slate, const Artefact& artefact) {
  if (slate.empty_reason.empty()) return "";
  if (retrieval.seen.empty()) return "Nothing to show now: " + slate.empty_reason + ".";
  const std::string shown = all_shown(retrieval, artefact), without = given_up(state, retrieval);
  return without.empty() ? sentence(shown) : "Nothing has all of that. Without " + without + ", " + shown + ".";
}

}  // namespace

std::string list_sentence(const IntentState& state, const Retrieval& retrieval, const Slate& slate, const Artefact& artefact) {
  if (slate.products.empty()) return empty_sentence(state, retrieval, slate, artefact);
  if (slate.route == Route::popular) return is_rated(slate, artefact) ? "Here is what others rate most." : "Here is some of what there is.";
  if (slate.route == Route::previous) return "These were shown before.";
  const std::string without = given_up(state, retrieval);
  if (!without.empty() && retrieval.matching == 0) return "Nothing has all of that, so these come near without holding to " + without + ".";
  if (!without.empty()) return "Nothing has all of that. Without " + without + ", " + matches_text(state, retrieval, slate, artefact) + ".";
  if (retrieval.matching == 0) return "Nothing matches exactly; these come nearest.";
  return sentence(matches_text(state, retrieval, slate, artefact));
}

}  // namespace turnstone
