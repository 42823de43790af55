#include "tests/end_to_end/deployment.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace turnstone::end_to_end {
namespace {

using std::chrono::milliseconds;

std::string make_folder(const std::string& name) {
  std::string pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  return pattern;
}

void index_catalogue(const std::string& catalogue, const std::string& index, int seed) {
  const Ran generated = run({program(), "generate", "--kind", "fashion", "--rows", "400", "--seed", std::to_string(seed), "--out", catalogue});
  EXPECT_EQ(generated.code, 0) << generated.errors;
  const Ran indexed = run({program(), "index", catalogue, "--out", index});
  EXPECT_EQ(indexed.code, 0) << indexed.errors;
}

// The index of a generated catalogue, made once a test program and removed at its end.
class SharedIndex {
 public:
  SharedIndex() : folder_(make_folder("turnstone-index")), index_(folder_ + "/idx") { index_catalogue(folder_ + "/catalogue.jsonl", index_, 7); }
  ~SharedIndex() { std::filesystem::remove_all(folder_); }
  const std::string& path() const { return index_; }

 private:
  std::string folder_, index_;
};

}  // namespace

std::string program() { return TURNSTONE_PROGRAM; }

Deployment::Deployment(Transport transport) : folder_(make_folder("turnstone-e2e")), ledger_(folder_ + "/ledger") {
  if (transport == Transport::ipc) {
    bus_ = "ipc://" + folder_ + "/bus";
  } else {
    // A port that was free a moment ago, below those that the system gives to clients.
    bus_ = "tcp://127.0.0.1:" + std::to_string(20'000 + getpid() % 12'000);
  }
}

Deployment::Deployment(std::string bus) : folder_(make_folder("turnstone-e2e")), ledger_(folder_ + "/ledger"), bus_(std::move(bus)) {}

Deployment::~Deployment() {
  kill_everything();
  std::filesystem::remove_all(folder_);
}

const std::string& Deployment::index() const {
  static const SharedIndex shared;
  return shared.path();
}

void Deployment::make_index(const std::string& path, int seed) {
  index_catalogue(folder_ + "/catalogue.jsonl", path, seed);
  keep_index(path);
}

std::vector<std::string> Deployment::engine_command(const std::string& http) const {
  std::vector<std::string> command = {program(), "engine", "--ledger", ledger_, "--bus", bus_, "--http", http, "--allow-erase", "--json"};
  command.insert(command.end(), additions.engine.begin(), additions.engine.end());
  return command;
}

void Deployment::start_engine() {
  engine_ = std::make_unique<ChildProcess>(engine_command(http_.text()));
  const std::string line = engine_->wait_for_line("\"http\":\"");
  ASSERT_FALSE(line.empty()) << engine_->errors() << engine_->output();
  const std::string text = line.substr(8, line.find('"', 8) - 8);
  const auto address = parse_http_address(text);
  ASSERT_TRUE(address) << text;
  http_ = *address;
}

std::vector<std::string> Deployment::worker_command(const std::string& index) const {
  std::vector<std::string> command = additions.before_worker;
  command.insert(command.end(), {program(), "worker", "--index", index.empty() ? this->index() : index, "--bus", bus_});
  command.insert(command.end(), additions.worker.begin(), additions.worker.end());
  return command;
}

ChildProcess& Deployment::start_worker(const std::string& index) {
  workers_.push_back(std::make_unique<ChildProcess>(worker_command(index)));
  return *workers_.back();
}

void Deployment::restart_worker(std::size_t number) {
  workers_.at(number)->kill();
  workers_.at(number) = std::make_unique<ChildProcess>(worker_command({}));
}

void Deployment::wait_until_ready() {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (get("/readyz").status != 200) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "not ready: " << get("/readyz").body << engine_->errors();
    std::this_thread::sleep_for(milliseconds(5));
  }
}

HttpResponse Deployment::get(const std::string& target) const {
  auto response = client().send({"GET", target, {}, {}});
  return response ? *response : HttpResponse{.status = 0, .content_type = {}, .headers = {}, .body = response.error().detail};
}

void Deployment::end_engine() {
  engine_->signal(SIGTERM);
  const auto code = engine_->wait(std::chrono::seconds(5));
  ASSERT_TRUE(code) << "the engine did not end within five seconds of SIGTERM: " << engine_->errors();
  EXPECT_EQ(*code, 0) << engine_->errors();
}

void Deployment::kill_everything() {
  if (engine_) engine_->kill();
  for (const auto& worker : workers_) worker->kill();
}

}  // namespace turnstone::end_to_end
