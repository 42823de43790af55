// Simulated shoppers. A shopper knows the hidden card; the agent under test sees nothing but her messages.
//
// Seams: a Shopper decides what to disclose when (other kinds of shopper implement it too), a ShopperWording decides how
// it is said. Both are deterministic in their seed. Not thread safe; one a session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/eval/card.h"
#include "tools/eval/wording/wording.h"

namespace turnstone {

enum class Scenario { buying, browsing, intent_override, boundary };
inline constexpr Scenario scenarios[] = {Scenario::buying, Scenario::browsing, Scenario::intent_override, Scenario::boundary};
std::string_view to_string(Scenario scenario);
std::optional<Scenario> scenario_named(std::string_view name);

// What the agent said, as far as a shopper looks at it.
struct AgentReply {
  struct Question {
    std::string facet;
    std::vector<std::string> options;
  };
  std::string message;
  std::optional<std::string> ask_attribute;
  std::vector<Question> questions;
  std::vector<std::string> products;       // ids, best first
  std::vector<std::int64_t> confidences;  // of the same, permille
};

class Shopper {
 public:
  virtual ~Shopper() = default;
  virtual Utterance opening() = 0;                                        // the message of turn 1
  virtual Utterance reply(const AgentReply& agent, std::uint32_t turn) = 0;  // the message of turn 2, 3 …
  // Whether the target counts as found when the answer to turn `turn` shows it.
  virtual bool hit_counts(std::uint32_t turn) const = 0;
};

// Discloses at most two facts a reply, of the attribute asked about (of any for "other"). buying opens with the
// first hard fact; intent_override with the last soft one, and changes her mind on turn 3 or 4 (seeded), from when
// on hits count; boundary leaves the first question open.
std::unique_ptr<Shopper> card_shopper(HiddenCard card, Scenario scenario, std::unique_ptr<ShopperWording> wording, std::uint64_t seed);

}  // namespace turnstone
