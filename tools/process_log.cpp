#include "tools/process_log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace turnstone {

void log_to_standard_error(const std::string& name) {
  auto logger = std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%H:%M:%S.%e %-5l %n[%P] %v");
  const char* level = std::getenv("TURNSTONE_LOG");
  logger->set_level(level != nullptr ? spdlog::level::from_str(level) : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace turnstone
