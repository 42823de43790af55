// Errors on the wire: RFC 9457 problem documents with a stable `code` (docs/http-api.md lists them all).
#pragma once

#include <string>
#include <string_view>

#include "engine/gateway/http_message.h"
#include "events/error.h"

namespace turnstone {

// The HTTP status of an Error, and after how many seconds it is worth trying again (0: not by itself).
unsigned status_of(ErrorCode code);
unsigned retry_after_seconds(ErrorCode code);

// {"type","title","status","detail","code"}; `code` is an ErrorCode's name or one of the gateway's own.
HttpResponse problem(unsigned status, std::string_view code, std::string_view detail);
HttpResponse problem(const Error& error);

}  // namespace turnstone
