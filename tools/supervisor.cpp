#include "tools/supervisor.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "tools/stop_signals.h"

namespace turnstone {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds step{50};
// A shell that ends passes its SIGHUP on before the terminal is gone.
constexpr milliseconds hangup_settles{200};
constexpr std::size_t line_bytes_max = 64 * 1024;  // of a child's output; what is longer is cut

sigset_t watched_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

// Whether this process belongs to a terminal that is still there.
bool terminal_is_there() {
  const int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (terminal >= 0) close(terminal);
  return terminal >= 0;
}

// In the new process, between fork and exec: only calls that are safe there. Never returns.
[[noreturn]] void become(char* const* command, pid_t parent, int output, int failure) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before we asked to die with it
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  execv(command[0], command);
  const int why = errno;
  [[maybe_unused]] const ssize_t told = write(failure, &why, sizeof why);
  _exit(127);
}

}  // namespace

std::string own_program() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "turnstone";
}

std::string ChildExit::text() const {
  return by_signal ? fmt::format("was killed by signal {} ({})", value, strsignal(value)) : fmt::format("ended with code {}", value);
}

Supervisor::Supervisor(SupervisorOptions options) : options_(options), has_terminal_(terminal_is_there()), survives_terminal_(is_ignored(SIGHUP)) {
  const sigset_t signals = watched_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

Supervisor::~Supervisor() {
  for (Process& process : processes_) {
    if (process.pid > 0) {
      kill(process.pid, SIGKILL);
      waitpid(process.pid, nullptr, 0);
    }
    if (process.output >= 0) close(process.output);
  }
  if (signals_ >= 0) close(signals_);
}

Result<Supervisor::Child> Supervisor::start(ChildProgram program) {
  processes_.emplace_back();
  processes_.back().program = std::move(program);
  processes_.back().pause = options_.pause_first;
  if (Status started = launch(processes_.back()); !started) {
    processes_.pop_back();
    return tl::unexpected(started.error());
  }
  return processes_.size() - 1;
}

Status Supervisor::launch(Process& process) {
  int output[2] = {-1, -1};
  int failure[2] = {-1, -1};  // carries errno when the program cannot be run, closes when it can
  const bool piped = static_cast<bool>(process.program.on_line);
  if ((piped && pipe2(output, O_CLOEXEC) != 0) || pipe2(failure, O_CLOEXEC) != 0) {
    const int why = errno;
    for (const int fd : output) {
      if (fd >= 0) close(fd);
    }
    return fail(ErrorCode::io, fmt::format("cannot start {}: {}", process.program.name, std::strerror(why)));
  }
  std::vector<char*> command;
  for (std::string& argument : process.program.command) command.push_back(argument.data());
  command.push_back(nullptr);

  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become(command.data(), parent, output[1], failure[1]);
  int why = pid < 0 ? errno : 0;
  close(failure[1]);
  if (piped) close(output[1]);
  if (pid > 0 && read(failure[0], &why, sizeof why) == static_cast<ssize_t>(sizeof why)) waitpid(pid, nullptr, 0);
  close(failure[0]);
  if (why != 0) {
    if (piped) close(output[0]);
    return fail(ErrorCode::io, fmt::format("cannot start {} ({}): {}", process.program.name, process.program.command.front(), std::strerror(why)));
  }
  if (process.output >= 0) close(process.output);
  process.output = output[0];
  if (piped) fcntl(process.output, F_SETFL, O_NONBLOCK);
  process.line.clear();
  process.pid = pid;
  process.started = Clock::now();
  process.wants_restart = false;
  spdlog::info("{} runs as process {}", process.program.name, pid);
  return {};
}

void Supervisor::set_command(Child child, std::vector<std::string> command) { processes_[child].program.command = std::move(command); }

pid_t Supervisor::pid(Child child) const { return processes_[child].pid; }

const ChildExit* Supervisor::last_exit(Child child) const { return processes_[child].has_exited ? &processes_[child].exit : nullptr; }

unsigned Supervisor::deaths(Child child) const { return processes_[child].deaths; }

bool Supervisor::run(const std::function<bool()>& done, milliseconds time) {
  const auto end = Clock::now() + std::min<milliseconds>(time, std::chrono::hours(24 * 365));
  for (;;) {
    if (done()) return true;
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    if (left <= milliseconds(0) || stop_requested_) return false;
    wait_for_something(std::min(left, step));
    settle_hangup();
    restart_due();
  }
}

void Supervisor::wait_for_something(milliseconds time) {
  for (const Process& process : processes_) {
    if (!process.wants_restart || !restarting_) continue;
    const auto until_restart = std::chrono::ceil<milliseconds>(process.restart_at - Clock::now());
    time = std::clamp(until_restart, milliseconds(0), time);
  }
  std::vector<pollfd> watched{{signals_, POLLIN, 0}};
  std::vector<Child> whose{0};
  for (Child child = 0; child < processes_.size(); ++child) {
    if (processes_[child].output < 0) continue;
    watched.push_back({processes_[child].output, POLLIN, 0});
    whose.push_back(child);
  }
  if (poll(watched.data(), watched.size(), static_cast<int>(time.count())) > 0) {
    for (std::size_t i = 1; i < watched.size(); ++i) {
      if (watched[i].revents != 0) read_lines(processes_[whose[i]]);
    }
    if (watched[0].revents != 0) read_signals();
  }
  reap();  // whatever poll says: another thread that does not block SIGCHLD may have taken the signal
}

void Supervisor::read_signals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) stop_requested_ = true;
    if (info.ssi_signo == SIGHUP) hangup_settles_at_ = Clock::now() + (has_terminal_ ? hangup_settles : milliseconds(0));
  }
  settle_hangup();
}

