#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "events/documents.h"
#include "tools/chat/conversation.h"
#include "tools/chat/reply_view.h"
#include "tools/chat/terminal_text.h"
#include "tools/progress.h"

namespace turnstone {

namespace {

constexpr std::size_t columns_max = 110;  // longer lines are hard to read

constexpr std::string_view help_text =
    "Say what you are looking for, in your own words; correct yourself at any time.\n"
    "  3              choose option 3 of the open question\n"
    "  /why 2         why product 2 is shown          /whynot ID   why a product is not\n"
    "  /state         what I understood so far        /audit       how it came to that\n"
    "  /parse         how your last message was read  /help        this text\n"
    "  /quit          leave (so does Ctrl-D)\n";

std::size_t columns_of_terminal() {
  return std::min<std::size_t>(columns_max, static_cast<std::size_t>(std::max(40, terminal_columns(STDOUT_FILENO))) - 1);
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// 1.. when `text` is a number and nothing else.
std::optional<std::size_t> whole_number(std::string_view text) {
  if (text.empty() || text.size() > 4 || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  return static_cast<std::size_t>(std::atoi(std::string(text).c_str()));
}

class TerminalConversation {
 public:
  TerminalConversation(EmbeddedEngine& engine, Ledger& ledger, const TerminalOptions& options)
      : engine_(engine), ledger_(ledger), options_(options), style_(colours_wanted(STDOUT_FILENO)), session_{options.session} {}

  Status run() {
    if (auto began = begin(); !began) return began;
    for (;;) {
      fmt::print("\n{} ", style_.accent("›"));
      std::fflush(stdout);
      std::string line;
      if (!std::getline(std::cin, line)) break;
      const std::string text = trimmed(valid_utf8(line));
      if (text.empty()) continue;
      if (text == "/quit" || text == "/exit") break;
      if (text.front() == '/') {
        command(text);
      } else {
        say(text);
      }
    }
    farewell();
    return {};
  }

 private:
  Status begin() {
    NewSession session;
    session.session = session_;
    session.channel = "chat";
    session.policy_variant = options_.policy_variant;
    const auto created = engine_.start_session(session);
    if (!created) return tl::unexpected(created.error());
    fmt::print("{}\n", style_.strong(fmt::format("{} products. What are you looking for?", engine_.artefact().product_count())));
    if (!*created) {
      const auto state = engine_.state(session_);
      if (!state) return tl::unexpected(state.error());
      fmt::print("{}\n", style_.faint(fmt::format("Going on with session {} after turn {}.", printable(session_.value), (*state)->turn.value)));
    }
    fmt::print("{}\n", style_.faint("/help shows what else you can type."));
    return {};
  }

  void farewell() const {
    if (options_.kept) {
      fmt::print("\n{}\n", style_.faint(fmt::format("Goodbye. Go on later with --session {}", printable(session_.value))));
    } else {
      fmt::print("\n{}\n", style_.faint("Goodbye."));
    }
  }

  void say(const std::string& text) {
    std::string message = text;
    if (const auto number = whole_number(text); number && !options_open_.empty()) {
      if (*number < 1 || *number > options_open_.size()) {
        complain(fmt::format("There is no option {}; there are {}.", *number, options_open_.size()));
        return;
      }
      message = options_open_[*number - 1];
      fmt::print("{}\n", style_.faint("  " + printable(message)));
    }
    TurnRequest request;
    request.session = session_;
    request.key = fresh_turn_key();
    request.text = message;
    const auto reply = engine_.take_turn(request);
    if (!reply) {
      complain(reply.error().detail);
      return;
    }
    options_open_ = numbered_options(reply->reply.document);
    if (auto listed = listed_products(reply->reply.document); !listed.empty()) listed_ = std::move(listed);
    last_turn_ = reply->reply.turn;
    fmt::print("\n{}", ReplyView(style_, columns_of_terminal()).render(reply->reply.document));
    fmt::print("{}\n", style_.faint(fmt::format("  {:.1f} ms", static_cast<double>(reply->timings.total) / 1000)));
  }

  void command(const std::string& text) {
    const std::size_t space = text.find(' ');
    const std::string name = text.substr(0, space);
    const std::string argument = space == std::string::npos ? "" : trimmed(text.substr(space));
    if (name == "/help") {
      fmt::print("{}", help_text);
    } else if (name == "/state") {
      show_state();
    } else {
      complain(fmt::format("I do not know {}; /help lists what you can type.", printable(name)));
    }
  }

  void show_state() {
    const auto state = engine_.state(session_);
    if (!state) {
      complain(state.error().detail);
      return;
    }
    const nlohmann::json document = state_document(**state);
    fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  }

  void complain(const std::string& sentence) const { fmt::print("{}\n", style_.warning(sentence)); }

  EmbeddedEngine& engine_;
  Ledger& ledger_;
  const TerminalOptions options_;
  const Style style_;
  const SessionId session_;
  TurnNumber last_turn_;
  std::vector<std::string> options_open_;
  std::vector<std::string> listed_;
};

}  // namespace

Status run_terminal(EmbeddedEngine& engine, Ledger& ledger, const TerminalOptions& options) {
  return TerminalConversation(engine, ledger, options).run();
}

}  // namespace turnstone
