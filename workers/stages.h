// The seven stages of a turn and the plain values that pass between them.
//
// Each stage is a pure function; each adds its StageRecord. understand reads the message, revise turns the
// reading into events; the state with those events folded in is what every later stage decides from, so that
// nothing is known to ranking that is not in the ledger. Guidance carries what is about this turn alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "events/event.h"
#include "events/flight_record.h"
#include "events/state.h"
#include "storage/artefact/artefact.h"
#include "workers/policy.h"
#include "workers/reading.h"

namespace turnstone {

// --- understand (workers/understand.cpp) ---------------------------------------------------------------
// Reading: signals with spans and confidences; see workers/reading.h.
Reading understand(const IntentState& state, const TurnReceived& received, const Artefact& artefact, const Policy& policy,
                   StageRecord& record);

// --- revise (workers/revise.cpp) -----------------------------------------------------------------------
enum class SmallTalk : std::uint8_t { none, greeting, thanks, goodbye, acknowledgement, chat };

struct ProductQuestion {     // "how much is the first one?"
  ProductId product;
  std::string facet;         // facet name; "" = the words name nothing that the catalogue knows
  std::string words;
  Operator op = Operator::is;  // "is it under 5000?", "is it silver?": what is asked of the facet; no value: what it is
  ConstraintValue value;
};

struct ListOrder {           // "the cheapest": the list goes by one number, for this turn
  std::string facet;
  bool up = false;           // the highest first
};

struct Guidance {
  bool learnt = false;       // the turn changed what is wanted: pages start again
  bool wants_more = false;   // "what else", "next"
  bool shown_disliked = false;  // "those options are not right": what was shown is passed over
  bool unreadable = false;   // no readable word in the message
  SmallTalk talk = SmallTalk::none;
  std::vector<ProductQuestion> questions;
  std::optional<ListOrder> order;
  std::optional<ProductId> like;          // "something like the second one": rank near this product
  std::vector<std::string> notices;       // whole sentences for the reply ("Too few prices to say what is cheap.")
};

struct Revision {
  std::vector<EventBody> events;
  Guidance guidance;
};
Revision revise(const IntentState& state, const Reading& reading, const Artefact& artefact, const Policy& policy, StageRecord& record);

struct Wishes;  // workers/requirement.h

// --- retrieve (workers/retrieve.cpp) -------------------------------------------------------------------
struct Candidate {
  Ordinal product;
  std::int64_t fused = 0;    // weighted reciprocal ranks over the routes, scale in fixed_point.h
};
struct Retrieval {
  std::shared_ptr<const Wishes> wishes;   // as compiled from the state, into which it points: for the stages of this turn only
  std::vector<Candidate> candidates;      // by fused, then ordinal; what rank looks at
  std::vector<Ordinal> exact;             // ascending: satisfies every hard constraint (bounded by ask's pool limit)
  std::vector<Ordinal> seen;              // of those that satisfy every hard constraint: shown before in this epoch, the latest first
  std::uint32_t matching = 0;             // how many satisfy every hard constraint, seen or not
  std::vector<ClauseRelaxed> relaxed;
  Route route = Route::none;
};
Retrieval retrieve(const IntentState& state, const Guidance& guidance, const Artefact& artefact, const Policy& policy, StageRecord& record);

// --- rank (workers/rank.cpp) ---------------------------------------------------------------------------
struct ScorePart {
  std::string name;          // "words of 'waterproof'", "category", "price fit", "popularity" …
  std::int64_t points = 0;
};
struct Ranked {
  Ordinal product;
  Score score;
};
// How likely each product is the one that is looked for (workers/posterior.h).
struct Posterior {
  std::vector<Ordinal> products;
  std::vector<std::int64_t> weights;  // parallel
  std::int64_t outside = 0;           // weight of "none of these"
  std::int64_t total = 0;             // of all weights and outside
  Permille confidence(std::size_t index) const;
  std::int64_t entropy() const;       // millibits, over the products
};
struct Ranking {
  std::vector<Ranked> products;  // best first; ties by ordinal
  Posterior pool;                // over what a question would divide: see pool_posterior()
};
Ranking rank(const IntentState& state, const Guidance& guidance, const Retrieval& retrieval, const Artefact& artefact, const Policy& policy,
             StageRecord& record);
// The parts of one product's score, for `why` and `explain`: they sum to the score that rank gives it.
std::vector<ScorePart> score_parts(const IntentState& state, const Guidance& guidance, Ordinal product, const Artefact& artefact,
                                   const Policy& policy);

// --- gate (workers/gate.cpp) ---------------------------------------------------------------------------
struct SlateEntry {
  Ordinal product;
  Score score;
  Permille confidence;
  std::vector<std::string> why;  // short, checked against the catalogue
  std::vector<ConstraintId> misses;  // wishes that the listing does not hold to; those given up are among them
};
struct Slate {
  std::vector<SlateEntry> products;
  Route route = Route::none;
  std::string empty_reason;      // set when products is empty
};
Slate gate(const IntentState& state, const Guidance& guidance, const Retrieval& retrieval, const Ranking& ranking, std::uint32_t top_k,
           const Artefact& artefact, const Policy& policy, StageRecord& record);

// --- ask (workers/ask.cpp) -----------------------------------------------------------------------------
std::vector<QuestionAsked> ask(const IntentState& state, const Guidance& guidance, const Retrieval& retrieval, const Ranking& ranking,
                               const Slate& slate, const Artefact& artefact, const Policy& policy, StageRecord& record);

// --- reply (workers/reply.cpp) -------------------------------------------------------------------------
// `before` is the state at the start of the turn, `state` the state now (so the reply can say what changed).
std::string reply_text(const IntentState& before, const IntentState& state, const Revision& revision, const Retrieval& retrieval,
                       const Slate& slate, const std::vector<QuestionAsked>& questions, const Artefact& artefact, const Policy& policy,
                       StageRecord& record);
// The reply document of the public API, as JSON text.
std::string reply_document(const IntentState& after, const std::string& text, const Slate& slate, const std::vector<QuestionAsked>& questions,
                           const Artefact& artefact);
// The facet's name in `ask_attribute`'s closed list: category, material, color, size, style, brand, budget,
// feature, use_case, other.
std::string ask_attribute(const std::string& facet);

}  // namespace turnstone
