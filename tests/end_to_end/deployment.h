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
  ~Deployment();

  const std::string& ledger() const { return ledger_; }
  const std::string& index() const;
  const std::string& folder() const { return folder_; }

  // Starts the engine and waits until it listens; each later start has the address of the first.
  void start_engine();
  ChildProcess& engine() { return *engine_; }
  std::vector<std::string> engine_command(const std::string& http) const;
  // Starts one more worker; they are numbered from 0.
  ChildProcess& start_worker();
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
  std::vector<std::string> worker_command() const;

  std::string folder_, ledger_, bus_;
  HttpAddress http_;
  std::unique_ptr<ChildProcess> engine_;
  std::vector<std::unique_ptr<ChildProcess>> workers_;
};

}  // namespace turnstone::end_to_end
