#include "tools/bench/service_under_load.h"

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tools/process_log.h"

namespace turnstone {

Status ServiceUnderLoad::start(std::vector<std::string> arguments) {
  setenv("TURNSTONE_LOG", "warn", 0);  // the figures are what is wanted; inherited by the children
  log_to_standard_error("bench");
  ChildProgram up{"up", {own_program(), "up", "--http", "127.0.0.1:0", "--json"}, [this](std::string_view line) { on_line(line); }};
  up.command.insert(up.command.end(), arguments.begin(), arguments.end());
  auto started = supervisor_.start(std::move(up));
  if (!started) return tl::unexpected(started.error());
  up_ = *started;
  supervisor_.run([this] { return address_.port != 0 || supervisor_.last_exit(up_) != nullptr; }, std::chrono::minutes(1));
  if (address_.port == 0) return fail(ErrorCode::io, "the service did not start; see the lines above");
  return {};
}

bool ServiceUnderLoad::watch(const std::function<bool()>& done) { return supervisor_.run(done, std::chrono::hours(24)); }
void ServiceUnderLoad::stop() { supervisor_.end({up_}, std::chrono::seconds(6)); }

void ServiceUnderLoad::on_line(std::string_view line) {
  const auto event = nlohmann::json::parse(line, nullptr, false);
  if (!event.is_object() || event.value("event", "") != "in_service") return;
  if (auto parsed = parse_http_address(event.value("http", std::string()))) address_ = *parsed;
}

}  // namespace turnstone
