// One evaluation session: a shopper and an agent talk until the target is shown or the turns run out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "storage/catalogue/catalogue.h"
#include "tools/eval/sessions.h"
#include "tools/eval/shopper.h"

namespace turnstone {

inline constexpr std::uint32_t turns_max = 10;
inline constexpr std::uint32_t top_k = 10;
inline constexpr std::uint32_t missed_turn = turns_max + 1;

// The system under test. It answers to the text; what was meant is there for perfect reading alone, which others are measured against.
class Agent {
 public:
  virtual ~Agent() = default;
  struct Answer {
    AgentReply reply;
    std::string route;
    std::optional<std::int64_t> entropy_millibits;  // of the pool when it asked
    std::int64_t decide_us = 0;                     // the turn function alone
    std::int64_t total_us = 0;
  };
  virtual Result<Answer> say(const Utterance& utterance) = 0;
};

struct TrialTurn {
  std::string message;
  Agent::Answer answer;
};

struct Outcome {
  EvalSession session;
  std::uint32_t turn = missed_turn;  // on which the target was shown
  std::uint32_t rank = 0;            // its place then, from 1; 0 = never shown
  std::uint32_t precision_met = 0;   // of the last answer's first five: facts of the card that they meet …
  std::uint32_t precision_asked = 0;  // … of so many
  std::vector<TrialTurn> turns;
};

// Finds rows by product id.
class RowIndex {
 public:
  explicit RowIndex(const std::vector<ProductRow>& rows);
  const ProductRow* find(const std::string& id) const;

 private:
  std::vector<const ProductRow*> by_id_;
};

// Whether the listing itself says the fact: all of its words occur in it; a budget: its price is within 15 %.
bool meets(const ProductRow& row, const std::string& fact);

// How the shopper of a session behaves.
struct TrialOptions {
  std::uint64_t seed = 1;
  WordingStyle wording = WordingStyle::canonical;
  FrameHalf frames = FrameHalf::development;
};

// The same seed for the same session, whatever the order of the file.
std::uint64_t seed_of(const std::string& sample_id, std::uint64_t seed);

// Lets the two talk until the target is shown, at most `turn_limit` turns; Outcome::turn is one more when it never is. Without precision.
Result<Outcome> converse(const EvalSession& session, Shopper& shopper, std::uint32_t turn_limit, Agent& agent);

// Errors: not_found when the target is not in the catalogue; whatever the agent fails with.
Result<Outcome> run_trial(const EvalSession& session, const RowIndex& rows, const TrialOptions& options, Agent& agent);

}  // namespace turnstone
