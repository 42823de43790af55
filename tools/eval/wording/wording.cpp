#include "tools/eval/wording/wording.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "events/ascii.h"
#include "tools/eval/wording/slips.h"
#include "tools/eval/wording/values.h"

namespace turnstone {

namespace {

constexpr std::size_t bare_words_max = 4;
constexpr std::uint32_t opposite_permille = 500;

class CanonicalWording final : public ShopperWording {
 public:
  std::string say(const Meaning& meaning) override {
    const auto first = [&meaning] { return meaning.facts.front(); };
    switch (meaning.act) {
      case SpeechAct::wants:
        return "I'm looking for " + meaning.category + ". A key requirement is: " + first() + ".";
      case SpeechAct::wants_at_first:
        return "I'm looking for " + meaning.category + ". " + first();
      case SpeechAct::explores:
        return "I'm looking for " + meaning.category + ", but I'm still exploring.";
      case SpeechAct::tells: {
        std::string said = "For that, what matters is: " + first();
        for (std::size_t at = 1; at < meaning.facts.size(); ++at) said += "; " + meaning.facts[at];
        return said + ".";
      }
      case SpeechAct::nothing_more:
        return "I don't have an additional preference for " + meaning.attribute + ".";
      case SpeechAct::leaves_open:
        return "I don't have a preference for " + meaning.attribute + "; please use your judgment.";
      case SpeechAct::not_right_yet:
        return "Those options are not quite right yet. Ask me about one specific attribute.";
      case SpeechAct::changes_her_mind:
        return "Actually, ignore my earlier preference. What I need is: " + first() + ".";
    }
    return {};
  }
};

std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char c : text) hash = mix64(hash ^ static_cast<unsigned char>(c));
  return hash;
}

// As people type: capitals, apostrophes and full stops come and go.
std::string loosened(std::string text, Random& random) {
  if (text.empty()) return text;
  const std::uint32_t habit = random.below(100);
  if (habit < 45) return text;
  if (habit < 60) {
    text.front() = ascii_lower(text.front());
    return text;
  }
  while (!text.empty() && (text.back() == '.' || text.back() == '!')) text.pop_back();
  if (habit < 70) return text;
  text = ascii_lower(text);
  if (random.chance(500)) std::erase(text, '\'');
  return text;
}

// What all free wordings share: a random source an utterance, frames of one half, phrases for category, facts and attribute.
class FreeWording : public ShopperWording {
 public:
  FreeWording(FrameHalf half, std::uint64_t seed) : half_(half), seed_(seed) {}

  std::string say(const Meaning& meaning) override {
    Random random(seed_, 64 + static_cast<std::uint64_t>(meaning.act) * 1024 + said_[meaning.act]++);
    return finish(sentence(meaning, random), meaning, random);
  }

 protected:
  virtual std::string sentence(const Meaning& meaning, Random& random) {
    const bool pair = meaning.facts.size() > 1;
    const auto frame = pick(frames(meaning.act, pair ? FrameSet::full_pair : FrameSet::full, half_), random);
    const std::string first = meaning.facts.empty() ? std::string() : fact_phrase(meaning.facts.front());
    const std::string second = pair ? fact_phrase(meaning.facts[1]) : std::string();
    const std::string category = category_phrase(meaning.category);
    const std::string attribute = phrase_of_attribute(meaning.attribute, random);
    return fill(frame, {category, first, second, attribute});
  }
  virtual std::string finish(std::string text, const Meaning&, Random& random) { return loosened(std::move(text), random); }
  virtual std::string fact_phrase(const std::string& fact) {
    Random random(seed_, hash_of(fact));  // the same fact is said in the same words
    return phrase_of_fact(fact, random);
  }
  virtual std::string category_phrase(const std::string& category) { return category; }

  std::string_view pick(const std::vector<std::string_view>& texts, Random& random) const {
    return texts[random.below(static_cast<std::uint32_t>(texts.size()))];
  }

  const FrameHalf half_;
  const std::uint64_t seed_;

 private:
  std::map<SpeechAct, std::uint64_t> said_;
};

class ParaphraseWording final : public FreeWording {
 public:
  using FreeWording::FreeWording;

 protected:
  std::string fact_phrase(const std::string& fact) override {
    Random random(seed_, hash_of(fact));
    const FactParts parts = parts_of_fact(fact);
    if (parts.amount) return phrase_of_fact(fact, random);
    const std::string value = reworded(parts.value, random);
    return phrase_of_fact(parts.label.empty() ? value : reworded(parts.label, random) + ": " + value, random);
  }
  std::string category_phrase(const std::string& category) override {
    Random random(seed_, hash_of(category));
    return reworded(category, random);
  }
};

