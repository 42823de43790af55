// How simulated shoppers put what they mean.
//
// canonical   one fixed frame an act
// natural     free frames; values as in the listing
// paraphrase  natural frames; values reworded with general synonyms, some of their words dropped or turned round
// typo        natural, with slips of the keyboard in some words, whatever they are
// terse       one to four bare content words
// chatty      natural, with fillers, politeness, a story, an irrelevant remark a turn, and facts given as the negation of
//             their opposite where they have one
//
// Everything here is made of words of its own: it reads nothing that the engine reads, so that what is measured with it is
// how people are understood and not how well two lists agree. Frames stand in two halves: one to work with, one to take marks on.
// Deterministic in the seed: what is said depends on the seed, the act, how often the act came before, and the facts, and on
// nothing that the other side did in between. Not thread safe; one a session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/eval/wording/frames.h"
#include "tools/eval/wording/speech.h"

namespace turnstone {

enum class WordingStyle { canonical, natural, paraphrase, typo, terse, chatty };
inline constexpr std::array<WordingStyle, 6> wording_styles = {WordingStyle::canonical, WordingStyle::natural, WordingStyle::paraphrase,
                                                               WordingStyle::typo,      WordingStyle::terse,   WordingStyle::chatty};
std::string_view to_string(WordingStyle style);
std::optional<WordingStyle> wording_style_named(std::string_view name);

class ShopperWording {
 public:
  virtual ~ShopperWording() = default;
  virtual std::string say(const Meaning& meaning) = 0;
};

std::unique_ptr<ShopperWording> canonical_wording();
std::unique_ptr<ShopperWording> make_wording(WordingStyle style, FrameHalf half, std::uint64_t seed);

}  // namespace turnstone
