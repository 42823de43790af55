// Replies and states as a person reads them: the message, the products with price and reasons, numbered options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "events/state.h"
#include "tools/chat/terminal_text.h"

namespace turnstone {

class ReplyView {
 public:
  ReplyView(Style style, std::size_t columns) : style_(style), columns_(columns) {}
  std::string render(std::string_view reply_document) const;

 private:
  Style style_;
  std::size_t columns_;
};

// What the engine believes the shopper wants, for people: wishes in force, what was dropped and why.
std::string state_view(const IntentState& state, const Style& style, std::size_t columns);

// The options of the reply's questions in the order in which render() numbers them from 1.
std::vector<std::string> numbered_options(std::string_view reply_document);
// The ids of the products in the order of the list.
std::vector<std::string> listed_products(std::string_view reply_document);

}  // namespace turnstone
