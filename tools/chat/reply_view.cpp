#include "tools/chat/reply_view.h"

#include <fmt/core.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "events/documents.h"

namespace turnstone {

namespace {

using Json = nlohmann::json;

constexpr std::size_t options_shown_max = 12;  // of one question

// "€20"; a currency or unit that is a word stands behind: "200 kr".
std::string with_unit(const std::string& number, const std::string& unit) {
  const bool word = unit.empty() || unit[0] == '"' || std::isalpha(static_cast<unsigned char>(unit[0])) != 0;
  return unit.empty() ? number : word ? number + " " + unit : unit + number;
}

std::string price_text(const Json& product) {
  const Json price = product.value("price", Json());
  const std::string sign = printable(product.value("currency", "$"));
  if (price.is_number()) return with_unit(fmt::format("{:.2f}", price.get<double>()), sign);
  if (price.is_string()) return with_unit(printable(price.get<std::string>()), sign);
  return "price not listed";
}

std::string reasons(const Json& product) {
  std::string out;
  for (const Json& reason : product.value("why", Json::array())) {
    if (!reason.is_string()) continue;
    if (!out.empty()) out += " · ";
    out += printable(reason.get<std::string>());
  }
  return out;
}

std::string joined(const std::vector<std::string>& values, std::string_view between) {
  std::string out;
  for (const std::string& value : values) out += (out.empty() ? "" : std::string(between)) + printable(value);
  return out;
}

std::string value_text(const ConstraintSet& set) {
  if (!set.value.any_of.empty()) return joined(set.value.any_of, " or ") + (set.value.number && !set.unit.empty() ? " " + printable(set.unit) : "");
  std::string text = set.value.number ? to_string(*set.value.number) : "";
  if (set.value.upper) text += " to " + to_string(*set.value.upper);
  return set.facet == "price" ? with_unit(text, printable(set.unit)) : set.unit.empty() ? text : text + " " + printable(set.unit);
}

std::string wish_text(const ConstraintSet& set) {
  std::string op(to_string(set.op));
  for (char& c : op) c = c == '_' ? ' ' : c;
  return fmt::format("{} {} {}", printable(set.facet), op, value_text(set));
}

const Json* options_of(const Json& question) {
  const auto found = question.find("options");
  return found != question.end() && found->is_array() && !found->empty() ? &*found : nullptr;
}

// The message up to its one question: the options that the text goes on to list are shown numbered below it.
std::string message_without_options(const Json& reply) {
  const std::string message = reply.value("message", "");
  const Json questions = reply.value("questions", Json::array());
  if (questions.size() != 1 || options_of(questions.front()) == nullptr) return message;
  const std::string question = questions.front().value("text", "");
  const std::size_t at = question.empty() ? std::string::npos : message.rfind(question);
  return at == std::string::npos ? message : message.substr(0, at + question.size());
}

// Items side by side, none of them broken, every row indented.
std::string in_rows(const std::vector<std::string>& items, std::size_t columns) {
  std::string out = "  ";
  std::size_t used = 2;
  for (const std::string& item : items) {
    const std::size_t width = display_columns(item);
    if (used > 2 && used + 3 + width > columns) {
      out += "\n  ";
      used = 2;
    } else if (used > 2) {
      out += "   ";
      used += 3;
    }
    out += item;
    used += width;
  }
  return out;
}

}  // namespace

std::string ReplyView::render(std::string_view reply_document) const {
  const Json reply = Json::parse(reply_document, nullptr, false);
  if (!reply.is_object()) return std::string(reply_document);
  std::string out = wrapped(printable(message_without_options(reply)), columns_, 0) + "\n";
  std::size_t place = 0;
  for (const Json& product : reply.value("recommendations", Json::array())) {
    if (place == 0) out += "\n";
    const std::string number = fmt::format("{:>3}. ", ++place);
    const std::string title = wrapped(printable(product.value("title", "")), columns_ - 18, 5);
    out += style_.faint(number) + style_.strong(title) + "  " + style_.money(price_text(product)) + "\n";
    const std::string why = reasons(product);
    if (!why.empty()) out += "     " + style_.faint(wrapped(why, columns_ - 5, 5)) + "\n";
  }
  std::size_t option_number = 0;
  for (const Json& question : reply.value("questions", Json::array())) {
    const Json* options = options_of(question);
    if (options == nullptr) continue;
    std::vector<std::string> items;
    for (const Json& option : *options) {
      if (items.size() == options_shown_max) break;
      items.push_back(fmt::format("{}) {} ({})", ++option_number, printable(option.value("value", "")), option.value("count", 0)));
    }
    out += "\n" + style_.accent(in_rows(items, columns_)) + "\n";
  }
  return out;
}

std::string state_view(const IntentState& state, const Style& style, std::size_t columns) {
  std::string out = fmt::format("turn {}, epoch {}, {}\n", state.turn.value, state.epoch.value, to_string(state.intent));
  for (const Constraint& constraint : state.active) {
    const std::string aside = fmt::format("  {}, {}, turn {}, \"{}\"", to_string(constraint.set.strength), to_string(constraint.set.source), constraint.turn.value,
                                          printable(constraint.set.said));
    out += "  " + style.strong(wish_text(constraint.set)) + style.faint(aside) + "\n";
  }
  if (state.active.empty()) out += "  no wishes yet\n";
  for (const Tombstone& tombstone : state.tombstones) {
    out += "  " + style.faint(fmt::format("dropped: {} ({}, turn {})", wish_text(tombstone.constraint.set), to_string(tombstone.by.reason), tombstone.turn.value)) + "\n";
  }
  std::vector<std::string> waived, asked;
  for (const auto& [facet, words] : state.waived) waived.push_back(facet);
  for (const AskedQuestion& question : state.asked) asked.push_back(question.question.facet);
  if (!waived.empty()) out += "  " + wrapped("any will do: " + joined(waived, ", "), columns - 2, 4) + "\n";
  if (!asked.empty()) out += "  " + wrapped("asked: " + joined(asked, ", "), columns - 2, 4) + "\n";
  if (!state.recipient.empty()) out += fmt::format("  for: {}\n", printable(state.recipient));
  out += fmt::format("  {} products shown in this epoch\n", state.shown.size());
  return out;
}

std::vector<std::string> numbered_options(std::string_view reply_document) {
  std::vector<std::string> out;
  const Json reply = Json::parse(reply_document, nullptr, false);
  if (!reply.is_object()) return out;
  for (const Json& question : reply.value("questions", Json::array())) {
    const Json* options = options_of(question);
    if (options == nullptr) continue;
    std::size_t shown = 0;
    for (const Json& option : *options) {
      if (++shown <= options_shown_max) out.push_back(option.value("value", ""));
    }
  }
  return out;
}

std::vector<std::string> listed_products(std::string_view reply_document) {
  std::vector<std::string> out;
  const Json reply = Json::parse(reply_document, nullptr, false);
  if (!reply.is_object()) return out;
  for (const Json& product : reply.value("recommendations", Json::array())) out.push_back(product.value("id", ""));
  return out;
}

}  // namespace turnstone
