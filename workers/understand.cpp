#include <algorithm>

#include "workers/interpreter.h"
#include "workers/stages.h"

namespace turnstone {
namespace {

constexpr std::size_t signals_noted = 24;
constexpr std::size_t said_bytes_noted = 40;

std::string_view name_of(SignalKind kind) {
  switch (kind) {
    case SignalKind::wish:
      return "wish";
    case SignalKind::waive:
      return "waive";
    case SignalKind::drop:
      return "drop";
    case SignalKind::restore:
      return "restore";
    case SignalKind::price_level:
      return "price_level";
    case SignalKind::relative:
      return "relative";
    case SignalKind::recipient:
      return "recipient";
    case SignalKind::refer:
      return "refer";
    case SignalKind::reject:
      return "reject";
    case SignalKind::same_facet:
      return "same_facet";
    case SignalKind::ask:
      return "ask";
    case SignalKind::act:
      return "act";
  }
  return "unknown";
}

std::string_view name_of(Act act) {
  switch (act) {
    case Act::more:
      return "more";
    case Act::greeting:
      return "greeting";
    case Act::thanks:
      return "thanks";
    case Act::goodbye:
      return "goodbye";
    case Act::acknowledge:
      return "acknowledge";
    case Act::chat:
      return "chat";
    case Act::start_over:
      return "start_over";
    case Act::undo:
      return "undo";
    case Act::revoke_all:
      return "revoke_all";
    case Act::retract:
      return "retract";
    case Act::rethink:
      return "rethink";
    case Act::back_to:
      return "back_to";
    case Act::dislike_shown:
      return "dislike_shown";
    case Act::decline:
      return "decline";
    case Act::dont_know:
      return "dont_know";
    case Act::up_to_you:
      return "up_to_you";
    case Act::waive_asked:
      return "waive_asked";
    case Act::yes:
      return "yes";
    case Act::no:
      return "no";
    case Act::both:
      return "both";
    case Act::option:
      return "option";
    case Act::correct:
      return "correct";
    case Act::instead:
      return "instead";
    case Act::additional:
      return "additional";
    case Act::browsing:
      return "browsing";
    case Act::buying:
      return "buying";
  }
  return "unknown";
}

std::string_view sign_of(Operator op) {
  switch (op) {
    case Operator::is:
      return "=";
    case Operator::is_not:
      return "!=";
    case Operator::at_most:
      return "<=";
    case Operator::at_least:
      return ">=";
    case Operator::between:
      return "..";
    case Operator::about:
      return "~";
  }
  return "?";
}

std::string value_text(const Signal& signal) {
  std::string text;
  for (const std::string& value : signal.value.any_of) text += (text.empty() ? "" : "|") + value;
  if (signal.value.number && text.empty()) text = to_string(*signal.value.number);
  if (signal.value.upper) text += ".." + to_string(*signal.value.upper);
  if (!signal.unit.empty()) text += " " + signal.unit;
  return text;
}

std::string line_of(const Signal& signal) {
  std::string line(name_of(signal.kind));
  if (signal.kind == SignalKind::act) line += " " + std::string(name_of(signal.act));
  if (!signal.facet.empty()) line += " " + signal.facet;
  if (signal.kind == SignalKind::wish || signal.kind == SignalKind::price_level) line += " " + std::string(sign_of(signal.op));
  if (const std::string value = value_text(signal); !value.empty()) line += " " + value;
  if (signal.kind == SignalKind::relative) line += signal.up ? " up" : " down";
  if (!signal.recipient.empty()) line += " " + signal.recipient;
  if (signal.place != 0) line += " #" + std::to_string(signal.place);
  if (signal.strength == Strength::soft) line += " (soft)";
  return line;
}

void cut(std::string& text) {
  if (text.size() <= said_bytes_noted) return;
  std::size_t size = said_bytes_noted;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  text.resize(size);
}

void note(const Reading& reading, StageRecord& record) {
  std::vector<std::string> lines;
  std::vector<std::int64_t> places;
  for (const Signal& signal : reading.signals) {
    if (lines.size() == signals_noted) break;
    std::string line = line_of(signal);
    cut(line);
    lines.push_back(std::move(line));
    places.push_back(signal.span.begin);
    places.push_back(signal.span.end);
    places.push_back(signal.confidence.value);
  }
  const auto mended =
      std::count_if(reading.words.begin(), reading.words.end(), [](const WordReading& w) { return w.as != "unknown" && w.word != w.term; });
  record.note("signals", std::move(lines));
  record.note("spans", std::move(places));
  record.note("signal_count", static_cast<std::int64_t>(reading.signals.size()));
  record.note("words", static_cast<std::int64_t>(reading.words.size()));
  record.note("mended", static_cast<std::int64_t>(mended));
  if (reading.corrects) record.note("corrects", std::int64_t{1});
  if (!reading.readable) record.note("unreadable", std::int64_t{1});
}

}  // namespace

Reading understand(const IntentState& state, const TurnReceived& received, const Artefact& artefact, const Policy& policy, StageRecord& record) {
  record.stage = Stage::understand;
  const auto lexicon = Lexicon::of(artefact, policy);
  const Message message = read_message(received.text, artefact, policy.cues(), *lexicon);
  Reading reading = Interpreter(message, state, artefact, policy, *lexicon).run();
  note(reading, record);
  return reading;
}

std::string describe(const Reading& reading) {
  std::string out;
  for (const WordReading& word : reading.words) {
    out += word.word;
    if (word.term != word.word) out += " (" + word.term + ")";
    out += ": " + word.as + "\n";
  }
  for (const Signal& signal : reading.signals) {
    out += "→ " + line_of(signal) + "  [" + std::to_string(signal.confidence.value / 10) + " %] \"" + signal.said + "\"\n";
  }
  return out;
}

}  // namespace turnstone
