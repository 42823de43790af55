#include "tools/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace turnstone {

namespace {
constexpr auto shown_after = std::chrono::seconds(1);
constexpr auto redrawn_every = std::chrono::milliseconds(100);
constexpr int bar_cells = 30;
}  // namespace

int terminal_columns(int file_descriptor) {
  winsize size{};
  if (ioctl(file_descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

bool colours_wanted(int file_descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(file_descriptor) != 0 && (refused == nullptr || *refused == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

ProgressBar::ProgressBar(std::string title)
    : title_(std::move(title)), terminal_(isatty(STDERR_FILENO) != 0), started_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::update(std::string_view phase, int permille) {
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  if (now - started_ < shown_after || now - drawn_at_ < redrawn_every) return;
  draw(phase, std::clamp(permille, 0, 1000), now);
}

void ProgressBar::draw(std::string_view phase, int permille, std::chrono::steady_clock::time_point now) {
  drawn_at_ = now;
  drawn_ = true;
  const int full = permille * bar_cells / 1000;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  std::string line = fmt::format("{} [{:#<{}}{:.<{}}] {:3}% {:.0f}s {}", title_, "", full, "", bar_cells - full, permille / 10, seconds, phase);
  const auto columns = static_cast<std::size_t>(std::max(20, terminal_columns(STDERR_FILENO) - 1));
  if (line.size() > columns) line.resize(columns);
  fmt::print(stderr, "\r\x1b[K{}", line);
  std::fflush(stderr);
}

void ProgressBar::finish() {
  const std::scoped_lock lock(mutex_);
  if (!drawn_) return;
  drawn_ = false;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace turnstone
