#include "engine/gateway/problem.h"

#include <nlohmann/json.hpp>

namespace turnstone {

unsigned status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return 400;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::key_reused:
    case ErrorCode::refused:
      return 409;
    case ErrorCode::closed:
    case ErrorCode::erased:
      return 410;
    case ErrorCode::limit_exceeded:
      return 413;
    case ErrorCode::unsupported:
      return 501;
    case ErrorCode::busy:
    case ErrorCode::no_space:
    case ErrorCode::locked:
      return 503;
    case ErrorCode::io:
    case ErrorCode::corrupt:
    case ErrorCode::internal:
      return 500;
  }
  return 500;
}

unsigned retry_after_seconds(ErrorCode code) {
  if (code == ErrorCode::busy) return 1;
  if (code == ErrorCode::no_space || code == ErrorCode::locked) return 10;
  return 0;
}

HttpResponse problem(unsigned status, std::string_view code, std::string_view detail) {
  const nlohmann::ordered_json document = {{"type", std::string("urn:turnstone:problem:") + std::string(code)},
                                           {"title", reason_phrase(status)},
                                           {"status", status},
                                           {"detail", detail},
                                           {"code", code}};
  HttpResponse response;
  response.status = status;
  response.content_type = "application/problem+json";
  response.body = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return response;
}

HttpResponse problem(const Error& error) {
  HttpResponse response = problem(status_of(error.code), to_string(error.code), error.detail);
  if (const unsigned seconds = retry_after_seconds(error.code); seconds > 0) response.headers.emplace_back("Retry-After", std::to_string(seconds));
  return response;
}

}  // namespace turnstone