void Supervisor::settle_hangup() {
  if (!hangup_settles_at_) return;
  const bool gone = has_terminal_ && !terminal_is_there();
  if (!gone && Clock::now() < *hangup_settles_at_) return;
  hangup_settles_at_.reset();
  has_terminal_ = has_terminal_ && !gone;
  renewal_requested_ = renewal_requested_ || !gone;
  stop_requested_ = stop_requested_ || (gone && !survives_terminal_);
}

void Supervisor::read_lines(Process& process) {
  char bytes[4096];
  ssize_t count = 0;
  while ((count = read(process.output, bytes, sizeof bytes)) > 0) {
    for (const char byte : std::string_view(bytes, static_cast<std::size_t>(count))) {
      if (byte != '\n') {
        if (process.line.size() < line_bytes_max) process.line += byte;
        continue;
      }
      process.program.on_line(process.line);
      process.line.clear();
    }
  }
  if (count == 0 || errno != EAGAIN) {  // the child closed it, or is gone
    close(process.output);
    process.output = -1;
  }
}

void Supervisor::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = std::find_if(processes_.begin(), processes_.end(), [pid](const Process& process) { return process.pid == pid; });
    if (found == processes_.end()) continue;  // an orphan that became ours
    Process& process = *found;
    if (process.output >= 0) read_lines(process);
    process.pid = 0;
    process.has_exited = true;
    ++process.deaths;
    process.exit = WIFSIGNALED(status) ? ChildExit{true, WTERMSIG(status)} : ChildExit{false, WEXITSTATUS(status)};
    const auto now = Clock::now();
    if (now - process.started >= options_.steady) process.pause = options_.pause_first;
    process.restart_at = now + process.pause;
    process.wants_restart = restarting_ && !process.retired;
    if (process.wants_restart)
      spdlog::warn("{} (process {}) {}; it is started again in {} ms", process.program.name, pid, process.exit.text(), process.pause.count());
    process.pause = std::min(process.pause * 2, options_.pause_most);
  }
}

void Supervisor::restart_due() {
  for (Process& process : processes_) {
    if (!process.wants_restart || !restarting_ || Clock::now() < process.restart_at) continue;
    if (Status started = launch(process); !started) {
      spdlog::error("{}", started.error().detail);
      process.restart_at = Clock::now() + process.pause;
      process.pause = std::min(process.pause * 2, options_.pause_most);
    }
  }
}

bool Supervisor::retire(Child child, milliseconds patience) {
  processes_[child].retired = true;
  processes_[child].wants_restart = false;
  if (processes_[child].pid > 0) kill(processes_[child].pid, SIGTERM);
  const auto ended = [&] { return processes_[child].pid == 0; };  // others may have been started meanwhile: no reference is kept
  if (!run(ended, patience)) {
    spdlog::warn("{} (process {}) did not end in time and is killed", processes_[child].program.name, processes_[child].pid);
    kill(processes_[child].pid, SIGKILL);
    for (int tries = 0; !ended() && tries < 100; ++tries) wait_for_something(step);
  }
  const Process& process = processes_[child];
  return process.has_exited && !process.exit.by_signal && process.exit.value == 0;
}

bool Supervisor::end(const std::vector<Child>& children, milliseconds patience) {
  restarting_ = false;
  stop_requested_ = false;  // another request while waiting cuts the patience short
  for (const Child child : children) {
    if (processes_[child].pid > 0) kill(processes_[child].pid, SIGTERM);
  }
  const auto ended = [&] { return std::all_of(children.begin(), children.end(), [this](Child child) { return processes_[child].pid == 0; }); };
  if (!run(ended, patience)) {
    for (const Child child : children) {
      const Process& process = processes_[child];
      if (process.pid == 0) continue;
      spdlog::warn("{} (process {}) did not end in time and is killed", process.program.name, process.pid);
      kill(process.pid, SIGKILL);
    }
    stop_requested_ = false;
    run(ended, std::chrono::seconds(5));
  }
  return std::all_of(children.begin(), children.end(), [this](Child child) {
    const Process& process = processes_[child];
    return process.has_exited && !process.exit.by_signal && process.exit.value == 0;
  });
}

}  // namespace turnstone
