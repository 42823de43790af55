// A progress bar on a terminal for work that takes over a second; silent everywhere else.
//
// Thread safety: update() may be called from any thread. The bar appears after the first second, is redrawn at
// most ten times a second, and is wiped by finish() or the destructor, so that it never stands in the output.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

namespace turnstone {

class ProgressBar {
 public:
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // permille: 0..1000 of the whole work; `phase` names what is done now.
  void update(std::string_view phase, int permille);
  void finish();

 private:
  void draw(std::string_view phase, int permille, std::chrono::steady_clock::time_point now);

  std::mutex mutex_;
  const std::string title_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point drawn_at_{};
  bool drawn_ = false;
};

// Columns of the terminal behind `file_descriptor`; 80 where there is none.
int terminal_columns(int file_descriptor);
// Whether to colour what goes to `file_descriptor`: a terminal, NO_COLOR unset or empty, TERM not "dumb".
bool colours_wanted(int file_descriptor);

}  // namespace turnstone
