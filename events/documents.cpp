#include "events/documents.h"

#include <utf8proc.h>

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "events/vocabulary.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

// Text that is no UTF-8 is shown with replacement characters: a document can always be printed.
std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    utf8proc_int32_t code_point = 0;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const utf8proc_ssize_t length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (length > 0) {
      out.append(text.substr(0, static_cast<std::size_t>(length)));
    } else {
      out.append("\xEF\xBF\xBD");
    }
    text.remove_prefix(length > 0 ? static_cast<std::size_t>(length) : 1);
  }
  return out;
}

Json json_of(const std::string& text) { return printable(text); }
Json json_of(const Digest& digest) { return to_hex(digest); }
Json json_of(Permille share) { return share.value / 1000.0; }
Json json_of(Number number) {
  if (number.value % number_scale == 0) return number.value / number_scale;
  return static_cast<double>(number.value) / static_cast<double>(number_scale);
}
template <class T>
requires std::is_integral_v<T> Json json_of(const T& value) { return value; }
template <class T>
requires std::is_enum_v<T> Json json_of(const T& value) { return vocabulary_name(value); }
template <class Tag, class Rep>
Json json_of(const Named<Tag, Rep>& value) {
  return json_of(value.value);
}
template <class T>
Json json_of(const std::optional<T>& value);
template <class T>
Json json_of(const std::vector<T>& values);
template <HasFields T>
Json json_of(const T& value);

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}
template <class T>
Json json_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}
template <HasFields T>
Json json_of(const T& value) {
  Json object = Json::object();
  for_each_field(value, [&](const char* name, const auto& member) { object[name] = json_of(member); });
  return object;
}
// A constraint's value reads as the API shows it, not as it is stored.
Json json_of(const ConstraintSet& set) {
  Json object = Json::object();
  for_each_field(set, [&](const char* name, const auto& member) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, ConstraintValue>) {
      object[name] = to_json(member, set.op);
    } else {
      object[name] = json_of(member);
    }
  });
  return object;
}

// "2026-01-31T17:05:09.000250Z"
std::string rfc3339(Timestamp time) {
  using namespace std::chrono;
  const sys_time<microseconds> at{microseconds{time.value}};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{at - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

Json constraint_document(const Constraint& constraint) {
  const ConstraintSet& set = constraint.set;
  Json document{{"id", set.id.value},
                {"facet", json_of(set.facet)},
                {"op", vocabulary_name(set.op)},
                {"value", to_json(set.value, set.op)},
                {"said", json_of(set.said)},
                {"strength", vocabulary_name(set.strength)},
                {"source", vocabulary_name(set.source)},
                {"confidence", json_of(set.confidence)},
                {"turn", constraint.turn.value},
                {"status", "active"}};
  if (!set.unit.empty()) document["unit"] = json_of(set.unit);
  return document;
}

Json category_document(const IntentState& state) {
  Json names = Json::array();
  for (const Constraint& constraint : state.active) {
    if (constraint.set.facet != "category" || constraint.set.op != Operator::is) continue;
    for (const std::string& value : constraint.set.value.any_of) names.push_back(json_of(value));
  }
  return names;
}

Json asked_document(const IntentState& state) {
  std::vector<std::string> facets;
  for (const AskedQuestion& asked : state.asked) {
    if (std::find(facets.begin(), facets.end(), asked.question.facet) == facets.end()) facets.push_back(asked.question.facet);
  }
  return json_of(facets);
}

}  // namespace

nlohmann::json to_json(const ConstraintValue& value, Operator op) {
  if (op == Operator::between && value.number && value.upper) return Json{{"min", json_of(*value.number)}, {"max", json_of(*value.upper)}};
  if (value.number && value.any_of.empty()) return json_of(*value.number);
  if (value.number) {
    Json choices = Json::array();
    for (const std::string& choice : value.any_of) {
      const auto number = parse_number(choice);
      choices.push_back(number ? json_of(*number) : json_of(choice));
    }
    return choices;
  }
  if (value.any_of.size() == 1) return json_of(value.any_of.front());
  return json_of(value.any_of);
}

nlohmann::json to_json(const EventBody& body) {
  return std::visit([](const auto& event) { return json_of(event); }, body);
}

nlohmann::json to_json(const Event& event) {
  return Json{{"stream", json_of(event.stream.name)},
              {"stream_kind", event.stream.kind == StreamKind::session ? "session" : "profile"},
              {"sequence", event.sequence.value},
              {"type", name_of(type_of(event.body))},
              {"schema_version", event.schema_version},
              {"time", rfc3339(event.time)},
              {"turn", event.turn.value},
              {"body", to_json(event.body)},
              {"previous_hash", to_hex(event.previous_hash)},
              {"hash", to_hex(event.hash)}};
}

nlohmann::json to_json(const FlightRecord& record) {
  Json stages = Json::array();
  for (const StageRecord& stage : record.stages) {
    Json decided = Json::object();
    for (const FlightField& field : stage.decided) {
      decided[printable(field.name)] = std::visit([](const auto& value) { return json_of(value); }, field.value);
    }
    stages.push_back({{"stage", to_string(stage.stage)}, {"decided", std::move(decided)}});
  }
  return Json{{"stages", std::move(stages)}};
}

nlohmann::json state_document(const IntentState& state) {
  Json constraints = Json::array();
  for (const Constraint& constraint : state.active) constraints.push_back(constraint_document(constraint));
  for (const Tombstone& tombstone : state.tombstones) {
    Json document = constraint_document(tombstone.constraint);
    document["status"] = "tombstoned";
    document["reason"] = vocabulary_name(tombstone.by.reason);
    constraints.push_back(std::move(document));
  }
  Json waived = Json::array();
  for (const auto& [facet, words] : state.waived) waived.push_back(json_of(facet));
  Json about = Json::object();
  if (!state.recipient.empty()) about["recipient"] = json_of(state.recipient);
  if (!state.recipient_department.empty()) about["department"] = json_of(state.recipient_department);
  return Json{{"session", json_of(state.session)},    {"turn", state.turn.value},
              {"epoch", state.epoch.value},           {"intent", vocabulary_name(state.intent)},
              {"category", category_document(state)}, {"constraints", std::move(constraints)},
              {"waived", std::move(waived)},          {"asked", asked_document(state)},
              {"shown", json_of(state.shown)},        {"about", std::move(about)}};
}

std::string_view to_string(Intent value) { return vocabulary_name(value); }
std::string_view to_string(Operator value) { return vocabulary_name(value); }
std::string_view to_string(Strength value) { return vocabulary_name(value); }
std::string_view to_string(Source value) { return vocabulary_name(value); }
std::string_view to_string(TombstoneReason value) { return vocabulary_name(value); }
std::string_view to_string(EpochReason value) { return vocabulary_name(value); }
std::string_view to_string(AnswerOutcome value) { return vocabulary_name(value); }
std::string_view to_string(Route value) { return vocabulary_name(value); }
std::string_view to_string(CloseReason value) { return vocabulary_name(value); }

}  // namespace turnstone
