// Sentence frames, by what they are said for.
//
// Slots: {c} product, {f} and {g} facts as noun phrases, {a} what was asked about. Every second frame of a table belongs to the
// half that marks are taken on; while working on the engine only the other half is looked at.
// Immutable; thread safe.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tools/eval/wording/speech.h"

namespace turnstone {

enum class FrameHalf { development, reserved, all };
std::string_view to_string(FrameHalf half);
std::optional<FrameHalf> frame_half_named(std::string_view name);

enum class FrameSet {
  full,       // whole sentences, fragments, questions
  full_pair,  // tells: two facts
  bare,       // hardly a word beside the facts
  bare_pair,
};
// Never empty. The pair sets differ from the others for `tells` alone.
std::vector<std::string_view> frames(SpeechAct act, FrameSet set, FrameHalf half);

// What chatty shoppers say besides; whole sentences.
enum class Chatter { opener, story, remark, courtesy };
std::vector<std::string_view> chatter(Chatter kind, FrameHalf half);

// The frame with its slots filled. A slot without a value stays empty.
struct FrameValues {
  std::string_view category, first, second, attribute;
};
std::string fill(std::string_view frame, const FrameValues& values);

}  // namespace turnstone
