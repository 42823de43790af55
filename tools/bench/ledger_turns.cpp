#include "tools/bench/ledger_turns.h"

#include "events/chain.h"

namespace turnstone {

Status start_ledger_session(Ledger& ledger, const SessionId& session) {
  SessionStarted event;
  event.session = session;
  event.channel = "bench";
  event.policy_variant = "shopper";
  const auto started = ledger.start_session(event, std::nullopt, system_clock().now());
  return started ? Status{} : Status(tl::unexpected(started.error()));
}

Status write_ledger_turn(Ledger& ledger, const SessionId& session, std::uint64_t key) {
  AcceptRequest request;
  request.session = session;
  request.key = TurnKey{"key " + std::to_string(key)};
  request.body_mac = blake2b(request.key.value);
  request.received.text = "something warm and red for my sister, not wool, under eighty";
  request.now = system_clock().now();
  const auto outcome = ledger.accept(request);
  if (!outcome) return tl::unexpected(outcome.error());
  const auto* turn = std::get_if<Accepted>(&*outcome);
  if (turn == nullptr) return fail(ErrorCode::internal, "a key of a benchmark was used before");
  CommitRequest commit;
  commit.session = session;
  commit.turn = turn->turn;
  commit.attempt = turn->attempt;
  commit.now = system_clock().now();
  ConstraintSet colour;
  colour.facet = "color";
  colour.value.any_of = {"red"};
  colour.said = "red";
  ProductsShown shown;
  for (int i = 0; i < 10; ++i) shown.products.push_back({ProductId{"B00EXAMPLE" + std::to_string(i)}, Score{123'456 - i}, Permille{700}});
  TurnCompleted completed;
  completed.turn = turn->turn;
  completed.attempt = turn->attempt;
  commit.appends = {{stream_of(session), turn->sequence,
                     {IntentClassified{Intent::buying, Permille{700}, "under eighty"}, colour, QuestionAsked{}, shown,
                      ReplySent{"Red, warm and not wool. Two match under $80."}, completed}}};
  commit.flight_record.assign(1'000, 'f');
  commit.reply.assign(1'500, 'r');
  const auto committed = ledger.commit(commit);
  if (!committed) return tl::unexpected(committed.error());
  return std::holds_alternative<Committed>(*committed) ? Status{} : Status(fail(ErrorCode::internal, "a turn of a benchmark was not committed"));
}

}  // namespace turnstone
