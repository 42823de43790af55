#include "storage/files/unfinished.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <memory>

namespace turnstone {
namespace {

namespace fs = std::filesystem;

// Runs `body` in a process of its own, sends it the signals when it has said that it is ready, and gives its wait status.
template <class Body>
int status_when_signalled(std::initializer_list<int> signals, Body body) {
  int ready[2];
  if (pipe(ready) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    body();
    [[maybe_unused]] const ssize_t told = write(ready[1], "r", 1);
    ::alarm(30);  // ends it otherwise than the signals under test would
    while (true) ::pause();
  }
  char byte = 0;
  [[maybe_unused]] const ssize_t heard = read(ready[0], &byte, 1);
  for (const int signal : signals) kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  close(ready[0]);
  close(ready[1]);
  return status;
}

TEST(Unfinished, IsClearedByEverySignalThatStops) {
  std::string folder = (fs::temp_directory_path() / "turnstone-test-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_when_signalled({signal}, [&] {
      static const ClearedWhenStopped cleared;
      static const Unfinished file(folder + "/file"), below(folder + "/folder");
      { const Unfinished finished(folder + "/kept"); }
      std::ofstream(folder + "/kept") << "x";
      std::ofstream(file.path()) << "x";
      fs::create_directory(below.path());
      std::ofstream(below.path() + "/inside") << "x";
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_FALSE(fs::exists(folder + "/file"));
    EXPECT_FALSE(fs::exists(folder + "/folder"));
    EXPECT_TRUE(fs::exists(folder + "/kept"));
  }
  fs::remove_all(folder);
}

TEST(Unfinished, AnIgnoredSignalStaysIgnored) {
  const int status = status_when_signalled({SIGHUP, SIGTERM}, [] {
    std::signal(SIGHUP, SIG_IGN);
    static const ClearedWhenStopped cleared;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
}

}  // namespace
}  // namespace turnstone
