#include <fmt/core.h>
#include <optional>

#include "tools/chat/conversation.h"
#include "tools/chat/reply_view.h"
#include "tools/text_file.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

Result<EmbeddedReply> answer(EmbeddedEngine& engine, const std::optional<std::string>& line, const std::string& policy_variant) {
  if (!line) {
    return fail(ErrorCode::limit_exceeded, fmt::format("the line is longer than {} bytes; send a shorter one", script_line_bytes_max));
  }
  auto parsed = parse_script_line(*line, policy_variant);
  if (!parsed) return tl::unexpected(parsed.error());
  if (auto started = engine.start_session(parsed->session); !started) return tl::unexpected(started.error());
  return engine.take_turn(parsed->turn);
}

}  // namespace

Result<std::uint64_t> run_script(EmbeddedEngine& engine, std::FILE* in, std::FILE* out, const ScriptOptions& options) {
  const ReplyView view(Style(false), 100);
  std::uint64_t refused = 0;
  while (const auto line = read_line(in, script_line_bytes_max)) {
    if (*line && (*line)->find_first_not_of(" \t\r") == std::string::npos) continue;
    const auto reply = answer(engine, *line, options.policy_variant);
    if (!reply) ++refused;
    std::string text;
    if (options.json) {
      text = reply ? with_timings(reply->reply.document, reply->timings) : error_document(reply.error());
    } else {
      text = reply ? view.render(reply->reply.document) : "error: " + reply.error().detail;
    }
    text += '\n';
    if (std::fwrite(text.data(), 1, text.size(), out) != text.size() || std::fflush(out) != 0) {
      return fail(ErrorCode::io, "the reply could not be written; whoever reads it has gone or the disk is full");
    }
  }
  return refused;
}

}  // namespace turnstone
