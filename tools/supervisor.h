// Child processes: started, watched, started again after a growing pause when they die, and ended together.
//
// Children are killed by the system when this process dies, however it dies. They have process groups of their own,
// so that Ctrl-C at a terminal reaches this process only, which then ends them in order.
// Thread safety: one thread, the one that starts the children, uses a Supervisor. The process should have no other: one that does not
// block SIGCHLD may take it, and the end of a child is then seen up to 50 ms later; one that does not block the stop signals dies of them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/error.h"

namespace turnstone {

// The path of the running program, for children that are the same program under another verb.
std::string own_program();

struct ChildExit {
  bool by_signal = false;
  int value = 0;             // exit code or signal
  std::string text() const;  // "was killed by signal 9 (Killed)", "ended with code 3"
};

struct ChildProgram {
  std::string name;                  // in log lines: "worker 2"
  std::vector<std::string> command;  // the program's path and its arguments
  // Its lines on standard output; none: they go where this process's go.
  std::function<void(std::string_view line)> on_line;
};

struct SupervisorOptions {
  std::chrono::milliseconds pause_first{100};   // before a dead child is started again
  std::chrono::milliseconds pause_most{5'000};  // doubled up to this with each death …
  std::chrono::milliseconds steady{10'000};     // … of a child that has not lived so long
};

class Supervisor {
 public:
  using Child = std::size_t;

  explicit Supervisor(SupervisorOptions options = {});
  ~Supervisor();  // kills what still lives
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Starts a child. Error: io (not runnable).
  Result<Child> start(ChildProgram program);
  // The command of later restarts.
  void set_command(Child child, std::vector<std::string> command);
  pid_t pid(Child child) const;                   // 0: not running now
  const ChildExit* last_exit(Child child) const;  // nullptr: it has not died yet
  unsigned deaths(Child child) const;

  // Reaps, restarts and hands lines on until `done` holds (asked after each thing that happened and at least every
  // 50 ms), SIGTERM or SIGINT came, or `time` has passed. True: `done` held.
  bool run(const std::function<bool()>& done, std::chrono::milliseconds time);
  bool stop_requested() const { return stop_requested_; }
  // Whether SIGHUP came since this was last asked. One that comes because the terminal was closed is a request to stop instead, unless
  // SIGHUP was ignored when this was made (nohup); without a terminal of its own a process takes every one as a request.
  bool take_renewal_request() { return std::exchange(renewal_requested_, false); }

  // Ends one child for good while the others are watched on: SIGTERM, and SIGKILL when it has not ended after `patience` or
  // a stop signal came. True: it ended by itself with code 0.
  bool retire(Child child, std::chrono::milliseconds patience);

  // From now on nothing is started again: SIGTERM to these children, SIGKILL to those that have not ended after
  // `patience` (or when a further stop signal comes). True: all ended by themselves with code 0.
  bool end(const std::vector<Child>& children, std::chrono::milliseconds patience);

 private:
  using Clock = std::chrono::steady_clock;
  struct Process {
    ChildProgram program;
    pid_t pid = 0;
    int output = -1;   // our end of its standard output
    std::string line;  // begun and not ended yet
    Clock::time_point started;
    Clock::time_point restart_at;
    std::chrono::milliseconds pause{0};
    bool wants_restart = false;
    bool has_exited = false;
    bool retired = false;
    unsigned deaths = 0;
    ChildExit exit;
  };

  Status launch(Process& process);
  void wait_for_something(std::chrono::milliseconds time);
  void read_signals();
  void settle_hangup();
  void read_lines(Process& process);
  void reap();
  void restart_due();

  SupervisorOptions options_;
  std::vector<Process> processes_;
  int signals_ = -1;  // signalfd of SIGCHLD, SIGTERM, SIGINT, SIGHUP
  bool stop_requested_ = false;
  bool renewal_requested_ = false;
  std::optional<Clock::time_point> hangup_settles_at_;  // SIGHUP came: a request, unless the terminal is gone by then
  bool has_terminal_;
  const bool survives_terminal_;
  bool restarting_ = true;
};

}  // namespace turnstone
