// References to products shown ("the second one", "number 3"), sizes written as patterns ("32x34", "4T", "EU 42").
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

}  // namespace

// In a question more may stand behind a place: "does the second include a battery?"
std::optional<Interpreter::Place> Interpreter::place_at(std::size_t i, const bool in_question) const {
  const auto ends = [&](std::size_t j) {
    return j >= m_.size() || m_.words[j].gap >= Gap::comma ||
           (m_.cues[j] && (m_.cues[j]->is(CueKind::contrast) || m_.cues[j]->is(CueKind::and_also) || m_.cues[j]->is(CueKind::accept))) ||
           m_.words[j].function || m_.words[j].filler;
  };
  const Word& word = m_.words[i];
  const auto number_after = [&](std::size_t j) {
    return j < m_.size() && m_.words[j].number && m_.words[j].term.find('.') == std::string::npos && m_.words[j].gap <= Gap::space;
  };
  const auto to_place = [&](std::size_t j) {
    return static_cast<int>(std::min<std::int64_t>(parse_number(m_.words[j].term)->value / number_scale, 10'000));
  };
  if (word.number && word.hash) return Place{1, to_place(i), 1};
  const bool numbered = word.term == "number" || word.term == "option" || word.term == "nr";
  if (numbered && number_after(i + 1) && (in_question || ends(i + 2))) return Place{2, to_place(i + 1), 1};
  const auto spelled = numbered && i + 1 < m_.size() && m_.words[i + 1].gap <= Gap::space ? artefact_.language().number_word(m_.surface(i + 1)) : std::nullopt;
  if (spelled && *spelled >= 1 && (in_question || ends(i + 2))) return Place{2, static_cast<int>(std::min<std::int64_t>(*spelled, 10'000)), 1};
  const auto ordinal = cues_.ordinal(word.term);
  if (!ordinal) return std::nullopt;
  if (m_.cues[i] && m_.cues[i]->length > 1 && m_.cues[i]->is(CueKind::harmless)) return std::nullopt;
  const std::size_t next = i + 1;
  if (next < m_.size() && m_.words[next].gap <= Gap::space && cues_.is_place_noun(m_.terms[next])) return Place{2, *ordinal, 1};
  if (*ordinal == 0) return std::nullopt;
  if (next < m_.size() && m_.words[next].gap <= Gap::space && *ordinal == 1) {
    const auto count = m_.words[next].number ? std::optional(parse_number(m_.words[next].term)->value / number_scale)
                                             : artefact_.language().number_word(m_.words[next].surface);
    if (count && *count >= 2 && *count <= 10 && (ends(next + 1) || cues_.is_place_noun(m_.terms[next + 1]))) {
      const bool noun = next + 1 < m_.size() && cues_.is_place_noun(m_.terms[next + 1]);
      return Place{noun ? 3U : 2U, 1, static_cast<int>(*count)};
    }
  }
  const bool definite =
      i > 0 && m_.words[i].gap <= Gap::space && (m_.terms[i - 1] == "the" || m_.terms[i - 1] == "that" || m_.terms[i - 1] == "this");
  if (definite && (ends(next) || (in_question && !category_here(next)))) return Place{1, *ordinal, 1};
  if (definite && next < m_.size() && m_.words[next].gap <= Gap::space && category_here(next)) return Place{1 + phrases_[next].length, *ordinal, 1};
  if (m_.size() <= 2 && ends(next)) return Place{1, *ordinal, 1};
  return std::nullopt;
}

bool Interpreter::read_place() {
  const auto place = place_at(at_);
  if (!place) return false;
  const std::size_t end = at_ + place->length;
  const auto shown = static_cast<int>(state_.last_shown.size());
  const TextSpan span = m_.span(at_, end);
  // The first of the options, when a question waits and nothing speaks of a product.
  const bool likes = std::any_of(m_.cues.begin(), m_.cues.begin() + static_cast<long>(at_),
                                 [](const auto& cue) { return cue && (any_kind(*cue, {CueKind::alike, CueKind::negate, CueKind::except, CueKind::ask})); });
  if (asked_ != nullptr && !asked_->question.options.empty() && place->count == 1 && !likes && only_small_words(0, at_) &&
      only_small_words(end, m_.size()) && place->first != 0) {
    const auto options = static_cast<int>(asked_->question.options.size());
    const int wanted = place->first < 0 ? options : place->first;
    if (wanted >= 1 && wanted <= options) {
      put_option(asked_->question.options[static_cast<std::size_t>(wanted - 1)], at_, place->length);
      consume(at_, place->length, "option");
      at_ = end;
      return true;
    }
  }
  const bool refused = c_.polarity == Polarity::rejected || c_.dropping;
  for (int k = 0; k < place->count; ++k) {
    const int wanted = place->first < 0 ? shown : place->first == 0 ? 1 : place->first + k;
    if (wanted < 1 || wanted > shown) continue;
    Signal& signal = put(refused ? SignalKind::reject : SignalKind::refer, span, Permille{place->first == 0 && shown > 1 ? 600 : 900});
    signal.place = static_cast<std::uint32_t>(wanted);
  }
  consume(at_, place->length, "reference");
  if (refused) c_.polarity = Polarity::wanted;
  at_ = end;
  return true;
}

// "the same brand as the first".
bool Interpreter::read_same_as(std::size_t after) {
  if (after >= m_.size() || m_.facet_names[after].length == 0) return false;
  const std::string facet = m_.facet_names[after].name;
  for (std::size_t i = after + m_.facet_names[after].length; i < std::min(clause_end(at_), after + 8); ++i) {
    const auto place = place_at(i);
    if (!place || place->first == 0) continue;
    const auto shown = static_cast<int>(state_.last_shown.size());
    const int wanted = place->first < 0 ? shown : place->first;
    const std::size_t end = i + place->length;
    if (wanted >= 1 && wanted <= shown) {
      Signal& signal = put(SignalKind::same_facet, m_.span(at_, end), Permille{900});
      signal.facet = facet;
      signal.place = static_cast<std::uint32_t>(wanted);
    }
    consume(at_, end - at_, "same " + facet);
    at_ = end;
    return true;
  }
  return false;
}

void Interpreter::put_size(std::string value, std::size_t first, std::size_t length, Permille confidence) {
  const Facet* facet = artefact_.facet("size");
  if (facet != nullptr && facet->kind == FacetKind::words) {
    if (const auto known = artefact_.find_value(facet->id, term_key(value, artefact_.language()))) value = std::string(artefact_.value(*known).text);
  }
  put_word("size", {std::move(value)}, first, length, confidence);
}

// "size 7.5 wide": the number, with the width that follows it.
bool Interpreter::put_size_number(const Amount& amount, TextSpan span) {
  (void)span;
  std::size_t end = amount_end_;
  std::string value = to_string(amount.value);
  if (amount.upper) value += "-" + to_string(*amount.upper);
  if (end < m_.size() && m_.words[end].gap <= Gap::space && lexicon_.family("size_width", m_.terms[end])) {
    value += " " + m_.words[end].surface;
    ++end;
  }
  put_size(std::move(value), amount_first_, end - amount_first_, Permille{900});
  at_ = end;
  return true;
}

bool Interpreter::read_size_pattern() {
  const Word& word = m_.words[at_];
  // 26*15*18cm, 26 x 15 x 18 cm: dimensions, no amounts.
  if (word.number && at_ + 1 < m_.size()) {
    std::size_t end = at_ + 1;
    std::size_t numbers = 1;
    while (end < m_.size()) {
      const std::string_view between = m_.text.substr(m_.words[end - 1].span.end, m_.words[end].span.begin - m_.words[end - 1].span.end);
      if (m_.words[end].number && between.find('*') != std::string_view::npos)
        ++end;
      else if ((m_.terms[end] == "x" || m_.terms[end] == "by") && end + 1 < m_.size() && m_.words[end + 1].number)
        end += 2;
      else
        break;
      ++numbers;
    }
    if (numbers >= 2) {
      if (end < m_.size() && artefact_.language().unit(m_.words[end].surface) != nullptr)
        ++end;
      else if (numbers == 2 && c_.size)
        put_size(m_.said(m_.span(at_, end)), at_, end - at_, Permille{850});
      consume(at_, end - at_, "dimensions");
      at_ = end;
      return true;
    }
  }
  const std::size_t x = word.term.find('x');
  if (x != std::string::npos && x > 0) {
    const std::string_view left = std::string_view(word.term).substr(0, x);
    const std::string_view right = std::string_view(word.term).substr(x + 1);
    const bool unit_follows =
        at_ + 1 < m_.size() && m_.words[at_ + 1].gap <= Gap::space && artefact_.language().unit(m_.words[at_ + 1].surface) != nullptr;
    if (all_digits(left) && all_digits(right) && !unit_follows) {
      const Number a = *parse_number(left);
      const Number b = *parse_number(right);
      if (c_.size || (a >= whole_number(20) && a <= whole_number(60) && b >= whole_number(20) && b <= whole_number(60))) {
        put_size(word.term, at_, 1, Permille{850});
        ++at_;
        return true;
      }
    }
  }
  // 34/32 and W34 L32: waist by length.
  const auto between = [](Number n) { return n >= whole_number(20) && n <= whole_number(60); };
  if (word.number && at_ + 1 < m_.size() && m_.words[at_ + 1].number && m_.words[at_ + 1].gap == Gap::slash && word.currency.empty()) {
    if (between(*parse_number(word.term)) && between(*parse_number(m_.terms[at_ + 1]))) {
      put_size(word.term + "x" + m_.terms[at_ + 1], at_, 2, Permille{850});
      at_ += 2;
      return true;
    }
  }
  if (at_ + 1 < m_.size() && word.term.size() == 3 && m_.terms[at_ + 1].size() == 3 && word.term[0] == 'w' && m_.terms[at_ + 1][0] == 'l') {
    const auto waist = parse_number(word.term.substr(1));
    const auto length = parse_number(m_.terms[at_ + 1].substr(1));
    if (waist && length && between(*waist) && between(*length)) {
      put_size(word.term.substr(1) + "x" + m_.terms[at_ + 1].substr(1), at_, 2, Permille{850});
      at_ += 2;
      return true;
    }
  }
  // 4T: a toddler's size, only in so many signs.
  if (word.term.size() == 2 && word.term[0] >= '2' && word.term[0] <= '7' && word.term[1] == 't') {
    put_size(upper_case(word.term), at_, 1, Permille{850});
    ++at_;
    return true;
  }
  // EU 42, 42 EU, UK 9.
  if (const auto system = lexicon_.family("size_system", word.term);
      system && (!word.function || c_.size) && at_ + 1 < m_.size() && m_.words[at_ + 1].number && m_.words[at_ + 1].gap <= Gap::space) {
    put_size(upper_case(*system) + " " + m_.words[at_ + 1].term, at_, 2, Permille{900});
    at_ += 2;
    return true;
  }
  if (word.number && at_ + 1 < m_.size() && m_.words[at_ + 1].gap <= Gap::space && word.currency.empty()) {
    const auto system = lexicon_.family("size_system", m_.terms[at_ + 1]);
    if (system && !m_.words[at_ + 1].function && !artefact_.language().currency(m_.words[at_ + 1].surface)) {
      put_size(upper_case(*system) + " " + word.term, at_, 2, Permille{850});
      at_ += 2;
      return true;
    }
  }
  return false;
}

}  // namespace turnstone
