#include "tools/printed_output.h"

#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

constexpr int ended_by_sigpipe = 128 + SIGPIPE;

bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

bool printed_so_far() { return std::ferror(stdout) == 0; }

int code_after_printing(int code, int why_lost) {
  const bool lost = std::ferror(stdout) != 0;
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (!lost && flushed) return code;
  const int why = errno != 0 ? errno : why_lost;
  if (why == EPIPE || reader_is_gone()) return ended_by_sigpipe;
  fmt::print(stderr, "turnstone: the result could not be written to standard output{}{}; it is incomplete\n", why == 0 ? "" : ": ",
             why == 0 ? "" : std::strerror(why));
  return static_cast<int>(ExitCode::environment);
}

}  // namespace turnstone
