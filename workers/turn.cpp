#include "workers/turn.h"

#include <exception>

#include "events/chain.h"
#include "events/codec.h"
#include "workers/stage_note.h"
#include "workers/stages.h"
#include "workers/trace.h"

namespace turnstone {
namespace {

// Runs one stage; a fault in it costs what it would have given, and the record says so.
template <class Run>
auto guarded(Stage stage, FlightRecord& flight, Run&& run) {
  StageRecord record{stage, {}};
  using Given = decltype(run(record));
  Given given{};
  try {
    given = run(record);
  } catch (const std::exception& fault) {
    record.note("fault", std::string(fault.what()));
  }
  flight.stages.push_back(std::move(record));
  return given;
}

bool failed(const FlightRecord& flight) {
  return !flight.stages.empty() && !flight.stages.back().decided.empty() && flight.stages.back().decided.back().name == "fault";
}

class Turn {
 public:
  Turn(const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy, const Reader& reader)
      : before_(state), input_(input), artefact_(artefact), policy_(policy), reader_(reader) {
    trace_.revised = state;
  }

  TurnTrace take() {
    understand_and_revise();
    find();
    show_and_ask();
    answer();
    complete();
    return std::move(trace_);
  }

 private:
  // Folded as it is written, so that every stage decides from what the ledger will tell.
  void write(EventBody event) {
    fold(trace_.revised, event, input_.received.turn);
    trace_.proposal.events.push_back(std::move(event));
  }

  FlightRecord& flight() { return trace_.proposal.flight; }

  void understand_and_revise() {
    trace_.reading = guarded(Stage::understand, flight(), [&](StageRecord& record) {
      return reader_(before_, input_.received, artefact_, policy_, record);
    });
    trace_.revision = guarded(Stage::revise, flight(), [&](StageRecord& record) {
      return revise(before_, trace_.reading, artefact_, policy_, record);
    });
    for (const EventBody& event : trace_.revision.events) write(event);
  }

  void find() {
    const Guidance& guidance = trace_.revision.guidance;
    trace_.retrieval = guarded(Stage::retrieve, flight(), [&](StageRecord& record) {
      return retrieve(trace_.revised, guidance, artefact_, policy_, record);
    });
    if (failed(flight())) trace_.retrieval = previous_list();
    for (const ClauseRelaxed& relaxed : trace_.retrieval.relaxed) write(relaxed);
    trace_.ranking = guarded(Stage::rank, flight(), [&](StageRecord& record) {
      return rank(trace_.revised, guidance, trace_.retrieval, artefact_, policy_, record);
    });
    if (failed(flight())) {
      for (const Candidate& candidate : trace_.retrieval.candidates) trace_.ranking.products.push_back({candidate.product, Score{candidate.fused}});
    }
  }

  // What was shown last, else what most people rate: what is left when finding fails.
  Retrieval previous_list() const {
    Retrieval retrieval;
    for (const ShownProduct& shown : before_.last_shown) {
      if (const auto product = artefact_.find(shown.id.value)) retrieval.candidates.push_back({*product, shown.score.value});
    }
    retrieval.route = Route::previous;
    if (!retrieval.candidates.empty()) return retrieval;
    retrieval.route = Route::popular;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> best;  // rarity of interest, ordinal
    for (std::uint32_t i = 0; i < artefact_.product_count(); ++i) best.emplace_back(65'535 - artefact_.popularity(Ordinal{i}), i);
    constexpr std::size_t popular = 10;
    const auto end = best.begin() + static_cast<std::ptrdiff_t>(std::min(popular, best.size()));
    std::partial_sort(best.begin(), end, best.end());
    for (auto one = best.begin(); one != end; ++one) retrieval.candidates.push_back({Ordinal{one->second}, 65'535 - std::int64_t{one->first}});
    return retrieval;
  }

  void show_and_ask() {
    const Guidance& guidance = trace_.revision.guidance;
    trace_.slate = guarded(Stage::gate, flight(), [&](StageRecord& record) {
      return gate(trace_.revised, guidance, trace_.retrieval, trace_.ranking, input_.received.top_k, artefact_, policy_, record);
    });
    if (failed(flight())) trace_.slate.empty_reason = "the list could not be made; please try again";
    trace_.questions = guarded(Stage::ask, flight(), [&](StageRecord& record) {
      return ask(trace_.revised, guidance, trace_.retrieval, trace_.ranking, trace_.slate, artefact_, policy_, record);
    });
    for (const QuestionAsked& question : trace_.questions) write(question);
    ProductsShown shown{trace_.slate.products.empty() ? Route::none : trace_.slate.route, trace_.retrieval.matching, {}};
    for (const SlateEntry& entry : trace_.slate.products) {
      shown.products.push_back({ProductId{std::string(artefact_.product_id(entry.product))}, entry.score, entry.confidence});
    }
    write(std::move(shown));
  }

  void answer() {
    std::string text = guarded(Stage::reply, flight(), [&](StageRecord& record) {
      return reply_text(before_, trace_.revised, trace_.revision, trace_.retrieval, trace_.slate, trace_.questions, artefact_, policy_, record);
    });
    if (text.empty()) text = "I could not put my answer into words; please try again.";
    write(ReplySent{text});
    text_ = std::move(text);
  }

  void complete() {
    trace_.proposal.flight_bytes = bounded_flight_bytes(flight());
    TurnCompleted completed;
    completed.turn = input_.received.turn;
    completed.attempt = input_.attempt;
    completed.artefact = artefact_.fingerprint();
    completed.policy = policy_.fingerprint();
    completed.decision_version = decision_version;
    completed.flight_digest = blake2b(trace_.proposal.flight_bytes);
    completed.fold_version = fold_version;
    completed.state_digest = digest_of(trace_.revised);
    IntentState after = trace_.revised;
    fold(after, EventBody{completed}, input_.received.turn);
    trace_.proposal.events.push_back(completed);
    trace_.proposal.reply = reply_document(after, text_, trace_.slate, trace_.questions, artefact_);
  }

  const IntentState& before_;
  const TurnInput& input_;
  const Artefact& artefact_;
  const Policy& policy_;
  const Reader& reader_;
  TurnTrace trace_;
  std::string text_;
};

}  // namespace

TurnTrace trace_turn(const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy, const Reader& reader) {
  return Turn(state, input, artefact, policy, reader).take();
}

Proposal take_turn(const IntentState& state, const TurnInput& input, const Artefact& artefact, const Policy& policy) {
  return trace_turn(state, input, artefact, policy).proposal;
}

}  // namespace turnstone
