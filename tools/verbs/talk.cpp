#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "engine/gateway/http_client.h"
#include "engine/gateway/target.h"
#include "tools/chat/conversation.h"
#include "tools/chat/reply_view.h"
#include "tools/chat/terminal_text.h"
#include "tools/progress.h"
#include "tools/talk/resend.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

using nlohmann::json;

constexpr std::size_t columns_max = 110;  // longer lines are hard to read

struct TalkOptions {
  std::string http = "127.0.0.1:8080";
  std::string session;
  std::string script;
  std::string policy = "shopper";
  std::uint32_t top_k = 10;
  bool json = false;
};

constexpr std::string_view help_text =
    "Say what you are looking for, in your own words; correct yourself at any time.\n"
    "  3        choose option 3 of the open question      /state   what was understood so far\n"
    "  /help    this text                                 /quit    leave (so does Ctrl-D)\n";

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// One conversation with an engine over HTTP.
class Talk {
 public:
  Talk(const TalkOptions& options, HttpAddress address)
      : options_(options),
        client_(std::move(address)),
        style_(colours_wanted(STDOUT_FILENO)),
        view_(style_, std::min<std::size_t>(columns_max, static_cast<std::size_t>(std::max(40, terminal_columns(STDOUT_FILENO))) - 1)) {}

  Status begin() {
    json body = {{"policy", options_.policy}};
    if (!options_.session.empty()) body["session"] = options_.session;
    auto created = send({"POST", "/v1/sessions", {}, body.dump(-1, ' ', false, json::error_handler_t::replace)});
    if (!created) return tl::unexpected(created.error());
    if (created->status >= 300) return fail(ErrorCode::invalid_argument, problem_detail(*created));
    session_ = json::parse(created->body, nullptr, false).value("session", options_.session);
    if (!options_.json && created->status == 200) fmt::print("{}\n", style_.faint("Going on with session " + printable(session_) + "."));
    return {};
  }

  // Handles one line; false when it ends the conversation. An error is what keeps the engine from being reached.
  Result<bool> handle(const std::string& line, bool echo) {
    if (line == "/quit" || line == "/exit") return false;
    if (line == "/help") return fmt::print("{}", help_text), true;
    if (line == "/state") return show_state();
    if (line.front() == '/') return complain("I do not know " + printable(line) + "; /help lists what you can type."), true;
    std::string message = line;
    if (const auto* option = chosen(line)) message = *option;
    if (echo) fmt::print("\n{} {}\n", style_.accent("›"), style_.strong(printable(message)));
    return say(message);
  }

  const std::string& session() const { return session_; }
  bool refused_something() const { return refused_; }
  const Style& style() const { return style_; }

 private:
  std::string path(std::string_view part) const { return "/v1/sessions/" + percent_encode(session_) + "/" + std::string(part); }

  Result<HttpResponse> send(const HttpRequest& request) {
    ResendMeans means;
    means.send = [&] { return client_.send(request); };
    means.tell = [this](const std::string& why) { fmt::print(stderr, "{}\n", style_.faint(why)); };
    return send_until_answered(means);
  }

  Result<bool> say(const std::string& message) {
    const json body = {{"message", message}, {"top_k", options_.top_k}};
    const HttpRequest turn{
        "POST", path("turns"), {{"Idempotency-Key", fresh_turn_key().value}}, body.dump(-1, ' ', false, json::error_handler_t::replace)};
    auto reply = send(turn);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->status != 200) {
      refused_ = true;
      if (options_.json) return fmt::print("{}\n", reply->body), true;
      return complain(problem_detail(*reply)), true;
    }
    choices_ = numbered_options(reply->body);
    if (options_.json) {
      fmt::print("{}\n", reply->body);
    } else {
      const json document = json::parse(reply->body, nullptr, false);
      const double took = document.contains("timing_us") ? document["timing_us"].value("total", 0.0) / 1'000 : 0.0;
      fmt::print("\n{}{}\n", view_.render(reply->body), style_.faint(fmt::format("  {:.1f} ms", took)));
    }
    std::fflush(stdout);
    return true;
  }

  Result<bool> show_state() {
    auto state = send({"GET", path("state"), {}, {}});
    if (!state) return tl::unexpected(state.error());
    const json document = json::parse(state->body, nullptr, false);
    fmt::print("{}\n", document.dump(options_.json ? -1 : 2, ' ', false, json::error_handler_t::replace));
    return true;
  }

  // The option of the open question that a number stands for.
  const std::string* chosen(const std::string& line) const {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    const bool is_choice = error == std::errc() && end == line.data() + line.size() && number >= 1 && number <= choices_.size();
    return is_choice ? &choices_[number - 1] : nullptr;
  }

  void complain(const std::string& sentence) const { fmt::print("{}\n", style_.warning(sentence)); }

  const TalkOptions& options_;
  HttpClient client_;
  const Style style_;
  const ReplyView view_;
  std::string session_;
  std::vector<std::string> choices_;
  bool refused_ = false;
};

// A script has one message a line; blank lines and lines that begin with # are passed over.
Result<ExitCode> run_talk(const TalkOptions& options) {
  auto address = parse_http_address(options.http);
  if (!address) return tl::unexpected(address.error());
  std::ifstream file;
  if (!options.script.empty() && options.script != "-") {
    file.open(options.script);
    if (!file) return fail(ErrorCode::not_found, fmt::format("{} cannot be opened ({}); check the path", options.script, std::strerror(errno)));
  }
  std::istream& in = file.is_open() ? file : std::cin;
  const bool prompting = options.script.empty() && isatty(STDIN_FILENO) != 0;

  Talk talk(options, std::move(*address));
  if (Status began = talk.begin(); !began) return tl::unexpected(began.error());
  if (prompting) fmt::print("{}\n{}\n", talk.style().strong("What are you looking for?"), talk.style().faint("/help shows what else you can type."));
  for (std::string line;;) {
    if (prompting) fmt::print("\n{} ", talk.style().accent("›"));
    std::fflush(stdout);
    if (!std::getline(in, line)) break;
    const std::string text = trimmed(valid_utf8(line));
    if (text.empty() || text.front() == '#') continue;
    auto going_on = talk.handle(text, !prompting && !options.json);
    if (!going_on) return tl::unexpected(going_on.error());
    if (!*going_on) break;
  }
  if (prompting) fmt::print("\n{}\n", talk.style().faint("Goodbye. Go on later with --session " + printable(talk.session())));
  return talk.refused_something() ? ExitCode::negative : ExitCode::success;
}

}  // namespace

Verb add_talk(CLI::App& app) {
  auto options = std::make_shared<TalkOptions>();
  CLI::App& command = add_command(app, "talk", "Talk to a running engine over HTTP, at the terminal or from a script",
                                  "turnstone talk --http 127.0.0.1:8080 --session s1\n"
                                  "turnstone talk --http 127.0.0.1:8080 --session s1 --script conversation.txt");
  command.add_option("--http", options->http, "Where the engine listens: ADDRESS:PORT")->capture_default_str();
  command.add_option("--session", options->session, "The conversation to begin or to go on with; without it the engine names a new one");
  command.add_option("--script", options->script, "Read the messages from this file, one a line (- is standard input)");
  command.add_option("--policy", options->policy, "Variant for a session that is new")
      ->check(CLI::IsMember({"shopper", "benchmark"}))
      ->capture_default_str();
  command.add_option("--top-k", options->top_k, "Products in a reply, at most")->check(CLI::Range(1, 100))->capture_default_str();
  add_json_flag(command, options->json);
  return {&command, [options] { return run_talk(*options); }};
}

}  // namespace turnstone