class TypoWording final : public FreeWording {
 public:
  using FreeWording::FreeWording;

 protected:
  std::string finish(std::string text, const Meaning&, Random& random) override { return slipped_text(loosened(std::move(text), random), random); }
};

class TerseWording final : public FreeWording {
 public:
  using FreeWording::FreeWording;

 protected:
  std::string sentence(const Meaning& meaning, Random& random) override {
    const bool pair = meaning.facts.size() > 1;
    const bool opening = !meaning.category.empty();
    const auto frame = pick(frames(meaning.act, pair ? FrameSet::bare_pair : FrameSet::bare, half_), random);
    const auto category = bare_category(meaning.category, bare_words_max / 2);
    const std::size_t taken = (opening ? category.size() : 0) + words_beside_slots(frame);
    const std::size_t room = bare_words_max - std::min(bare_words_max - 1, taken);
    const std::size_t each = pair ? std::max<std::size_t>(1, room / 2) : room;
    const auto bare = [each](const std::string& fact) { return join_words(bare_words(fact, each)); };
    return fill(frame,
                {join_words(category), meaning.facts.empty() ? std::string() : bare(meaning.facts.front()),
                 pair ? bare(meaning.facts[1]) : std::string(), meaning.attribute == "use_case" ? "use" : std::string_view(meaning.attribute)});
  }
  std::string finish(std::string text, const Meaning&, Random& random) override { return random.chance(500) ? ascii_lower(text) : text; }

 private:
  // A sign that stands alone ("/", "-") is no word.
  static std::size_t words_beside_slots(std::string_view frame) {
    const std::vector<std::string> words = split_words(fill(frame, {}));
    const auto has_letter = [](const std::string& word) {
      return std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
    };
    return static_cast<std::size_t>(std::count_if(words.begin(), words.end(), has_letter));
  }
};

class ChattyWording final : public FreeWording {
 public:
  using FreeWording::FreeWording;

 protected:
  std::string fact_phrase(const std::string& fact) override {
    Random random(seed_, hash_of(fact));
    if (random.chance(opposite_permille)) {
      if (std::string negation = negated_opposite(fact, random); !negation.empty()) return negation;
    }
    return phrase_of_fact(fact, random);
  }

  std::string finish(std::string text, const Meaning& meaning, Random& random) override {
    std::string out;
    const bool opens = meaning.act == SpeechAct::wants || meaning.act == SpeechAct::wants_at_first || meaning.act == SpeechAct::explores;
    if (opens && random.chance(500)) out += "Hello there! ";
    if (opens || random.chance(400)) out += std::string(pick(chatter(Chatter::story, half_), random)) + " ";
    if (random.chance(600)) {
      out += std::string(pick(chatter(Chatter::opener, half_), random));
      text.front() = text.front() == 'I' ? 'I' : ascii_lower(text.front());
    }
    const char end = text.empty() ? '.' : text.back();
    out += text + (end == '.' || end == '!' || end == '?' ? "" : ".");
    out += " " + std::string(pick(chatter(Chatter::remark, half_), random));
    if (random.chance(500)) out += " " + std::string(pick(chatter(Chatter::courtesy, half_), random));
    return loosened(std::move(out), random);
  }
};

}  // namespace

std::string_view to_string(WordingStyle style) {
  switch (style) {
    case WordingStyle::canonical:
      return "canonical";
    case WordingStyle::natural:
      return "natural";
    case WordingStyle::paraphrase:
      return "paraphrase";
    case WordingStyle::typo:
      return "typo";
    case WordingStyle::terse:
      return "terse";
    case WordingStyle::chatty:
      return "chatty";
  }
  return "canonical";
}

std::optional<WordingStyle> wording_style_named(std::string_view name) {
  for (const WordingStyle style : wording_styles) {
    if (to_string(style) == name) return style;
  }
  return std::nullopt;
}

std::unique_ptr<ShopperWording> canonical_wording() { return std::make_unique<CanonicalWording>(); }

std::unique_ptr<ShopperWording> make_wording(WordingStyle style, FrameHalf half, std::uint64_t seed) {
  switch (style) {
    case WordingStyle::canonical:
      return canonical_wording();
    case WordingStyle::natural:
      return std::make_unique<FreeWording>(half, seed);
    case WordingStyle::paraphrase:
      return std::make_unique<ParaphraseWording>(half, seed);
    case WordingStyle::typo:
      return std::make_unique<TypoWording>(half, seed);
    case WordingStyle::terse:
      return std::make_unique<TerseWording>(half, seed);
    case WordingStyle::chatty:
      return std::make_unique<ChattyWording>(half, seed);
  }
  return canonical_wording();
}

}  // namespace turnstone
