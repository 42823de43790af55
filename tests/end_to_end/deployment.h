// A deployment on this machine for one test: a small generated catalogue, an index, a ledger, an engine and workers,
// all in a temporary folder, all real processes of the program under test.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/gateway/http_client.h"
#include "events/types.h"
#include "tests/end_to_end/child_process.h"

namespace turnstone::end_to_end {

enum class Transport { ipc, tcp };

// The program under test.
std::string program();

class Deployment {
 public:
  explicit Deployment(Transport transport = Transport::ipc);
  explicit Deployment(std::string bus);
  ~Deployment();

  const std::string& ledger() const { return ledger_; }
  const std::string& index() const;
  const std::string& folder() const { return folder_; }

  // What later starts add to the commands of engine and workers, and what stands before the workers'.
  struct Additions {
    std::vector<std::string> engine, worker, before_worker;
  };
  Additions additions;
  // Makes the index of another catalogue at `path`; replay in check_ledger reads it, too, as it is now.
  void make_index(const std::string& path, int seed);
  const std::vector<std::string>& further_indexes() const { return further_indexes_; }
  void keep_index(const std::string& path) { further_indexes_.push_back(path); }

  // Starts the engine and waits until it listens; each later start has the address of the first.
  void start_engine();
  ChildProcess& engine() { return *engine_; }
  std::vector<std::string> engine_command(const std::string& http) const;
  // For processes that another one starts.
  void serve_at(HttpAddress http) { http_ = http; }
  // Starts one more worker; they are numbered from 0. Without an index: of the one that all share.
  ChildProcess& start_worker(const std::string& index = {});
  ChildProcess& worker(std::size_t number) { return *workers_.at(number); }
  void restart_worker(std::size_t number);
  std::size_t workers() const { return workers_.size(); }
  void wait_until_ready();

  HttpAddress http() const { return http_; }
  HttpClient client() const { return HttpClient(http_, patience); }
  HttpResponse get(const std::string& target) const;

  // SIGTERM to the engine; fails the test unless it ends with 0 within five seconds. Workers stay.
  void end_engine();
  void kill_everything();

 private:
  std::vector<std::string> worker_command(const std::string& index) const;

  std::string folder_, ledger_, bus_;
  std::vector<std::string> further_indexes_;
  HttpAddress http_;
  std::unique_ptr<ChildProcess> engine_;
  std::vector<std::unique_ptr<ChildProcess>> workers_;
};

}  // namespace turnstone::end_to_end
