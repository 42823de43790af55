// Files and folders that must not stay when the program is stopped before it has finished with them.
//
// Who makes one holds an Unfinished for it and removes or renames it itself as ever; ClearedWhenStopped sees to those that are there
// when a signal ends the program. Thread safety: all of it may be used from any thread.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace turnstone {

class Unfinished {
 public:
  explicit Unfinished(std::string path);
  // The path that `make` makes: a stop comes before it or after both.
  explicit Unfinished(const std::function<std::string()>& make);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// While it lives, SIGINT, SIGTERM and SIGHUP (those that are not ignored) remove what is unfinished and then end the program as they
// would have. Make one before any thread, in a program that has no use of its own for these signals.
class ClearedWhenStopped {
 public:
  ClearedWhenStopped();
  ~ClearedWhenStopped();
  ClearedWhenStopped(const ClearedWhenStopped&) = delete;
  ClearedWhenStopped& operator=(const ClearedWhenStopped&) = delete;

 private:
  int over_ = -1;  // an eventfd: no longer watched
  std::thread watching_;
};

}  // namespace turnstone
