// Cue phrases of the language ("instead", "anything but", "doesn't matter"): part of the policy.
//
// A phrase says what the shopper does with the words around it; what is talked about comes from the catalogue.
// One phrase may stand under several kinds ("max 30", "30 max"): the reader takes the one that fits its place.
// Phrases are written in workers/policy/cues.toml as people write them, tokenised as messages are, with
// contractions in both forms ("don't care", "do not care").
// Thread safety: immutable after parse; share freely. Look-up is linear in the phrase's words.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/error.h"

namespace turnstone {

enum class CueKind : std::uint8_t {
  negate,       // "not", "no", "without", "never wear"
  except,       // "anything but", "other than"
  compound,     // looks like a rejection and is a property: "non slip", "no show"
  harmless,     // looks like another cue and is none: "not only", "don't mind", "no show"
  half_negate,  // "not fully", "not necessarily": neither a wish nor a rejection
  contrast,     // ends a rejection: "but", "rather"
  either_or,    // "or"
  and_also,     // "and", "as well as"
  waive,        // "doesn't matter": the facet named beside it, or asked about
  waive_any,    // "any", "whatever": waives a facet named right behind it
  waive_noun,   // "preference": waives what is named beside it when it is denied
  waive_about,  // "don't care about": waives the facets named behind it
  decline,      // "I'd rather not say", "no additional preference"
  dont_know,    // "not sure", "no idea"
  up_to_you,    // "surprise me", "use your judgment"
  correct,      // "actually", "no wait", "I meant", "make it"
  drop,         // takes back what is named behind it: "forget about", "never mind"
  start_over,
  undo,        // "go back one step"
  back_to,     // "go back to", "after all"
  instead,     // "instead", "something else"
  additional,  // "I also need", "another search"
  more,        // "show me more", "what else"
  at_most,
  at_least,
  about,
  or_less,
  or_more,  // behind the number: "or less", "and up"
  between,
  range_to,
  must,
  soft,
  want,
  accept,  // "I need"; "is fine", "works"
  worthless,  // "no use", "will not do": what is said to be so without something needs it
  story,   // tells, asks for nothing: "my old one", "it itches"
  budget,  // "my budget", "spend"
  size,    // "size", "I wear a"
  stars,
  reviews,
  well_rated,
  buying,
  browsing,
  greeting,
  thanks,
  goodbye,
  acknowledge,
  chat,
  yes,
  no,
  both,
  first_option,
  dislike_shown,  // "none of these", "those options are not right"
  alike,          // "like", "similar to", before a reference
  same_as,        // "the same brand as": the facet of a product referred to
  keep_same,      // "the same", "the same thing"
  ask_price,
  ask_maker,
  ask,       // questions about a shown product
  for_whom,  // "for my", "gift for"
  for_self,  // "for me"
  old,       // "year old"
};

// A phrase may be read in several ways; the words around it decide.
struct CueMatch {
  std::uint64_t kinds = 0;   // bit per CueKind
  std::uint32_t length = 0;  // in words
  bool is(CueKind kind) const { return (kinds >> static_cast<unsigned>(kind) & 1U) != 0; }
};

// Words by what they do in a sentence. What a revocation is made of ("forget what I told you earlier", "my last wish no
// longer counts"; revocation.h puts the pieces together), what joins a column's name to its value, what tells talk from
// wishes.
enum class SpeechPart : std::uint8_t {
  revoking,        // "forget", "scrap", "never mind"
  returning,       // "go back to": to what was held before
  possessing,      // what one did with what was held before: "what I had", "what I picked"
  as_it_was,       // "how it was": what was held before
  initial,         // of "earlier", what says the first of all: "first", "original"
  sound,           // behind what was held before, to have it again: "was right"
  revoking_open,   // "take", "throw": with what they revoke and then a closing word
  revoking_close,  // "back", "out", "aside"
  saying,          // "said", "told you", "asked for"
  said_noun,       // "wish", "request", "stuff"
  earlier,         // "earlier", "so far", "previous"
  latest,          // "last", "just", "just now"
  total,           // "all", "everything"
  none,            // "none of", "nothing"
  holding,         // "counts", "matters": denied, what was said holds no longer
  holding_no,      // "no longer", "doesn't"
  any_longer,      // "any more", "for this one"
  off,             // "is off the table"
  off_then,        // of these, what is also said of a mere "that": "was wrong"
  view,            // "thoughts", "idea", "say": what one has who has a wish
  turn_of_mind,    // "changed my mind", "change of plan"
  names_value,     // between a column's name and its value: "of", "is"
  names_facet,     // between a value and its column's name: "as the", "for the"
  talk,            // "yesterday", "colleague": words of people's lives that alone wish for nothing
  degree,          // between a denial and what it denies: "that", "really", "all that"
  weight,         // denied, what it is said of does not matter: "important", "a priority"
  verdict_no,     // behind a value or a bound, refuses it: "is out", "won't do"
  swapping,       // takes the value behind it for another: "swap", with swapped_for
  swapped_for,    // "for", "with"
  asked_back,     // behind a denial that only asks: "isn't THERE"
  excess,         // before a value that there is too much of: "too"
  caring,         // denied, what stands behind it does not matter: "fussed", "mind"
  speaker,        // the shopper of herself: "I", "we've"
  pronoun,        // what may stand for all that was said: "that", "those"
  determiner,     // what may stand before a word for what was said: "my", "the"
  own,            // "my", "our"
  owner,          // whose it is: "my", "her"
  relative_word,  // begins a clause about what was said: "what", "that"
  denial,         // turns a verb behind it around: "don't", "never"
  refusal,        // denies that there is a wish: "no", "can't", "hardly"
  whole,          // denies, or leaves nothing out: "never", "all", "already"
  open_answer,      // a whole answer by itself: anything will do ("flexible")
  empty_answer,     // … there is nothing to say ("skip")
  mismatch_answer,  // … what was shown is not it ("no match")
  renewal,        // before a colon: what follows takes the place of what was said ("new", "change")
  topic,          // before what is talked about: "about", "on", "for"
  narrowing,      // confines what is taken back to what follows: "for", "about"
  upon,           // what a mind changed on: "about"
  goes_on,        // what may follow a revocation: "please", "now"
  addressed,      // small words between saying and its time: "to you"
  mere_revoking,  // takes back without saying what: "never mind"
  somebody,       // who does something in a story: "I", "they", "my"
  asker,          // who asks, or a verb of asking: "me", "show"
  wanting,        // asks also in a story: "need", "must"
  statement,      // makes a sentence of words: "is", "they", "my"
  belonging,      // what follows belongs to the product before: "for", "with"
  rising,         // "more", "higher"
  falling,        // "less", "lower"
  adjective,       // "short", "tight": a product only in the plural
  plain_name,     // names a column only before a colon or a value: "type"
  // --- beside wishes ---
  of_time,   // "made in", "since", "or newer": the number beside it is a year
  likewise,  // "would also be fine": one more choice beside what was said
  little,    // "low", "few": before the name of a column that counts
  plenty,    // "high", "plenty of"
  rated,     // "rated", "rating": the number behind it is one of stars
  topmost,   // "highest", "most": before the name of a column that counts, the list by it
  undermost, // "lowest", "least"
  in_hand,   // "I've got": before a sum of money, the most that there is to spend
  beyond,    // "after", "newer than": what is compared with is left out itself
  older,     // turns a bound of years around
  newer,
  emphatic,   // before a value: "BRAND new"
  amounting,  // between a denial and a comparison: "should not COST more than"
  // --- between words ---
  than,       // behind a comparative, before the number that it compares with
  amount_of,  // between a thing and how many: "a pack of 6"
  joining,    // "and", "or" between values
  range_end,  // before a range's upper end: "to"
  alternative,   // "or", "nor": goes on with a list behind a comma
  turning,       // begins another clause: "but"
  having,        // what follows is a part of the product: "with", "featuring"
  before_size,   // what may stand before a letter of size: "a", "in", "or"
  thing,         // the product spoken of: "it", "its"
  which_one,     // asks which of several: "which"
  shown_ones,    // the products shown: "these", "them"
  out_of,        // before what is chosen from: "of"
  for_somebody,  // before a person: "for"
};

// A relative wish: "bigger" moves one of `facets` up.
struct RelativeCue {
  std::string name;
  bool up = true;
  std::vector<std::string> facets;   // by rising distance of meaning; "price" is one
  std::vector<std::string> without;  // words that it takes away when no facet fits
};
inline bool any_kind(const CueMatch& cue, std::initializer_list<CueKind> kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](CueKind kind) { return cue.is(kind); });
}

