// The audit as text: a label column, the sentence, and what stands behind it dimmed at its end.
#include <fmt/format.h>

#include <algorithm>

#include "replay/audit.h"
#include "replay/wording.h"

namespace turnstone {
namespace {

constexpr std::size_t label_column = 2;
constexpr std::size_t text_column = 14;

// Columns that a UTF-8 text takes, counting one a code point.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Words of `text` in lines of at most `width` columns; the lines after the first begin at text_column.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t used = text_column;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    const std::size_t length = columns(word);
    if (used > text_column && used + 1 + length > width) {
      out += '\n' + std::string(text_column, ' ');
      used = text_column;
    } else if (used > text_column) {
      out += ' ';
      ++used;
    }
    out += word;
    used += length;
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return out;
}

class AuditPrinter {
 public:
  explicit AuditPrinter(const AuditTextOptions& options) : options_(options) {}

  std::string print(const Audit& audit) {
    std::size_t turns = 0;
    for (const AuditTurn& turn : audit.turns) turns += turn.turn.value > 0 ? 1 : 0;
    const std::uint32_t epoch = audit.turns.empty() ? 1 : audit.turns.back().epoch.value;
    out_ = fmt::format("{} · policy {} · {} · {} turn{} · epoch {}\n", bold("session " + one_line(audit.session.value)), one_line(audit.policy_variant),
                       moment_of(audit.started), turns, turns == 1 ? "" : "s", epoch);
    for (const AuditTurn& turn : audit.turns) print(turn);
    return std::move(out_);
  }

 private:
  void print(const AuditTurn& turn) {
    out_ += '\n';
    if (turn.turn.value > 0) {
      const std::string label = fmt::format("turn {}", turn.turn.value);
      out_ += bold(label) + std::string(text_column - std::min(text_column - 1, label.size()), ' ') + wrapped(in_quotes(turn.said), options_.width) +
              "  " + dim(clock_of(turn.time)) + '\n';
    }
    for (const AuditEntry& entry : turn.entries) print(entry);
  }
  void print(const AuditEntry& entry) {
    const std::string label = std::string(label_column, ' ') + entry.kind;
    out_ += paint(entry.kind, label) + std::string(text_column - std::min(text_column - 1, label.size()), ' ');
    if (entry.aside.empty()) {
      out_ += wrapped(entry.text, options_.width) + '\n';
      return;
    }
    // The mark tells where the aside begins after wrapping; one_line keeps such characters out of the text.
    std::string line = wrapped(entry.text + " \x01[" + entry.aside + ']', options_.width);
    const std::size_t aside = line.find('\x01');
    line = line.substr(0, aside) + dim(line.substr(aside + 1));
    out_ += line + '\n';
  }
  std::string paint(std::string_view kind, const std::string& text) const {
    if (kind == "set" || kind == "carried") return code("32", text);
    if (kind == "dropped" || kind == "archived" || kind == "rejected" || kind == "relaxed") return code("31", text);
    if (kind == "epoch" || kind == "parked" || kind == "attempt") return code("33", text);
    if (kind == "asked" || kind == "answered") return code("36", text);
    return text;
  }
  std::string bold(const std::string& text) const { return code("1", text); }
  std::string dim(const std::string& text) const { return code("2", text); }
  std::string code(std::string_view sgr, const std::string& text) const {
    return options_.colour ? fmt::format("\x1b[{}m{}\x1b[0m", sgr, text) : text;
  }

  AuditTextOptions options_;
  std::string out_;
};

}  // namespace

std::string audit_text(const Audit& audit, const AuditTextOptions& options) { return AuditPrinter(options).print(audit); }

}  // namespace turnstone
