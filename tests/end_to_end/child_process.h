// A real process of the program under test: started, signalled, waited for, its output kept.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace turnstone::end_to_end {

inline constexpr std::chrono::seconds patience{30};  // for what must happen; far beyond what it takes

class ChildProcess {
 public:
  explicit ChildProcess(std::vector<std::string> command);
  ~ChildProcess();  // SIGKILL if it still runs
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // SIGSTOP, and waits until every thread stands still: a signal alone lets them run on for a moment.
  void freeze() const;
  // SIGKILL, and waits until it is gone.
  void kill();
  // The exit code, 128 + the signal that ended it, or nothing when it has not ended in time.
  std::optional<int> wait(std::chrono::milliseconds time);
  bool running();

  // Returns when both outputs have ended: call it after the process has.
  void read_to_end();
  std::string output() const;  // standard output so far
  std::string errors() const;  // standard error so far
  // The rest of the first line of standard output that holds `mark`, from there on; empty when none came in time.
  std::string wait_for_line(const std::string& mark);

 private:
  void read(int fd, std::string& into);

  pid_t pid_ = -1;
  std::optional<int> ended_;
  mutable std::mutex mutex_;
  std::string output_, errors_;
  std::thread output_reader_, errors_reader_;
};

// Runs a command to its end.
struct Ran {
  int code = -1;
  std::string output, errors;
};
Ran run(std::vector<std::string> command);

// Whether the process with this id exists and is no zombie.
bool lives(pid_t pid);

}  // namespace turnstone::end_to_end