struct RelativeMatch {
  const RelativeCue* cue = nullptr;
  std::uint32_t length = 0;
  bool utmost = false;  // "cheapest", not "cheaper"
};

class CueBook {
 public:
  CueBook();
  // Reads the tables `cue`, `speech`, `relative`, `measure`, `dimension`, `place`, `small` of a policy bundle. Errors: invalid_argument.
  static Result<CueBook> parse(std::string_view toml);

  // The longest phrase that begins at terms[first].
  std::optional<CueMatch> longest(std::span<const std::string> terms, std::size_t first) const;
  std::optional<RelativeMatch> longest_relative(std::span<const std::string> terms, std::size_t first) const;
  // Words of the longest phrase of a part that begins at terms[first]; 0 = none.
  std::size_t part(SpeechPart part, std::span<const std::string> terms, std::size_t first) const;
  bool is(SpeechPart kind, const std::string& term) const { return part(kind, std::span(&term, 1), 0) > 0; }
  // Column words in which a kind of unit is usually counted: measure("power") = {"wattage", "power" …}.
  const std::vector<std::string>& measure(std::string_view unit_kind) const;
  // The column that a word of extent names: dimension("long") = "length".
  std::optional<std::string> dimension(std::string_view term) const;
  // "second" → 2, "last" → -1, "this" → 0 (the one at hand); nullopt for any other word.
  std::optional<int> ordinal(std::string_view term) const;
  bool is_place_noun(std::string_view term) const { return place_nouns_.contains(term); }  // "one", "option", "item"
  // A small word of another language that would be another word without its accents ("für" is no fur); as written.
  bool is_accented_small(std::string_view written) const { return accented_small_.contains(written); }
  // Every word of every phrase: never mended, and mended to.
  const std::set<std::string, std::less<>>& words() const { return words_; }

 private:
  friend class CueReader;
  struct Node {
    std::map<std::string, std::uint32_t, std::less<>> next;
    std::uint64_t kinds = 0;
    std::optional<std::uint32_t> relative;
    bool utmost = false;
    std::bitset<128> parts;  // by SpeechPart
  };
  const Node* follow(const Node& node, std::string_view term) const;

  std::vector<Node> nodes_;  // a trie; 0 is the root
  std::vector<RelativeCue> relatives_;
  std::map<std::string, std::vector<std::string>, std::less<>> measures_;
  std::map<std::string, std::string, std::less<>> dimensions_;
  std::map<std::string, int, std::less<>> ordinals_;
  std::set<std::string, std::less<>> place_nouns_;
  std::set<std::string, std::less<>> accented_small_;
  std::set<std::string, std::less<>> words_;
};

}  // namespace turnstone
