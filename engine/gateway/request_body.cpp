#include "engine/gateway/request_body.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "engine/gateway/api.h"
#include "engine/turn_request.h"

namespace turnstone {
namespace {

using nlohmann::json;

// Parses a JSON object no deeper than json_depth_max; what lies deeper is dropped while it is read.
Result<json> parse_object(const std::string& body) {
  bool too_deep = false;
  const auto bounded = [&too_deep](int depth, json::parse_event_t, json&) {
    too_deep = too_deep || depth > static_cast<int>(json_depth_max);
    return !too_deep;
  };
  json document;
  try {
    document = json::parse(body, bounded);
  } catch (const json::parse_error& error) {
    return fail(ErrorCode::invalid_argument, fmt::format("the body is not valid JSON in UTF-8: the fault is at byte {}", error.byte));
  } catch (const json::exception&) {  // a number that no double holds
    return fail(ErrorCode::invalid_argument, "the body holds a number of a size that nothing here can have");
  }
  if (too_deep) return fail(ErrorCode::invalid_argument, fmt::format("the body is nested deeper than {} levels", json_depth_max));
  if (!document.is_object()) return fail(ErrorCode::invalid_argument, "the body must be a JSON object, for example {\"message\": \"a red scarf\"}");
  return document;
}

// The string field `name`; nothing when it is missing or null.
Result<std::optional<std::string>> optional_string(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_string()) return fail(ErrorCode::invalid_argument, fmt::format("\"{}\" must be a string", name));
  return found->get<std::string>();
}

Result<std::vector<std::string>> read_preference_tags(const json& object) {
  std::vector<std::string> tags;
  const auto summary = object.find("profile_summary");
  if (summary == object.end() || summary->is_null()) return tags;
  if (!summary->is_object()) return fail(ErrorCode::invalid_argument, "\"profile_summary\" must be an object");
  const auto list = summary->find("preference_tags");
  if (list == summary->end() || list->is_null()) return tags;
  if (!list->is_array()) return fail(ErrorCode::invalid_argument, "\"preference_tags\" must be a list of strings");
  for (const json& tag : *list) {
    if (!tag.is_string()) return fail(ErrorCode::invalid_argument, "\"preference_tags\" must be a list of strings");
    tags.push_back(tag.get<std::string>());
  }
  return tags;
}

Result<std::uint32_t> read_top_k(const json& object) {
  const auto found = object.find("top_k");
  if (found == object.end() || found->is_null()) return TurnRequest{}.top_k;
  const bool fits = found->is_number_unsigned() && found->get<std::uint64_t>() <= top_k_max;  // 0 is for validate_turn to refuse
  if (!fits) return fail(ErrorCode::invalid_argument, fmt::format("\"top_k\" must be a whole number from 1 to {}", top_k_max));
  return found->get<std::uint32_t>();
}

Result<std::optional<TurnNumber>> read_retry_of(const json& object) {
  const auto found = object.find("retry_of");
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() < 1 || found->get<std::uint64_t>() > UINT32_MAX) {
    return fail(ErrorCode::invalid_argument, "\"retry_of\" must be the number of a parked turn");
  }
  return TurnNumber{found->get<std::uint32_t>()};
}

}  // namespace

Result<NewSession> read_new_session(const std::string& body) {
  NewSession session;
  if (body.empty()) return session;
  auto document = parse_object(body);
  if (!document) return tl::unexpected(document.error());
  auto name = optional_string(*document, "session");
  auto profile = optional_string(*document, "profile");
  auto variant = optional_string(*document, "policy");
  auto tags = read_preference_tags(*document);
  if (!name) return tl::unexpected(name.error());
  if (!profile) return tl::unexpected(profile.error());
  if (!variant) return tl::unexpected(variant.error());
  if (!tags) return tl::unexpected(tags.error());

  if (*name) session.session = SessionId{std::move(**name)};
  if (*profile) session.profile = ProfileId{std::move(**profile)};
  if (*variant) session.policy_variant = std::move(**variant);
  session.preference_tags = std::move(*tags);
  if (Status status = validate_session(session); !status) return tl::unexpected(status.error());
  return session;
}

Result<TurnRequest> read_turn(const std::string& body, SessionId session, TurnKey key) {
  auto document = parse_object(body);
  if (!document) return tl::unexpected(document.error());
  auto message = optional_string(*document, "message");
  auto front_end = optional_string(*document, "front_end");
  auto top_k = read_top_k(*document);
  auto retry_of = read_retry_of(*document);
  if (!retry_of) return tl::unexpected(retry_of.error());
  if (!message) return tl::unexpected(message.error());
  if (!front_end) return tl::unexpected(front_end.error());
  if (!top_k) return tl::unexpected(top_k.error());
  if (!*message) return fail(ErrorCode::invalid_argument, "\"message\" is missing: the shopper's words, a string");

  TurnRequest turn{.session = std::move(session), .key = std::move(key), .text = std::move(**message), .top_k = *top_k, .front_end = {}};
  turn.retry_of = *retry_of;
  turn.front_end = std::move(*front_end).value_or(std::string());
  if (Status status = validate_turn(turn); !status) return tl::unexpected(status.error());
  return turn;
}

}  // namespace turnstone
