#include "tests/fuzz/reading_trial.h"

#include <array>

#include "tests/scenarios/conversation.h"
#include "tests/scenarios/trial_catalogue.h"
#include "workers/message.h"

namespace turnstone {
namespace {

void check_reading(const Reading& reading, std::string_view text, std::vector<std::string>& broken) {
  if (reading.words.size() > message_words_max) broken.push_back(std::to_string(reading.words.size()) + " words were read");
  for (const Signal& signal : reading.signals) {
    if (signal.span.begin > signal.span.end || signal.span.end > text.size()) broken.push_back("a signal's span leaves the message: " + signal.said);
    if (signal.confidence.value < 0 || signal.confidence.value > 1000) broken.push_back("a confidence that is none: " + signal.said);
  }
}

}  // namespace

std::vector<std::string> broken_by(std::string_view bytes) {
  std::vector<std::string> broken;
  if (bytes.empty()) return broken;
  constexpr std::array<std::string_view, 3> fields{"furniture", "electronics", "perfumes"};
  constexpr std::array<std::string_view, 3> products{"Sofa", "Laptop", "Parfum"};
  const std::size_t field = static_cast<unsigned char>(bytes[0]) % fields.size();
  Conversation conversation(trial_catalogue(std::string(fields[field])));
  bytes.remove_prefix(1);
  for (std::size_t turns = 0; !bytes.empty() && turns < turns_max; ++turns) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::string line(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.starts_with('?')) {
      conversation.ask(line.size() == 1 ? "other" : line.substr(1), {"Black", "Oak", "5"});
    } else if (line.starts_with('!')) {
      conversation.show(std::string(products[field]), 4);
    } else {
      conversation.say(line);
      check_reading(conversation.last_reading(), line, broken);
      for (std::string& what : broken_invariants(conversation.state())) broken.push_back(std::move(what));
      if (!broken.empty()) return broken;
    }
  }
  return broken;
}

}  // namespace turnstone
