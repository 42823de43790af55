#include "events/error.h"

namespace turnstone {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
      return "invalid_argument";
    case ErrorCode::limit_exceeded:
      return "limit_exceeded";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::io:
      return "io";
    case ErrorCode::no_space:
      return "no_space";
    case ErrorCode::locked:
      return "locked";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::refused:
      return "refused";
    case ErrorCode::closed:
      return "closed";
    case ErrorCode::erased:
      return "erased";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::key_reused:
      return "key_reused";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace turnstone
