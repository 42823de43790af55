#include "replay/divergence.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "events/documents.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

constexpr std::size_t shown_bytes_max = 400;

std::string text_of(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= shown_bytes_max) return text;
  std::size_t end = shown_bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "… (" + std::to_string(text.size()) + " bytes)";
}

std::string text_of(const FlightValue& value) {
  return std::visit([](const auto& v) { return text_of(Json(v)); }, value);
}

const FlightField* find_field(const StageRecord& record, std::string_view name) {
  const auto at = std::find_if(record.decided.begin(), record.decided.end(), [&](const FlightField& f) { return f.name == name; });
  return at == record.decided.end() ? nullptr : &*at;
}

template <class T>
Divergence list_difference(std::string_view stage, const std::string& name, const std::vector<T>& recorded, const std::vector<T>& replayed) {
  std::size_t i = 0;
  while (i < recorded.size() && i < replayed.size() && recorded[i] == replayed[i]) ++i;
  const auto item = [i](const std::vector<T>& list) { return i < list.size() ? text_of(Json(list[i])) : std::string(absent); };
  return {std::string(stage), name + '[' + std::to_string(i) + ']', item(recorded), item(replayed)};
}

Divergence value_difference(std::string_view stage, const FlightField& recorded, const FlightField& replayed) {
  if (recorded.value.index() == replayed.value.index()) {
    if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&recorded.value)) {
      return list_difference(stage, recorded.name, *numbers, std::get<std::vector<std::int64_t>>(replayed.value));
    }
    if (const auto* texts = std::get_if<std::vector<std::string>>(&recorded.value)) {
      return list_difference(stage, recorded.name, *texts, std::get<std::vector<std::string>>(replayed.value));
    }
  }
  return {std::string(stage), recorded.name, text_of(recorded.value), text_of(replayed.value)};
}

std::optional<Divergence> stage_difference(const StageRecord& recorded, const StageRecord& replayed) {
  const std::string_view stage = to_string(recorded.stage);
  for (std::size_t i = 0; i < std::max(recorded.decided.size(), replayed.decided.size()); ++i) {
    const FlightField* was = i < recorded.decided.size() ? &recorded.decided[i] : nullptr;
    const FlightField* is = i < replayed.decided.size() ? &replayed.decided[i] : nullptr;
    if (was != nullptr && is != nullptr && was->name == is->name) {
      if (was->value == is->value) continue;
      return value_difference(stage, *was, *is);
    }
    if (was != nullptr && find_field(replayed, was->name) == nullptr)
      return Divergence{std::string(stage), was->name, text_of(was->value), std::string(absent)};
    if (is != nullptr && find_field(recorded, is->name) == nullptr)
      return Divergence{std::string(stage), is->name, std::string(absent), text_of(is->value)};
    const auto name = [](const FlightField* field) { return field != nullptr ? text_of(Json(field->name)) : std::string(absent); };
    return Divergence{std::string(stage), "order of fields, position " + std::to_string(i), name(was), name(is)};
  }
  return std::nullopt;
}

// Path and values of the first place where two documents differ.
struct JsonDifference {
  std::string path;
  std::string recorded;
  std::string replayed;
};

std::optional<JsonDifference> json_difference(const Json& recorded, const Json& replayed, const std::string& path) {
  if (recorded == replayed) return std::nullopt;
  if (recorded.is_object() && replayed.is_object()) {
    for (const auto& [key, value] : recorded.items()) {
      if (!replayed.contains(key)) return JsonDifference{path + '/' + key, text_of(value), std::string(absent)};
      if (auto found = json_difference(value, replayed.at(key), path + '/' + key)) return found;
    }
    for (const auto& [key, value] : replayed.items()) {
      if (!recorded.contains(key)) return JsonDifference{path + '/' + key, std::string(absent), text_of(value)};
    }
  }
  if (recorded.is_array() && replayed.is_array()) {
    for (std::size_t i = 0; i < std::max(recorded.size(), replayed.size()); ++i) {
      const std::string here = path + '/' + std::to_string(i);
      if (i >= replayed.size()) return JsonDifference{here, text_of(recorded[i]), std::string(absent)};
      if (i >= recorded.size()) return JsonDifference{here, std::string(absent), text_of(replayed[i])};
      if (auto found = json_difference(recorded[i], replayed[i], here)) return found;
    }
  }
  return JsonDifference{path, text_of(recorded), text_of(replayed)};
}

