#include "workers/ask_open.h"

#include <algorithm>

#include "workers/fixed_point.h"

namespace turnstone {
namespace {

constexpr std::int64_t left_open_max = 1;  // "use your judgment" says something else than "nothing more", once

}  // namespace

std::int64_t open_question_yield(const IntentState& state, const Variant& variant) {
  std::int64_t yield = variant.ask.open_yield;
  bool closed = state.waived.contains(std::string(open_facet));
  std::int64_t left_open = 0;
  for (const AskedQuestion& asked : state.asked) {
    const bool open = asked.question.facet == open_facet;
    if (open) {
      yield = fixed_point::share(yield, variant.ask.open_again);
      if (asked.outcome == AnswerOutcome::waived) {
        yield = fixed_point::share(yield, variant.ask.open_again);
        ++left_open;
      }
      if (asked.outcome == AnswerOutcome::declined || left_open > left_open_max) closed = true;
      if (asked.outcome == AnswerOutcome::value) closed = false;
    } else if (asked.outcome == AnswerOutcome::value) {
      closed = false;
    }
  }
  if (closed) return 0;
  std::int64_t known = 0;
  for (const Constraint& constraint : state.active) known += constraint.set.source == Source::profile ? 0 : 1;
  return std::max<std::int64_t>(0, yield - known * variant.ask.open_known);
}

}  // namespace turnstone
