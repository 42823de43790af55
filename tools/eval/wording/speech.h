// What a simulated shopper means to say, apart from how she says it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace turnstone {

enum class SpeechAct {
  wants,             // opens with a product and a requirement
  wants_at_first,    // opens with a product and a preference that she will take back
  explores,          // opens with a product alone
  tells,             // one or two facts, asked or not
  nothing_more,      // has nothing (more) to say about what was asked
  leaves_open,       // does not mind about what was asked
  not_right_yet,     // nothing was asked, and what was shown is not it
  changes_her_mind,  // takes back everything said about the product so far, then a fact
};
inline constexpr std::array<SpeechAct, 8> speech_acts = {SpeechAct::wants,         SpeechAct::wants_at_first,  SpeechAct::explores,
                                                         SpeechAct::tells,         SpeechAct::nothing_more,    SpeechAct::leaves_open,
                                                         SpeechAct::not_right_yet, SpeechAct::changes_her_mind};
std::string_view to_string(SpeechAct act);

struct Meaning {
  SpeechAct act = SpeechAct::explores;
  std::string category;            // openings
  std::vector<std::string> facts;  // as in the listing: "100% Cotton", "Colour group: Black", "budget around $19.99"
  std::string attribute;           // what was asked, as in a reply's ask_attribute: nothing_more, leaves_open
};

struct Utterance {
  std::string text;
  Meaning meaning;
};

}  // namespace turnstone
