// Sending a request until it is answered: an engine that restarts, has no worker yet or is busy answers later. Safe for requests that may
// arrive twice (a turn carries its key).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "engine/gateway/http_message.h"
#include "events/error.h"

namespace turnstone {

inline constexpr std::chrono::milliseconds resend_pause{200};
inline constexpr std::chrono::milliseconds resend_patience{30'000};  // for an engine that cannot be reached or refuses
inline constexpr int late_answers_max = 4;  // 504s: each has taken as long as the engine waits for a turn, whatever that is

struct ResendMeans {
  std::function<Result<HttpResponse>()> send;
  std::function<void(const std::string& why)> tell;  // once, when it has to be sent again
  std::function<std::chrono::steady_clock::time_point()> now = &std::chrono::steady_clock::now;
  std::function<void(std::chrono::milliseconds)> pause;  // the thread's sleep when empty
};
// The first answer that is not "later", or the last one when patience has ended.
Result<HttpResponse> send_until_answered(const ResendMeans& means);

// The engine's own words for what went wrong.
std::string problem_detail(const HttpResponse& response);

}  // namespace turnstone
