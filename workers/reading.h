// What understand read in a message: signals, each with its span of the text and its confidence.
//
// A signal is a piece of meaning that does not yet say what becomes of the state; revise decides that. Every
// word of the message belongs to at most one consuming signal (a feature clause may hold the words of the
// facet values within it). Plain values; order of the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/event.h"

namespace turnstone {

enum class SignalKind : std::uint8_t {
  wish,         // a constraint: facet, op, value, unit, strength
  waive,        // any value of facet will do
  drop,         // facet (and value, when given) is taken back
  restore,      // what was held of facet before is held again; place 1: the first of all
  price_level,  // "cheap", "low mileage": number is the quantile of facet in permille; op at_most or at_least
  relative,     // facet is to move up or down from what was shown (or from `place`)
  recipient,    // whom it is for
  refer,        // place: a product shown is pointed at as liked
  reject,       // place: a product shown is refused
  same_facet,   // facet as in the product at place
  ask,          // a question about the product at place; facet may be empty
  act,          // something said about the talk itself
};

enum class Act : std::uint8_t {
  more,
  greeting,
  thanks,
  goodbye,
  acknowledge,
  chat,
  start_over,
  undo,
  revoke_all,  // everything said before is taken back
  retract,     // what was said last is taken back; all, when something unlike it follows
  rethink,     // the shopper thinks otherwise now
  back_to,
  dislike_shown,
  decline,
  dont_know,
  up_to_you,
  waive_asked,
  yes,
  no,
  both,
  option,
  correct,
  instead,
  additional,
  browsing,
  buying
};

struct Signal {
  SignalKind kind = SignalKind::wish;
  TextSpan span;
  Permille confidence{900};
  std::string said;  // the shopper's words
  std::string facet;
  Operator op = Operator::is;
  ConstraintValue value;
  std::string unit;
  Strength strength = Strength::hard;
  bool answers = false;     // the facet is the one that was asked about
  bool adds = false;        // stands beside earlier values of its facet ("also in blue")
  bool widens = false;      // one more choice beside them ("or blue", "blue would also be fine", "any other colour, too")
  bool whichever = false;  // "any table": of whatever kind
  bool up = true;           // relative
  bool utmost = false;      // relative: as far as the catalogue goes ("the cheapest")
  std::uint32_t place = 0;  // of the list shown last, or of the options, from 1; 0 = none
  std::string recipient;
  std::string department;  // family: "women", "kids"
  Act act = Act::acknowledge;
};

// How one word was read, for people.
struct WordReading {
  TextSpan span;
  std::string word;  // as written, folded
  std::string term;  // as looked up, mended
  std::string as;    // "color", "not", "price", "function word", "unknown" …
};

struct Reading {
  std::vector<Signal> signals;
  std::vector<WordReading> words;
  bool readable = true;                      // at least one word is known, or the message is empty
  bool corrects = false;                     // a correction cue stands in the message
  bool asks = false;                         // words of wanting stand in the message ("show me", "I also need")
  std::uint32_t corrects_from = 0xffffffff;  // byte where the first correction cue stands
};

// One line a word: what the shopper wrote and how it was read; then the signals.
std::string describe(const Reading& reading);

}  // namespace turnstone
