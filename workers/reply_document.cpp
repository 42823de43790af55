#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "events/documents.h"
#include "workers/ask_open.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

using nlohmann::json;

json number_json(Number number) {
  if (number.value % number_scale == 0) return number.value / number_scale;
  // The shortest decimal form names the number exactly; the parser's nearest double prints as the same digits.
  return json::parse(to_string(number));
}

json question_json(const QuestionAsked& question) {
  json options = json::array();
  for (const QuestionOption& option : question.options) options.push_back({{"value", option.value}, {"count", option.count}});
  return {{"facet", question.facet}, {"text", question.text}, {"options", std::move(options)}, {"gain_millibits", question.gain.value}};
}

json product_json(const SlateEntry& entry, const Artefact& artefact) {
  const auto price = artefact.price(entry.product);
  json product = {{"id", std::string(artefact.product_id(entry.product))},
                  {"title", std::string(artefact.title(entry.product))},
                  {"price", price ? number_json(*price) : json(nullptr)},
                  {"score", entry.score.value},
                  {"confidence", number_json(Number{entry.confidence.value * (number_scale / 1000)})},
                  {"why", entry.why}};
  const Facet* priced = artefact.facet("price");
  if (price && priced != nullptr && priced->unit != "$") product["currency"] = std::string(priced->unit);
  return product;
}

}  // namespace

std::string ask_attribute(const std::string& facet) {
  if (facet == "price") return "budget";
  static constexpr std::array<std::string_view, 9> closed = {"category", "material", "color",   "size", "style",
                                                             "brand",    "budget",   "use_case", "other"};
  return std::find(closed.begin(), closed.end(), facet) != closed.end() ? facet : "feature";
}

std::string reply_document(const IntentState& after, const std::string& text, const Slate& slate, const std::vector<QuestionAsked>& questions,
                           const Artefact& artefact) {
  json document;
  document["session"] = after.session.value;
  document["turn"] = after.turn.value;
  document["epoch"] = after.epoch.value;
  document["message"] = text;
  document["ask_attribute"] = questions.empty() ? json(nullptr) : json(ask_attribute(questions.front().facet));
  document["questions"] = json::array();
  for (const QuestionAsked& question : questions) document["questions"].push_back(question_json(question));
  document["recommendations"] = json::array();
  for (const SlateEntry& entry : slate.products) document["recommendations"].push_back(product_json(entry, artefact));
  document["route"] = std::string(to_string(slate.products.empty() ? Route::none : slate.route));
  document["state"] = state_document(after);
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace turnstone
