// The bodies of the API's requests, read from JSON and checked. Fields that are not known are ignored, so that a
// newer client works with an older engine; a known field of the wrong type or out of its range is refused
// (engine/turn_request.h holds the ranges).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/gateway/http_message.h"
#include "engine/service.h"

namespace turnstone {

// invalid_argument with the field and the rule named; never with the field's content.
Result<NewSession> read_new_session(const std::string& body);
Result<TurnRequest> read_turn(const std::string& body, SessionId session, TurnKey key);

}  // namespace turnstone
