#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "replay/explain.h"
#include "replay/wording.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

std::string painted(std::string_view sgr, const std::string& text, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", sgr, text) : text;
}

std::string_view mark_of(WishVerdict verdict) {
  switch (verdict) {
    case WishVerdict::meets:
      return "✓";
    case WishVerdict::mentions:
      return "~";
    case WishVerdict::silent:
      return "·";
    case WishVerdict::relaxed:
      return "○";
    case WishVerdict::contradicts:
      return "✗";
  }
  return "?";
}

std::string_view colour_of(WishVerdict verdict) {
  if (verdict == WishVerdict::meets || verdict == WishVerdict::mentions) return "32";
  return verdict == WishVerdict::silent ? "2" : "31";
}

std::string wish_line(const WishReport& wish, bool colour) {
  std::string line = fmt::format("    {} {}{}  [{}", mark_of(wish.verdict), wish.wish, wish.hard ? "" : " (soft)", to_string(wish.verdict));
  if (!wish.listing.empty()) line += "; the listing has " + wish.listing;
  return painted(colour_of(wish.verdict), line + ']', colour) + '\n';
}

}  // namespace

std::string_view to_string(ExplainGate gate) {
  switch (gate) {
    case ExplainGate::shown:
      return "shown";
    case ExplainGate::unknown_product:
      return "unknown_product";
    case ExplainGate::rejected:
      return "rejected";
    case ExplainGate::already_shown:
      return "already_shown";
    case ExplainGate::hard_wish:
      return "hard_wish";
    case ExplainGate::not_a_candidate:
      return "not_a_candidate";
    case ExplainGate::ranked_below:
      return "ranked_below";
    case ExplainGate::list_withheld:
      return "list_withheld";
  }
  return "unknown";
}

std::string_view to_string(WishVerdict verdict) {
  switch (verdict) {
    case WishVerdict::meets:
      return "meets";
    case WishVerdict::mentions:
      return "mentions";
    case WishVerdict::silent:
      return "silent";
    case WishVerdict::contradicts:
      return "contradicts";
    case WishVerdict::relaxed:
      return "relaxed";
  }
  return "unknown";
}

std::string explanation_text(const Explanation& explanation, bool colour) {
  std::string out = painted("1", explanation.product.value, colour);
  if (!explanation.title.empty()) out += "  " + in_quotes(explanation.title);
  out += fmt::format("\n  session {}, turn {}{}\n", one_line(explanation.session.value), explanation.turn.value,
                     explanation.what_if ? ", what-if: not what decided then" : "");
  out += fmt::format("  {}: {}", explanation.gate == ExplainGate::shown ? "why" : "why not", explanation.verdict);
  if (explanation.confidence) out += fmt::format(", confidence {}", words_of(*explanation.confidence));
  out += '\n';
  if (!explanation.wishes.empty()) out += "\n  wishes\n";
  for (const WishReport& wish : explanation.wishes) out += wish_line(wish, colour);
  if (explanation.parts.empty()) return out;
  out += "\n  points\n";
  std::int64_t sum = 0;
  for (const ScorePart& part : explanation.parts) {
    out += fmt::format("    {:>+9}  {}\n", part.points, one_line(part.name));
    sum += part.points;
  }
  out += painted("1", fmt::format("    {:>9}  in all", sum), colour);
  if (explanation.rank) out += fmt::format(", rank {}", *explanation.rank);
  return out + '\n';
}

nlohmann::json to_json(const Explanation& explanation) {
  Json wishes = Json::array();
  for (const WishReport& wish : explanation.wishes) {
    wishes.push_back(
        {{"id", wish.id.value}, {"wish", wish.wish}, {"hard", wish.hard}, {"verdict", to_string(wish.verdict)}, {"listing", wish.listing}});
  }
  Json parts = Json::array();
  for (const ScorePart& part : explanation.parts) parts.push_back({{"name", part.name}, {"points", part.points}});
  Json json{{"session", explanation.session.value}, {"turn", explanation.turn.value},      {"product", explanation.product.value},
            {"title", explanation.title},           {"gate", to_string(explanation.gate)}, {"verdict", explanation.verdict},
            {"what_if", explanation.what_if},       {"wishes", std::move(wishes)},         {"parts", std::move(parts)}};
  if (explanation.place) json["place"] = *explanation.place;
  if (explanation.rank) json["rank"] = *explanation.rank;
  if (explanation.score) json["score"] = explanation.score->value;
  if (explanation.last_shown) json["last_shown_score"] = explanation.last_shown->value;
  if (explanation.confidence) json["confidence"] = explanation.confidence->value / 1000.0;
  return json;
}

}  // namespace turnstone
