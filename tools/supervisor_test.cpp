#include "tools/supervisor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <utility>

namespace turnstone {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds patience = seconds(20);  // for what must happen; far beyond what it takes
constexpr SupervisorOptions quick{.pause_first = milliseconds(5), .pause_most = milliseconds(20), .steady = seconds(10)};

// Scripts end in the program that waits (exec): one that the shell waits for would outlive it, and hold the test's output open.
ChildProgram shell(const std::string& script, std::function<void(std::string_view)> on_line = {}) {
  return {"child", {"/bin/sh", "-c", script}, std::move(on_line)};
}

TEST(Supervisor, HandsLinesOn) {
  Supervisor supervisor(quick);
  std::vector<std::string> lines;
  ASSERT_TRUE(supervisor.start(shell("printf 'one\\ntwo\\nhalf'; exec sleep 60", [&](std::string_view line) { lines.emplace_back(line); })));
  EXPECT_TRUE(supervisor.run([&] { return lines.size() == 2; }, patience));
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
}

TEST(Supervisor, StartsADeadChildAgain) {
  Supervisor supervisor(quick);
  int starts = 0;
  const auto child = supervisor.start(shell("echo started; exit 3", [&](std::string_view) { ++starts; }));
  ASSERT_TRUE(child);
  EXPECT_TRUE(supervisor.run([&] { return starts >= 5; }, patience));
  ASSERT_NE(supervisor.last_exit(*child), nullptr);
  EXPECT_EQ(supervisor.last_exit(*child)->text(), "ended with code 3");
  EXPECT_GE(supervisor.deaths(*child), 4U);
}

TEST(Supervisor, WaitsLongerBeforeEachRestart) {
  Supervisor supervisor({.pause_first = milliseconds(40), .pause_most = milliseconds(100'000), .steady = seconds(100)});
  const auto child = supervisor.start(shell("exit 1"));
  ASSERT_TRUE(child);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(supervisor.run([&] { return supervisor.deaths(*child) == 4; }, patience));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(40 + 80 + 160));
}

TEST(Supervisor, RestartsAKilledChildWithItsNewCommand) {
  Supervisor supervisor(quick);
  std::string last;
  const auto child = supervisor.start(shell("echo first; exec sleep 60", [&](std::string_view line) { last = line; }));
  ASSERT_TRUE(child);
  ASSERT_TRUE(supervisor.run([&] { return last == "first"; }, patience));
  supervisor.set_command(*child, {"/bin/sh", "-c", "echo second; exec sleep 60"});
  const pid_t killed = supervisor.pid(*child);
  kill(killed, SIGKILL);
  EXPECT_TRUE(supervisor.run([&] { return last == "second"; }, patience));
  EXPECT_NE(supervisor.pid(*child), killed);
  EXPECT_TRUE(supervisor.last_exit(*child)->by_signal);
}

TEST(Supervisor, SaysWhenAProgramCannotRun) {
  Supervisor supervisor(quick);
  const auto child = supervisor.start({"worker", {"/nowhere/turnstone", "worker"}, {}});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, ErrorCode::io);
  EXPECT_NE(child.error().detail.find("/nowhere/turnstone"), std::string::npos);
}

TEST(Supervisor, EndsChildrenThatListenAndKillsThoseThatDoNot) {
  Supervisor supervisor(quick);
  int ready = 0;
  const auto count = [&](std::string_view) { ++ready; };
  const auto polite = supervisor.start(shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", count));
  const auto deaf = supervisor.start(shell("trap '' TERM; echo ready; while :; do sleep 0.01; done", count));
  ASSERT_TRUE(polite && deaf);
  ASSERT_TRUE(supervisor.run([&] { return ready == 2; }, patience));
  EXPECT_TRUE(supervisor.end({*polite}, patience));
  EXPECT_FALSE(supervisor.end({*deaf}, milliseconds(50)));
  EXPECT_EQ(supervisor.pid(*deaf), 0);
  EXPECT_EQ(supervisor.last_exit(*deaf)->value, SIGKILL);
}

TEST(Supervisor, StopsAtAStopSignal) {
  Supervisor supervisor(quick);
  bool raised = false;  // once: what is still pending would stop the next Supervisor of this process
  const auto never = [&] {
    if (!std::exchange(raised, true)) raise(SIGTERM);
    return false;
  };
  EXPECT_FALSE(supervisor.run(never, patience));
  EXPECT_TRUE(supervisor.stop_requested());
}

TEST(Supervisor, SeesChildrenEndThoughAnotherThreadTakesTheirSignals) {
  std::promise<void> over;
  std::promise<void> runs;
  std::thread other([&] {
    sigset_t ended;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    pthread_sigmask(SIG_UNBLOCK, &ended, nullptr);
    runs.set_value();
    over.get_future().wait();
  });
  runs.get_future().wait();
  Supervisor supervisor(quick);
  for (int round = 0; round < 5; ++round) {
    int ready = 0;
    const auto child = supervisor.start(shell("trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", [&](std::string_view) { ++ready; }));
    EXPECT_TRUE(child && supervisor.run([&] { return ready == 1; }, patience));
    EXPECT_TRUE(supervisor.retire(*child, patience)) << "round " << round;
  }
  over.set_value();
  other.join();
}

// A process that dies without a word takes its children with it.
TEST(Supervisor, ChildrenDieWithTheirParent) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    Supervisor supervisor(quick);
    pid_t grandchild = 0;
    const auto child = supervisor.start(shell("echo ready; exec sleep 60", [](std::string_view) {}));
    if (child) grandchild = supervisor.pid(*child);
    [[maybe_unused]] const ssize_t told = write(pipe_ends[1], &grandchild, sizeof grandchild);
    supervisor.run([] { return false; }, seconds(60));
    _exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(pipe_ends[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  ASSERT_GT(grandchild, 0);
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  // Gone, or a zombie that whoever reaps orphans has not reaped yet.
  const auto lives = [grandchild] {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), {});
    return !text.empty() && text.find(") Z") == std::string::npos;
  };
  const auto end = std::chrono::steady_clock::now() + patience;
  while (lives() && std::chrono::steady_clock::now() < end) usleep(1'000);
  EXPECT_FALSE(lives());
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

// What SIGHUP means to a process that supervises at a terminal of its own: 'r' a request, 's' the end; `before` runs in it first.
template <class Before, class HangUp>
char meaning_of_hangup(Before before, HangUp hang_up) {
  int told[2];
  EXPECT_EQ(pipe2(told, O_CLOEXEC), 0);
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (pid == 0) {
    before();
    Supervisor supervisor(quick);
    char meaning = '.';  // it listens
    [[maybe_unused]] ssize_t written = write(told[1], &meaning, 1);
    meaning = supervisor.run([&] { return supervisor.take_renewal_request(); }, patience) ? 'r' : supervisor.stop_requested() ? 's' : '-';
    written = write(told[1], &meaning, 1);
    _exit(0);
  }
  close(told[1]);
  char meaning = 0;
  EXPECT_EQ(read(told[0], &meaning, 1), 1);
  hang_up(pid, terminal);
  EXPECT_EQ(read(told[0], &meaning, 1), 1);
  close(told[0]);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  close(terminal);
  return meaning;
}

TEST(Supervisor, AClosedTerminalEndsItAndAnyOtherHangupIsARequest) {
  const auto send = [](pid_t pid, int) { kill(pid, SIGHUP); };
  const auto close_terminal = [](pid_t, int& terminal) { close(std::exchange(terminal, -1)); };
  EXPECT_EQ(meaning_of_hangup([] {}, send), 'r');
  EXPECT_EQ(meaning_of_hangup([] {}, close_terminal), 's');

  const auto leave_terminal = [] {
    signal(SIGHUP, SIG_IGN);  // leaving sends one
    ioctl(STDIN_FILENO, TIOCNOTTY);
    signal(SIGHUP, SIG_DFL);
  };
  EXPECT_EQ(meaning_of_hangup(leave_terminal, send), 'r');

  // Started to survive its terminal (nohup): requests are heard afterwards.
  const auto close_and_send = [&](pid_t pid, int& terminal) {
    close_terminal(pid, terminal);
    for (siginfo_t ended{}; ended.si_pid == 0; usleep(1'000)) {
      kill(pid, SIGHUP);
      if (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) break;
    }
  };
  EXPECT_EQ(meaning_of_hangup([] { signal(SIGHUP, SIG_IGN); }, close_and_send), 'r');
}

}  // namespace
}  // namespace turnstone
