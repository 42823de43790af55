#include "tests/end_to_end/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace turnstone::end_to_end {

using std::chrono::milliseconds;

ChildProcess::ChildProcess(std::vector<std::string> command) {
  std::array<int, 2> out{}, err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0) std::abort();
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that is cut off leaves nothing behind
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  output_reader_ = std::thread([this, fd = out[0]] { read(fd, output_); });
  errors_reader_ = std::thread([this, fd = err[0]] { read(fd, errors_); });
}

ChildProcess::~ChildProcess() {
  kill();
  read_to_end();
}

void ChildProcess::read_to_end() {
  if (output_reader_.joinable()) output_reader_.join();
  if (errors_reader_.joinable()) errors_reader_.join();
}

void ChildProcess::read(int fd, std::string& into) {
  char bytes[4096];
  for (ssize_t count = 0; (count = ::read(fd, bytes, sizeof bytes)) > 0;) {
    const std::lock_guard lock(mutex_);
    into.append(bytes, static_cast<std::size_t>(count));
  }
  close(fd);
}

void ChildProcess::signal(int number) const {
  if (!ended_) ::kill(pid_, number);
}

void ChildProcess::freeze() const {
  signal(SIGSTOP);
  siginfo_t stopped{};
  if (!ended_) ::waitid(P_PID, static_cast<id_t>(pid_), &stopped, WSTOPPED | WEXITED | WNOWAIT);
}

void ChildProcess::kill() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  wait(patience);
}

std::optional<int> ChildProcess::wait(milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!ended_) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    } else if (std::chrono::steady_clock::now() > end) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }
  return ended_;
}

bool ChildProcess::running() { return !wait(milliseconds(0)); }

std::string ChildProcess::output() const {
  const std::lock_guard lock(mutex_);
  return output_;
}

std::string ChildProcess::errors() const {
  const std::lock_guard lock(mutex_);
  return errors_;
}

std::string ChildProcess::wait_for_line(const std::string& mark) {
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    const std::string text = output();
    if (const std::size_t at = text.find(mark); at != std::string::npos) {
      if (const std::size_t line_end = text.find('\n', at); line_end != std::string::npos) return text.substr(at, line_end - at);
    }
    if (!running() && output().find(mark) == std::string::npos) return {};
    std::this_thread::sleep_for(milliseconds(1));
  } while (std::chrono::steady_clock::now() < end);
  return {};
}

Ran run(std::vector<std::string> command) {
  ChildProcess process(std::move(command));
  Ran ran;
  ran.code = process.wait(patience).value_or(-1);
  process.kill();
  process.read_to_end();
  ran.output = process.output();
  ran.errors = process.errors();
  return ran;
}

bool lives(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  const std::string text((std::istreambuf_iterator<char>(stat)), {});
  return !text.empty() && text.find(") Z") == std::string::npos;
}

}  // namespace turnstone::end_to_end
