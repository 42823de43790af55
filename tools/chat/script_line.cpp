#include "tools/chat/script_line.h"

#include <fmt/core.h>
#include <sodium.h>

#include <nlohmann/json.hpp>

#include "engine/turn_request.h"
#include "tools/chat/terminal_text.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

// nullptr when the field is absent or null.
const Json* given(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<std::string> text_field(const Json& object, const char* name, const std::string& rule) {
  const Json* value = given(object, name);
  if (value == nullptr) return fail(ErrorCode::invalid_argument, fmt::format("the line has no \"{}\"; {}", name, rule));
  if (!value->is_string()) return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" is not a text; {}", name, rule));
  return value->get<std::string>();
}

Status read_top_k(const Json& object, std::uint32_t& top_k) {
  const Json* value = given(object, "top_k");
  if (value == nullptr) return {};
  if (!value->is_number_integer() || *value < 1 || *value > top_k_max) {
    return fail(ErrorCode::invalid_argument, fmt::format("\"top_k\" must be a whole number from 1 to {}", top_k_max));
  }
  top_k = value->get<std::uint32_t>();
  return {};
}

Status read_preference_tags(const Json& object, std::vector<std::string>& tags) {
  const Json* summary = given(object, "profile_summary");
  if (summary == nullptr) return {};
  if (!summary->is_object()) {
    return fail(ErrorCode::invalid_argument, "\"profile_summary\" is no object; give {\"preference_tags\": [\"…\"]}");
  }
  const Json* list = given(*summary, "preference_tags");
  if (list == nullptr) return {};
  if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"preference_tags\" is no list; give a list of texts");
  for (const Json& tag : *list) {
    if (!tag.is_string()) return fail(ErrorCode::invalid_argument, "\"preference_tags\" holds something that is no text; give a list of texts");
    tags.push_back(tag.get<std::string>());
  }
  return {};
}

Status read_session(const Json& object, NewSession& session) {
  session.channel = "chat";
  if (given(object, "profile") != nullptr) {
    auto profile = text_field(object, "profile", "name the shopper's profile, or leave it out");
    if (!profile) return tl::unexpected(profile.error());
    session.profile = ProfileId{*std::move(profile)};
  }
  if (given(object, "policy") != nullptr) {
    auto policy = text_field(object, "policy", "give \"shopper\" or \"benchmark\", or leave it out");
    if (!policy) return tl::unexpected(policy.error());
    session.policy_variant = *std::move(policy);
  }
  if (auto tags = read_preference_tags(object, session.preference_tags); !tags) return tags;
  return validate_session(session);
}

}  // namespace

TurnKey fresh_turn_key() {
  unsigned char bytes[16];
  randombytes_buf(bytes, sizeof bytes);
  std::string key = "auto-";
  for (const unsigned char byte : bytes) key += fmt::format("{:02x}", byte);
  return TurnKey{key};
}

Result<ScriptLine> parse_script_line(std::string_view line, const std::string& policy_variant) {
  const Json object = Json::parse(valid_utf8(line), nullptr, false);
  if (object.is_discarded()) return fail(ErrorCode::invalid_argument, "the line is not JSON; send one JSON object a line");
  if (!object.is_object()) return fail(ErrorCode::invalid_argument, "the line is no JSON object; send {\"session\": \"…\", \"message\": \"…\"}");
  ScriptLine out;
  out.session.policy_variant = policy_variant;
  auto session = text_field(object, "session", "name the conversation");
  if (!session) return tl::unexpected(session.error());
  auto message = text_field(object, "message", "say what the shopper says");
  if (!message) return tl::unexpected(message.error());
  out.session.session = SessionId{*session};
  out.turn.session = SessionId{*std::move(session)};
  out.turn.text = *std::move(message);
  if (given(object, "turn_key") != nullptr) {
    auto key = text_field(object, "turn_key", "give a text, or leave it out");
    if (!key) return tl::unexpected(key.error());
    out.turn.key = TurnKey{*std::move(key)};
  } else {
    out.turn.key = fresh_turn_key();
  }
  if (auto top_k = read_top_k(object, out.turn.top_k); !top_k) return tl::unexpected(top_k.error());
  if (auto read = read_session(object, out.session); !read) return tl::unexpected(read.error());
  if (auto valid = validate_turn(out.turn); !valid) return tl::unexpected(valid.error());
  return out;
}

}  // namespace turnstone
