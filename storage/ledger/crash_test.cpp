// A process that takes turns is killed at any moment. Every turn it was told about is there once, and the chains hold.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <map>
#include <random>
#include <thread>

#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;

constexpr int rounds = 20, sessions = 4;

// Written through the pipe after the sync: this turn was acknowledged.
struct Acknowledged {
  std::uint32_t session;
  std::uint32_t turn;
  std::uint64_t position;
};

std::string session_name(std::uint32_t number) { return "s" + std::to_string(number); }

// Takes turns on one session, as a sequencer would: what is pending first, then new ones, until it is killed.
void take_turns(Ledger& ledger, std::uint32_t number, int pipe) {
  const std::string name = session_name(number);
  if (!ledger.start_session(started(name), std::nullopt, wall_time)) return;
  const auto pending = ledger.pending().value();
  std::optional<Accepted> turn;
  for (const PendingTurn& open : pending) {
    if (open.session.value != name || open.attempt.value == 0) continue;
    const auto raised = ledger.raise_attempt(open.session, open.turn, WorkerId{"w"}, wall_time).value();
    turn = Accepted{open.turn, raised.attempt, raised.sequence};
  }
  while (true) {
    if (!turn) {
      const std::uint64_t at = ledger.head(stream_of(SessionId{name}))->sequence.value;
      turn = std::get<Accepted>(*ledger.accept(turn_request(name, "after " + std::to_string(at))));
    }
    const auto done = ledger.commit(proposal(name, turn->turn, turn->attempt, turn->sequence, "reply " + std::to_string(turn->turn.value)));
    const Committed committed = std::get<Committed>(done.value());
    if (!ledger.sync()) return;
    const Acknowledged told{number, turn->turn.value, committed.position.value};
    if (write(pipe, &told, sizeof told) != sizeof told) return;
    turn.reset();
  }
}

[[noreturn]] void child(const std::string& directory, int pipe) {
  auto ledger = open_ledger(directory, {});
  if (!ledger) {
    std::fprintf(stderr, "%s\n", ledger.error().detail.c_str());
    _exit(3);
  }
  std::vector<std::thread> threads;
  for (std::uint32_t s = 0; s < sessions; ++s) threads.emplace_back([&, s] { take_turns(**ledger, s, pipe); });
  for (std::thread& thread : threads) thread.join();
  _exit(4);
}

TEST(LedgerCrash, AKilledProcessLosesNoAcknowledgedTurnAndDoublesNone) {
  const auto seed = std::random_device()();
  RecordProperty("seed", static_cast<int>(seed));
  std::mt19937 random(seed);
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/l";
  std::map<std::uint32_t, std::uint32_t> last_turn;
  std::uint64_t position = 0, acknowledged = 0;
  for (int round = 0; round < rounds; ++round) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      close(ends[0]);
      child(path, ends[1]);
    }
    close(ends[1]);
    // Killed after so many acknowledgements and a moment more, in the midst of whatever it does then.
    const std::uint64_t patience = random() % 60;
    Acknowledged told{};
    std::uint64_t heard = 0;
    const auto hear = [&] {
      if (read(ends[0], &told, sizeof told) != sizeof told) return false;
      last_turn[told.session] = std::max(last_turn[told.session], told.turn);
      position = std::max(position, told.position);
      return true;
    };
    while (heard < patience && hear()) ++heard;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    ASSERT_EQ(kill(pid, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself with " << WEXITSTATUS(status) << ", seed " << seed << ", round " << round;
    while (hear()) ++heard;
    close(ends[0]);
    acknowledged += heard;

    auto ledger = open_ledger(path, {});
    ASSERT_TRUE(ledger) << ledger.error().detail << ", seed " << seed << ", round " << round;
    EXPECT_GE((*ledger)->position().value, position) << "seed " << seed << ", round " << round;
    ASSERT_EQ(broken_chain(**ledger), "") << "seed " << seed << ", round " << round;
    for (const auto& [number, turn] : last_turn) {
      std::map<std::uint32_t, int> completed;
      const auto events = (*ledger)->read(stream_of(SessionId{session_name(number)}), Sequence{1}, 1'000'000).value();
      for (const Event& event : events) completed[event.turn.value] += std::holds_alternative<TurnCompleted>(event.body);
      for (std::uint32_t t = 1; t <= turn; ++t) {
        ASSERT_EQ(completed[t], 1) << session_name(number) << " turn " << t << ", seed " << seed << ", round " << round;
        ASSERT_EQ((*ledger)->turn(SessionId{session_name(number)}, TurnNumber{t})->reply, "reply " + std::to_string(t));
      }
    }
  }
  EXPECT_GT(acknowledged, 100u) << "seed " << seed;
}

}  // namespace
}  // namespace turnstone