std::string event_text(const EventBody& body) { return std::string(name_of(type_of(body))) + ' ' + text_of(to_json(body)); }

}  // namespace

std::string_view stage_of(EventType type) {
  switch (type) {
    case EventType::intent_classified:
    case EventType::constraint_set:
    case EventType::constraint_tombstoned:
    case EventType::preference_waived:
    case EventType::recipient_set:
    case EventType::reference_resolved:
    case EventType::product_rejected:
    case EventType::epoch_advanced:
    case EventType::question_answered:
      return to_string(Stage::revise);
    case EventType::clause_relaxed:
      return to_string(Stage::retrieve);
    case EventType::products_shown:
      return to_string(Stage::gate);
    case EventType::question_asked:
      return to_string(Stage::ask);
    case EventType::reply_sent:
      return to_string(Stage::reply);
    default:
      return "record";
  }
}

std::optional<Divergence> first_difference(const FlightRecord& recorded, const FlightRecord& replayed) {
  for (std::size_t i = 0; i < std::max(recorded.stages.size(), replayed.stages.size()); ++i) {
    const StageRecord* was = i < recorded.stages.size() ? &recorded.stages[i] : nullptr;
    const StageRecord* is = i < replayed.stages.size() ? &replayed.stages[i] : nullptr;
    const auto name = [](const StageRecord* stage) { return stage != nullptr ? std::string(to_string(stage->stage)) : std::string(absent); };
    if (was == nullptr || is == nullptr || was->stage != is->stage)
      return Divergence{was != nullptr ? name(was) : name(is), "stage", name(was), name(is)};
    if (auto found = stage_difference(*was, *is)) return found;
  }
  return std::nullopt;
}

std::optional<Divergence> first_difference(const std::vector<EventBody>& recorded, const std::vector<EventBody>& replayed) {
  for (std::size_t i = 0; i < std::max(recorded.size(), replayed.size()); ++i) {
    const std::string field = "events[" + std::to_string(i) + ']';
    if (i >= replayed.size()) return Divergence{std::string(stage_of(type_of(recorded[i]))), field, event_text(recorded[i]), std::string(absent)};
    if (i >= recorded.size()) return Divergence{std::string(stage_of(type_of(replayed[i]))), field, std::string(absent), event_text(replayed[i])};
    if (recorded[i] == replayed[i]) continue;
    const std::string stage(stage_of(type_of(recorded[i])));
    if (recorded[i].index() != replayed[i].index()) return Divergence{stage, field, event_text(recorded[i]), event_text(replayed[i])};
    const auto difference = json_difference(to_json(recorded[i]), to_json(replayed[i]), "");
    // Values too fine for a document still differ.
    if (!difference) return Divergence{stage, field, event_text(recorded[i]), event_text(replayed[i])};
    return Divergence{stage, field + ' ' + std::string(name_of(type_of(recorded[i]))) + difference->path, difference->recorded, difference->replayed};
  }
  return std::nullopt;
}

std::optional<Divergence> first_reply_difference(std::string_view recorded, std::string_view replayed) {
  if (recorded == replayed) return std::nullopt;
  const std::string stage(to_string(Stage::reply));
  Json was = Json::parse(recorded, nullptr, false);
  Json is = Json::parse(replayed, nullptr, false);
  if (was.is_discarded() || is.is_discarded()) return Divergence{stage, "reply", text_of(Json(recorded)), text_of(Json(replayed))};
  for (Json* document : {&was, &is}) {
    if (document->is_object()) document->erase("timing_us");
  }
  const auto difference = json_difference(was, is, "reply");
  if (!difference) return std::nullopt;
  return Divergence{stage, difference->path, difference->recorded, difference->replayed};
}

}  // namespace turnstone
