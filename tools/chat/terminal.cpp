#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "replay/audit.h"
#include "replay/explain.h"
#include "replay/session_reader.h"
#include "tools/chat/conversation.h"
#include "tools/chat/reply_view.h"
#include "tools/chat/terminal_text.h"
#include "tools/progress.h"
#include "workers/reading.h"
#include "workers/trace.h"

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
      : engine_(engine), ledger_(ledger), options_(options), colours_(colours_wanted(STDOUT_FILENO)), style_(colours_), session_{options.session} {}

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
    fmt::print("{}\n", style_.strong(fmt::format("{} products. What are you looking for?", engine_.artefact()->product_count())));
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
        return complain(fmt::format("There is no option {}; there are {}.", *number, options_open_.size()));
      }
      message = options_open_[*number - 1];
      fmt::print("{}\n", style_.faint("  " + printable(message)));
    }
    TurnRequest request;
    request.session = session_;
    request.key = fresh_turn_key();
    request.text = message;
    const auto reply = engine_.take_turn(request);
    if (!reply) return complain(reply.error().detail);
    options_open_ = numbered_options(reply->reply.document);
    if (auto listed = listed_products(reply->reply.document); !listed.empty()) {
      listed_ = std::move(listed);
      listed_turn_ = reply->reply.turn;
    }
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
    } else if (name == "/why") {
      why(argument);
    } else if (name == "/whynot") {
      why_not(argument);
    } else if (name == "/audit") {
      show_audit();
    } else if (name == "/parse") {
      show_parse();
    } else {
      complain(fmt::format("I do not know {}; /help lists what you can type.", printable(name)));
    }
  }

  // --- what stands behind the replies ---
  void why(const std::string& argument) {
    const auto place = whole_number(argument);
    if (listed_.empty()) return complain("Nothing has been shown yet.");
    if (!argument.empty() && !place) return explain_id(argument, listed_turn_);
    if (!place || *place < 1 || *place > listed_.size()) return complain(fmt::format("Say /why and a number from 1 to {}.", listed_.size()));
    explain_id(listed_[*place - 1], listed_turn_);
  }

  void why_not(const std::string& argument) {
    if (argument.empty()) return complain("Say /whynot and the id of a product.");
    if (const auto place = whole_number(argument); place && *place >= 1 && *place <= listed_.size()) return explain_id(listed_[*place - 1], std::nullopt);
    explain_id(argument, std::nullopt);
  }

  void explain_id(const std::string& id, std::optional<TurnNumber> turn) {
    const ExplainRequest request{session_, turn, ProductId{id}, std::nullopt};
    const auto artefact = [this](const Fingerprint& wanted) { return wanted == engine_.artefact()->fingerprint() ? engine_.artefact() : nullptr; };
    const auto explanation = explain(ledger_, request, artefact, policies_of(ledger_), std::nullopt);
    if (!explanation) return complain(explanation.error().detail);
    fmt::print("{}", explanation_text(*explanation, colours_));
  }

  void show_audit() {
    const auto title = [this](const ProductId& id) {
      const auto found = engine_.artefact()->find(id.value);
      return found ? printable(engine_.artefact()->title(*found)) : std::string();
    };
    const auto audit = audit_session(ledger_, session_, title);
    if (!audit) return complain(audit.error().detail);
    fmt::print("{}", audit_text(*audit, {colours_, columns_of_terminal()}));
  }

  void show_parse() {
    const auto turn = last_turn(ledger_, session_);
    if (!turn) return complain("You have not said anything yet.");
    const auto begun = read_turn_start(ledger_, session_, *turn);
    if (!begun) return complain(begun.error().detail);
    const TurnTrace trace = trace_turn(begun->state, begun->input, *engine_.artefact(), *engine_.policy());
    fmt::print("{}", describe(trace.reading));
  }

  void show_state() {
    const auto state = engine_.state(session_);
    if (!state) return complain(state.error().detail);
    fmt::print("{}", state_view(**state, style_, columns_of_terminal()));
  }

  void complain(const std::string& sentence) const { fmt::print("{}\n", style_.warning(sentence)); }

  EmbeddedEngine& engine_;
  Ledger& ledger_;
  const TerminalOptions options_;
  const bool colours_;
  const Style style_;
  const SessionId session_;
  std::vector<std::string> options_open_;
  std::vector<std::string> listed_;  // the products of the last list that was not empty …
  TurnNumber listed_turn_;           // … and the turn that showed it
};

}  // namespace

Status run_terminal(EmbeddedEngine& engine, Ledger& ledger, const TerminalOptions& options) {
  return TerminalConversation(engine, ledger, options).run();
}

}  // namespace turnstone
