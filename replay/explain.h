// Why a product stood where it did at a turn, and why not, by executing the turn again.
//
// For a product that was shown: its place, the parts of its score, and how it stands to every wish. For one
// that was not: the first gate that kept it out. Nothing is guessed: everything comes from the same trace_turn
// that take_turn is. Pure but for the reading of the ledger; costs one turn.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "replay/session_reader.h"
#include "workers/trace.h"

namespace turnstone {

// In the order in which a turn applies them.
enum class ExplainGate : std::uint8_t {
  shown,            ///< it was in the reply
  unknown_product,  ///< no such id in this catalogue
  rejected,         ///< the shopper turned it down
  already_shown,    ///< in this epoch; nothing is shown twice unasked
  hard_wish,        ///< the listing contradicts a hard wish, or has a rejected value
  not_a_candidate,  ///< no route of retrieval brought it up
  ranked_below,     ///< a candidate, ranked after the last one shown
  list_withheld,    ///< the turn showed nothing, and says why
};
std::string_view to_string(ExplainGate gate);

enum class WishVerdict : std::uint8_t { meets, mentions, silent, contradicts, relaxed };
std::string_view to_string(WishVerdict verdict);

struct WishReport {
  ConstraintId id;
  std::string wish;  // "color is red"
  bool hard = true;
  WishVerdict verdict = WishVerdict::silent;
  std::string listing;  // what the listing has in that facet; empty = nothing
};

struct Explanation {
  SessionId session;
  TurnNumber turn;
  ProductId product;
  std::string title;
  ExplainGate gate = ExplainGate::unknown_product;
  std::string verdict;                 // one sentence
  std::optional<std::size_t> place;    // in the reply, from 1
  std::optional<std::size_t> rank;     // in the ranking, from 1
  std::optional<Score> score;          // of a candidate
  std::optional<Score> last_shown;     // of the last product in the reply
  std::optional<Permille> confidence;  // when shown
  std::vector<ScorePart> parts;
  std::vector<WishReport> wishes;
  bool what_if = false;  // other index, policy or decision version than recorded
};

struct ExplainRequest {
  SessionId session;
  std::optional<TurnNumber> turn;  // none: the last one that was received
  std::optional<ProductId> product;
  std::optional<std::size_t> place;  // instead of a product: a place in that turn's reply, from 1
};

// `before` is the state at the start of the turn.
Explanation explain_product(const IntentState& before, const TurnTrace& trace, const ProductId& product, const Artefact& artefact,
                            const Policy& policy);

// Errors: not_found (session, turn, place), refused (recorded under another index, policy or decision version
// and no what_if), erased, corrupt, io.
Result<Explanation> explain(const Ledger& ledger, const ExplainRequest& request, const ArtefactLookup& artefact, const PolicyLookup& policy,
                            const std::optional<WhatIf>& what_if);

std::string explanation_text(const Explanation& explanation, bool colour);
nlohmann::json to_json(const Explanation& explanation);

}  // namespace turnstone
