// What every way in (HTTP gateway, sequencer, embedded mode) holds a request to, told once, so that the same
// request is accepted, refused or recognised as a repetition everywhere.
#pragma once

#include <string>
#include <string_view>

#include "engine/service.h"
#include "events/chain.h"

namespace turnstone {

// 1..max bytes without control characters.
inline Status validate_name(std::string_view what, std::string_view name, std::size_t bytes_max) {
  const std::string label(what);
  if (name.empty()) return fail(ErrorCode::invalid_argument, label + " is empty; give one of 1 to " + std::to_string(bytes_max) + " bytes");
  if (name.size() > bytes_max) return fail(ErrorCode::limit_exceeded, label + " is longer than " + std::to_string(bytes_max) + " bytes; shorten it");
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return fail(ErrorCode::invalid_argument, label + " holds a control character; use printable characters only");
    }
  }
  return {};
}

inline Status validate_turn(const TurnRequest& request) {
  if (auto session = validate_name("the session's name", request.session.value, session_id_bytes_max); !session) return session;
  if (auto key = validate_name("the turn key", request.key.value, turn_key_bytes_max); !key) return key;
  if (request.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(ErrorCode::invalid_argument, "the message is empty; say what you are looking for");
  }
  if (request.text.size() > turn_text_bytes_max) {
    return fail(ErrorCode::limit_exceeded, "the message is longer than " + std::to_string(turn_text_bytes_max) + " bytes; shorten it");
  }
  if (request.top_k < 1 || request.top_k > top_k_max) {
    return fail(ErrorCode::invalid_argument, "top_k must be a whole number from 1 to " + std::to_string(top_k_max));
  }
  if (request.front_end.size() > front_end_bytes_max) {
    return fail(ErrorCode::limit_exceeded, "the front end's metadata is longer than " + std::to_string(front_end_bytes_max) + " bytes; shorten it");
  }
  return {};
}

inline Status validate_session(const NewSession& session) {
  if (session.session) {
    if (auto name = validate_name("the session's name", session.session->value, session_id_bytes_max); !name) return name;
  }
  if (session.profile) {
    if (auto name = validate_name("the profile's name", session.profile->value, session_id_bytes_max); !name) return name;
  }
  if (session.policy_variant != "shopper" && session.policy_variant != "benchmark") {
    return fail(ErrorCode::invalid_argument, "policy must be \"shopper\" or \"benchmark\"");
  }
  if (session.preference_tags.size() > preference_tags_max) {
    return fail(ErrorCode::limit_exceeded, "more than " + std::to_string(preference_tags_max) + " preference tags; leave some out");
  }
  for (const std::string& tag : session.preference_tags) {
    if (auto name = validate_name("a preference tag", tag, preference_tag_bytes_max); !name) return name;
  }
  return {};
}

// What a turn key stands for: the same key with another digest is a key reused. Each part is preceded by its
// length, so that no two requests share their bytes.
inline Digest body_digest(const TurnRequest& request) {
  std::string bytes;
  const auto add = [&bytes](std::string_view part) {
    bytes += std::to_string(part.size());
    bytes += ':';
    bytes += part;
  };
  add(request.text);
  add(std::to_string(request.top_k));
  add(request.front_end);
  if (request.retry_of) add(std::to_string(request.retry_of->value));
  return blake2b(bytes);
}

}  // namespace turnstone
