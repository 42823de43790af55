#include <fmt/core.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/gateway/http_address.h"
#include "storage/artefact/artefact.h"
#include "tools/policy_file.h"
#include "tools/process_log.h"
#include "tools/supervisor.h"
#include "tools/temporary_folder.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

using std::chrono::milliseconds;

// SIGTERM to exit within five seconds: the engine drains first, while the workers still work.
constexpr milliseconds engine_patience{4'200};
constexpr milliseconds worker_patience{500};
constexpr milliseconds worker_drain{3'000};     // of one that another has replaced: it finishes what it holds
constexpr milliseconds start_patience{60'000};  // opening a large ledger after a crash takes its time
constexpr std::uint32_t workers_max = 256;

struct UpOptions {
  std::string index;
  std::string ledger;
  std::string master_key;
  std::string http = "127.0.0.1:8080";
  std::string policy_file;
  std::string durability = "synced";
  std::vector<std::string> hosts;
  std::uint32_t workers = 2;
  bool allow_remote = false;
  bool allow_erase = false;
  bool json = false;
};

// Where the folder of the bus's socket is made. The socket's path may have 107 bytes: a long runtime folder is passed over.
std::string runtime_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool usable = runtime != nullptr && *runtime == '/' && std::string_view(runtime).size() < 60 && access(runtime, W_OK) == 0;
  return usable ? runtime : "/tmp";
}

// What would make every child fail is said once, before any is started.
Status check(const UpOptions& options) {
  if (auto address = parse_http_address(options.http); !address) return tl::unexpected(address.error());
  if (auto artefact = Artefact::open(options.index); !artefact) return tl::unexpected(artefact.error());
  if (auto policy = load_policy(options.policy_file); !policy) return tl::unexpected(policy.error());
  return {};
}

// The engine and its workers as children of this process.
class Service {
 public:
  Service(const UpOptions& options, std::string bus) : options_(options), bus_(std::move(bus)) {}

  // Exit code of an engine that could not start (it has said why); nothing when it listens or a stop was asked for.
  Result<std::optional<ExitCode>> start() {
    ChildProgram engine{"engine", engine_command(options_.http), [this](std::string_view line) { on_engine_line(line); }};
    auto started = supervisor_.start(std::move(engine));
    if (!started) return tl::unexpected(started.error());
    engine_ = *started;
    supervisor_.run([this] { return !http_.empty() || supervisor_.last_exit(engine_) != nullptr; }, start_patience);
    if (const ChildExit* ended = supervisor_.last_exit(engine_); ended != nullptr && http_.empty()) {
      return ended->by_signal || ended->value == 0 ? ExitCode::environment : static_cast<ExitCode>(ended->value);
    }
    if (supervisor_.stop_requested()) return std::nullopt;
    if (http_.empty())
      return fail(ErrorCode::io, "the engine did not listen within a minute; see its lines above, or run turnstone engine by itself");
    supervisor_.set_command(engine_, engine_command(http_));  // a restarted engine keeps the port
    while (workers_.size() < options_.workers) {
      auto worker = start_worker();
      if (!worker) return tl::unexpected(worker.error());
      workers_.push_back(std::move(*worker));
    }
    return std::nullopt;
  }

  void run_until_stopped() {
    if (supervisor_.run([this] { return in_service_; }, start_patience)) {
      announce();
    } else if (!supervisor_.stop_requested()) {
      spdlog::warn("no worker has joined yet; see the lines above");
    }
    while (!supervisor_.stop_requested()) {
      bool renew = false;
      supervisor_.run([&] { return renew = supervisor_.take_renewal_request(); }, std::chrono::hours(1));
      if (renew) replace_workers();
    }
  }

  bool stop() {
    spdlog::info("draining");
    const bool engine_ended = supervisor_.end({engine_}, engine_patience);
    std::vector<Supervisor::Child> workers;
    for (const Worker& worker : workers_) workers.push_back(worker.child);
    supervisor_.end(workers, worker_patience);  // a worker killed here leaves nothing undone: the engine has ended
    return engine_ended;
  }

 private:
  std::vector<std::string> engine_command(const std::string& http) const {
    std::vector<std::string> command = {program_, "engine", "--ledger",     options_.ledger,     "--bus", bus_,
                                        "--http", http,     "--durability", options_.durability, "--json"};
    if (!options_.master_key.empty()) command.insert(command.end(), {"--master-key", options_.master_key});
    if (options_.allow_remote) command.emplace_back("--allow-remote");
    if (options_.allow_erase) command.emplace_back("--allow-erase");
    for (const std::string& host : options_.hosts) command.insert(command.end(), {"--allow-host", host});
    return command;
  }
  std::vector<std::string> worker_command(const std::string& name) const {
    std::vector<std::string> command = {program_, "worker", "--index", options_.index, "--bus", bus_, "--name", name};
    if (!options_.policy_file.empty()) command.insert(command.end(), {"--policy", options_.policy_file});
    return command;
  }

  struct Worker {
    std::string name;
    Supervisor::Child child = 0;
  };
  Result<Worker> start_worker() {
    const std::string name = fmt::format("worker-{}", ++started_);
    auto child = supervisor_.start({name, worker_command(name), {}});
    if (!child) return tl::unexpected(child.error());
    return Worker{name, *child};
  }

  // A new worker for each, which reads index and policy as they are now; an old one ends only when its successor gets turns, so
  // that no turn waits for either. Sessions move to the new index between two turns, once nobody serves the old one.
  void replace_workers() {
    if (Status checked = check(options_); !checked) return spdlog::error("the workers stay: {}", checked.error().detail);
    for (Worker& worker : workers_) {
      auto fresh = start_worker();
      if (!fresh) return spdlog::error("the other workers stay: {}", fresh.error().detail);
      const auto died = [&] { return supervisor_.deaths(fresh->child) > 0; };
      supervisor_.run([&] { return ready_.contains(fresh->name) || died(); }, start_patience);
      if (!ready_.contains(fresh->name)) {
        supervisor_.retire(fresh->child, worker_patience);
        if (!supervisor_.stop_requested()) spdlog::error("{} did not get into service; the other workers stay, see the lines above", fresh->name);
        return;
      }
      if (!supervisor_.retire(worker.child, worker_drain)) spdlog::warn("{} left turns behind; they are tried again", worker.name);
      spdlog::info("{} was replaced by {}", worker.name, fresh->name);
      worker = std::move(*fresh);
    }
    spdlog::info("all workers were replaced");
  }

  // The engine's own announcements, or the error it ends with.
  void on_engine_line(std::string_view line) {
    const auto event = nlohmann::json::parse(line, nullptr, false);
    if (!event.is_object()) return;
    if (const auto error = event.find("error"); error != event.end()) fmt::print(stderr, "turnstone: {}\n", error->value("detail", std::string()));
    const std::string what = event.value("event", std::string());
    if (what == "listening") http_ = event.value("http", std::string());
    if (what == "in_service") in_service_ = true;
    if (what == "workers") ready_ = event.value("ready", std::set<std::string>());
  }

  void announce() const {
    nlohmann::ordered_json workers = nlohmann::ordered_json::array();
    for (const Worker& worker : workers_) workers.push_back(supervisor_.pid(worker.child));
    if (options_.json) {
      const nlohmann::ordered_json event = {
          {"event", "in_service"}, {"http", http_}, {"bus", bus_}, {"engine", supervisor_.pid(engine_)}, {"workers", workers}};
      fmt::print("{}\n", event.dump());
    } else {
      fmt::print("in service at http://{} with {} worker{} (Ctrl-C or SIGTERM ends all)\n", http_, workers_.size(), workers_.size() == 1 ? "" : "s");
    }
    std::fflush(stdout);
  }

  const UpOptions& options_;
  const std::string bus_;
  const std::string program_ = own_program();
  Supervisor supervisor_;
  Supervisor::Child engine_ = 0;
  std::vector<Worker> workers_;
  std::uint32_t started_ = 0;    // workers, ever
  std::set<std::string> ready_;  // names of those that get turns
  std::string http_;             // where the engine listens; empty until it says so
  bool in_service_ = false;
};

Result<ExitCode> run_up(const UpOptions& options) {
  log_to_standard_error("up");
  if (Status checked = check(options); !checked) return tl::unexpected(checked.error());
  auto folder = TemporaryFolder::make(runtime_folder());
  if (!folder) return tl::unexpected(folder.error());
  Service service(options, "ipc://" + (*folder)->path() + "/bus");
  auto failed = service.start();
  if (!failed) return tl::unexpected(failed.error());
  if (*failed) return **failed;
  service.run_until_stopped();
  if (!service.stop()) return fail(ErrorCode::io, "the engine had to be killed before it had drained; what it acknowledged is in the ledger");
  return ExitCode::success;
}

}  // namespace

Verb add_up(CLI::App& app) {
  auto options = std::make_shared<UpOptions>();
  CLI::App& command = add_command(app, "up",
                                  "Start an engine and its workers, start again what dies, end all on SIGTERM; SIGHUP: take a new index without an "
                                  "interruption; a closed terminal ends it (unless under nohup)",
                                  "turnstone up --index idx --ledger ledger --workers 2 --http 127.0.0.1:8080");
  command.add_option("--index", options->index, "Folder that `turnstone index` wrote")->required();
  command.add_option("--ledger", options->ledger, "Folder of the ledger, made when missing")->required();
  add_master_key_option(command, options->master_key);
  command.add_option("--workers", options->workers, "Worker processes")->check(CLI::Range(1U, workers_max))->capture_default_str();
  command.add_option("--http", options->http, "Where front ends connect: ADDRESS:PORT; port 0 takes any free one")->capture_default_str();
  command.add_flag("--allow-remote", options->allow_remote, "Allow an --http address that other machines reach; the API has no log-in");
  command.add_flag("--allow-erase", options->allow_erase, "Let whoever reaches --http erase sessions and profiles (DELETE, turnstone erase --http)");
  command.add_option("--allow-host", options->hosts, "Host name to answer under besides the loopback ones; may be repeated");
  command.add_option("--policy", options->policy_file, "Policy file to use instead of the compiled-in one");
  command.add_option("--durability", options->durability, "fast survives a killed process but not a power cut")
      ->check(CLI::IsMember({"synced", "fast"}))
      ->capture_default_str();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_up(*options); }};
}

}  // namespace turnstone
