// Numbers as they are written: digits, number words, ranges, with their currencies and units.
#include <algorithm>

#include "storage/artefact/tokeniser.h"
#include "workers/interpreter.h"

namespace turnstone {
namespace {

std::string_view digits_of(std::string_view word) {
  std::size_t at = 0;
  while (at < word.size() && ((word[at] >= '0' && word[at] <= '9') || (word[at] == '.' && at > 0))) ++at;
  return word.substr(0, at);
}

// "1.000", "12.500": a dot between thousands, as much of Europe writes.
bool groups_thousands(std::string_view term) {
  constexpr std::size_t group = 3;
  const std::size_t dot = term.find('.');
  return dot != std::string_view::npos && dot > 0 && dot <= group && term.size() - dot - 1 == group && term[0] != '0';
}

std::string without_dots(std::string_view term) {
  std::string digits;
  for (const char c : term) {
    if (c != '.') digits += c;
  }
  return digits;
}

}  // namespace

// A number in digits: "15", "15 thousand", "15k" where money is spoken of.
std::optional<Interpreter::Plain> Interpreter::plain_number(std::size_t i, bool money) const {
  const Word& word = m_.words[i];
  const Language& language = artefact_.language();
  const bool more = i + 1 < m_.size() && m_.words[i + 1].gap <= Gap::hyphen;
  const bool sum = money || (more && language.currency(m_.words[i + 1].surface));
  if (word.number) {
    const bool measured = more && language.unit(m_.words[i + 1].surface) != nullptr && !language.currency(m_.words[i + 1].surface);
    if (const auto joined = joined_digits(i, sum)) return joined;
    Plain plain{*parse_number(sum && !measured && groups_thousands(word.term) ? without_dots(word.term) : word.term), 1, 1};
    // "2 hundred", "3 thousand"
    const auto times = more && m_.words[i + 1].gap == Gap::space ? language.number_word(m_.words[i + 1].surface) : std::nullopt;
    if (times && *times >= 100 && plain.value < whole_number(1000)) {
      plain.value.value *= *times;
      plain.length = 2;
      plain.times = *times;
    }
    return plain;
  }
  const std::string_view digits = digits_of(word.surface);
  if (digits.empty() || std::string_view(word.surface).substr(digits.size()) != "k" || !(sum || is_thousands(i))) return std::nullopt;
  const auto value = parse_number(digits);
  if (!value || *value > whole_number(1'000'000)) return std::nullopt;
  return Plain{Number{value->value * 1000}, 1, 1000};
}

// "5,50": a comma before decimals; "1 200 euros": a blank between thousands.
std::optional<Interpreter::Plain> Interpreter::joined_digits(std::size_t i, bool sum) const {
  const std::size_t next = i + 1;
  if (next >= m_.size() || !m_.words[next].number || m_.words[i].term.find('.') != std::string::npos) return std::nullopt;
  const std::string& digits = m_.words[next].term;
  if (digits.find('.') != std::string::npos) return std::nullopt;
  constexpr std::size_t group = 3;
  constexpr std::size_t decimals_max = 2;
  const std::string_view between = m_.text.substr(m_.words[i].span.end, m_.words[next].span.begin - m_.words[i].span.end);
  const bool decimals = between == "," && digits.size() == decimals_max;
  const bool behind = next + 1 < m_.size() && m_.words[next + 1].gap <= Gap::space &&
                      (artefact_.language().currency(m_.words[next + 1].surface) || artefact_.language().unit(m_.words[next + 1].surface) != nullptr);
  const bool thousands = between == " " && digits.size() == group && m_.words[i].term.size() <= group && m_.words[i].term[0] != '0' &&
                         (sum || behind || !m_.words[i].currency.empty() || !m_.words[next].currency.empty());
  if (!decimals && !thousands) return std::nullopt;
  const auto value = parse_number(m_.words[i].term + (decimals ? "." : "") + digits);
  return value ? std::optional(Plain{*value, 2, 1}) : std::nullopt;
}

// "60k miles", "5-7k", "12k at most": a k beside what is counted or compared; "4k" alone is a name.
bool Interpreter::is_thousands(std::size_t i) const {
  const auto number = [&](std::size_t k) { return k < m_.size() && !digits_of(m_.words[k].surface).empty(); };
  const auto joins = [&](std::size_t k) {
    return k < m_.size() && (cues_.is(SpeechPart::range_end, m_.words[k].term) || (m_.cues[k] && m_.cues[k]->is(CueKind::either_or)));
  };
  const auto dashed = [&](std::size_t k) { return k < m_.size() && (m_.words[k].gap == Gap::hyphen || m_.words[k].gap == Gap::dash); };
  if (i > 0 && dashed(i) && number(i - 1)) return true;
  if (i > 1 && joins(i - 1) && number(i - 2)) return true;
  const std::size_t next = i + 1;
  if (next >= m_.size() || m_.words[next].gap > Gap::dash) return false;
  if ((dashed(next) && number(next)) || (joins(next) && number(next + 1))) return true;
  if (m_.cues[next] && any_kind(*m_.cues[next], {CueKind::or_less, CueKind::or_more})) return true;
  return m_.words[next].gap <= Gap::hyphen && artefact_.language().unit(m_.words[next].surface) != nullptr;
}

// Whether a comparison or a word of money ends right before word i.
bool Interpreter::money_before(std::size_t i) const {
  constexpr std::size_t words_back = 6;
  for (std::size_t k = i > words_back ? i - words_back : 0; k < i; ++k) {
    if (m_.cues[k] && k + m_.cues[k]->length == i &&
        any_kind(*m_.cues[k], {CueKind::at_most, CueKind::at_least, CueKind::about, CueKind::budget, CueKind::between, CueKind::or_less,
                               CueKind::or_more}))
      return true;
  }
  return false;
}

std::optional<Amount> Interpreter::amount_at(std::size_t i) const {
  auto amount = one_amount(i);
  if (!amount) return std::nullopt;
  const std::size_t first_length = amount->length;
  join_choices(i, *amount);
  const Word& word = m_.words[i];
  const bool money = !word.currency.empty() || c_.compare.has_value() || c_.budget;
  const bool alone = !word.number && first_length == 1 && amount->bare() && digits_of(word.surface).empty();
  // "one", "two" are seldom amounts, but where a column counts what follows: "two doors".
  if (alone && !money && asked_ == nullptr && amount->value < whole_number(10) && !counts_ahead(i + amount->length, amount->value)) return std::nullopt;
  return amount;
}

// Whether the number at word i has a currency or a unit of its own behind it: "80 euros 5 kg".
bool Interpreter::is_counted_so(std::size_t i) const {
  const std::size_t next = i + 1;
  if (next >= m_.size() || m_.words[next].gap > Gap::hyphen) return false;
  return artefact_.language().currency(m_.words[next].surface) || artefact_.language().unit(m_.words[next].surface) != nullptr;
}

std::optional<Amount> Interpreter::one_amount(std::size_t i) const {
  if (i >= m_.size()) return std::nullopt;
  Amount amount;
  const Word& word = m_.words[i];
  amount.currency = word.currency;
  const bool money = !word.currency.empty() || c_.compare.has_value() || c_.budget;
  // "USD 700"
  const auto named = artefact_.language().currency(word.surface);
  if (named && i + 1 < m_.size() && m_.words[i + 1].gap <= Gap::space && m_.words[i + 1].number && !is_counted_so(i + 1)) {
    const auto plain = plain_number(i + 1, true);
    amount.currency = *named;
    amount.value = plain->value;
    amount.times = plain->times;
    amount.length = 1 + plain->length;
  } else if (const auto plain = plain_number(i, money || money_before(i))) {
    amount.value = plain->value;
    amount.length = plain->length;
    amount.times = plain->times;
  } else if (const std::string_view digits = digits_of(word.surface); !digits.empty()) {
    const auto value = parse_number(digits);
    if (!value || std::string_view(word.surface).substr(digits.size()) != "ish") return std::nullopt;
    amount.value = *value;
    amount.ish = true;
    amount.length = 1;
  } else if (!number_words(i, amount)) {
    return std::nullopt;
  }
  amount.percent = m_.words[i + amount.length - 1].percent;
  finish_amount(i, amount);
  return amount;
}

// "16 or 32 GB", "4, 6 or 8 drawers": each is welcome. Of money, what lies between them is too.
void Interpreter::join_choices(std::size_t i, Amount& amount) const {
  constexpr std::size_t choices_max = 6;
  const auto single = [](const Amount& a) { return !a.upper && !a.ish && !a.percent; };
  if (c_.size || !single(amount)) return;
  Amount joined = amount;
  for (bool closed = false; !closed && joined.others.size() < choices_max;) {
    std::size_t next = i + joined.length;
    if (next + 1 >= m_.size() || m_.words[next].gap > Gap::comma) return;
    const auto& cue = m_.cues[next];
    closed = cue && cue->length == 1 && cue->is(CueKind::either_or);
    if (closed) ++next;
    if (!closed && m_.words[next].gap != Gap::comma) return;
    auto other = one_amount(next);
    if (!other || !single(*other)) return;
    // "16 GB or $900" are no choices of one thing; behind a comma, what was compared or priced stands alone: "under $900, 2 or 3 seats".
    const bool mixed = (!joined.currency.empty() && other->unit != nullptr) || (joined.unit != nullptr && !other->currency.empty());
    const bool apart = !closed && (c_.compare || c_.budget || money_before(i) || (!joined.currency.empty() && other->currency.empty()));
    if (mixed || apart) return;
    const bool thousands = other->times > 1 && joined.times == 1 && joined.value < whole_number(1000);  // "5 or 6k"
    if (thousands) joined.value.value *= other->times;
    if (joined.currency.empty()) joined.currency = other->currency;
    if (joined.unit == nullptr) joined.unit = other->unit;
    const bool convertible = other->unit != nullptr && joined.unit != nullptr && other->unit->kind == joined.unit->kind;
    if (other->unit != nullptr && !convertible) return;
    const auto number = convertible ? convert(other->value, *other->unit, *joined.unit) : other->value;
    if (!number || (!other->currency.empty() && other->currency != joined.currency)) return;
    joined.others.push_back(*number);
    joined.length = next + other->length - i;
  }
  if (!joined.currency.empty()) {
    const auto [low, high] = std::minmax_element(joined.others.begin(), joined.others.end());
    const Number first = joined.value;
    joined.value = std::min(first, *low);
    joined.upper = std::max(first, *high);
    joined.others.clear();
  }
  amount = std::move(joined);
}

// "twenty five", "one hundred and fifty", "two thousand", "a hundred".
bool Interpreter::number_words(std::size_t i, Amount& amount) const {
  const Language& language = artefact_.language();
  std::int64_t total = 0;
  std::int64_t part = 0;
  std::size_t at = i;
  bool any = false;
  if (m_.words[i].surface == "a" && i + 1 < m_.size()) {
    const auto next = language.number_word(m_.words[i + 1].surface);
    if (!next || *next < 100) return false;
    part = 1;
    ++at;
  }
  for (; at < m_.size() && (at == i || m_.words[at].gap <= Gap::hyphen); ++at) {
    if (any && cues_.is(SpeechPart::joining, m_.terms[at]) && at + 1 < m_.size() && part % 100 == 0 && part > 0) {
      const auto next = language.number_word(m_.words[at + 1].surface);
      if (next && *next < 100 && *next > 0) continue;
    }
    const auto number = language.number_word(m_.words[at].surface);
    if (!number) break;
    if (*number >= 1000) {
      amount.times = *number;
      total += std::max<std::int64_t>(part, 1) * *number;
      part = 0;
    } else if (*number == 100) {
      part = std::max<std::int64_t>(part, 1) * 100;
    } else if (any && part % 10 == 0 && part % 100 != 0 && *number >= 10) {
      break;
    } else if (any && part % 10 != 0) {
      break;
    } else {
      part += *number;
      amount.times = 1;
    }
    any = true;
    if (total > 1'000'000'000) return false;
  }
  if (!any) return false;
  amount.value = whole_number(total + part);
  amount.length = at - i;
  return true;
}

// Whether a column of what is at hand holds measures of the kind.
bool Interpreter::is_measured_in(std::string_view kind) const {
  const auto& uses = numbers_at_hand();
  return std::any_of(uses.begin(), uses.end(), [&](const NumberUse& use) {
    const Facet& facet = artefact_.facet(use.facet);
    const Unit* own = facet.unit.empty() ? nullptr : artefact_.language().unit(facet.unit);
    return own != nullptr && own->kind == kind;
  });
}

// What belongs to the number behind it: -ish, a range, a currency, a unit.
void Interpreter::finish_amount(std::size_t i, Amount& amount) const {
  const Language& language = artefact_.language();
  std::size_t at = i + amount.length;
  const auto near = [&](std::size_t j) { return j < m_.size() && m_.words[j].gap <= Gap::hyphen; };
  const auto take = [&](std::size_t words) {
    at += words;
    amount.length += words;
  };
  const auto take_ish = [&] {
    if (near(at) && m_.terms[at] == "ish") {
      amount.ish = true;
      take(1);
    }
  };
  const auto take_unit = [&] {
    if (!near(at) || !amount.currency.empty() || amount.unit != nullptr) return;
    const std::string& surface = m_.words[at].surface;
    const bool glued = m_.words[at].gap != Gap::space;
    const bool money = language.currency(surface).has_value();
    const Unit* unit = language.unit(surface);
    if (money && unit != nullptr && at + 1 < m_.size() && cues_.dimension(m_.terms[at + 1]) == "weight") {
      amount.unit = unit;
      return take(1);
    }
    if (money && (unit == nullptr || !glued)) {
      amount.currency = *language.currency(surface);
      return take(1);
    }
    // "2 bar stools": the unit's word begins a product's name.
    if (phrases_[at].length > 1 && category_sense(phrases_[at]) != nullptr) return;
    // A letter of its own is a unit where a column is measured so: "2 m" of height, but no "size 8 m".
    const bool letter = surface.size() == 1 && !(surface == "w" || surface == "v" || surface == "g");
    const bool measured = letter && surface != "a" && unit != nullptr && !c_.size && is_measured_in(unit->kind);
    if (unit != nullptr && (glued || measured || !(letter || surface == "in" || surface == "a"))) {
      amount.unit = unit;
      return take(1);
    }
    if (near(at + 1)) {
      if (const Unit* two = language.unit(surface + " " + m_.words[at + 1].surface)) {
        amount.unit = two;
        take(2);
      }
    }
  };
  take_ish();
  take_unit();
  if (at < m_.size()) {
    const Word& next = m_.words[at];
    const std::size_t to = next.gap <= Gap::space ? cues_.part(SpeechPart::range_end, m_.terms, at) : 0;
    const bool dash = next.gap == Gap::hyphen || next.gap == Gap::dash;
    const std::size_t upper = at + to;
    const bool sum = !amount.currency.empty() || amount.times > 1 || c_.compare.has_value() || c_.budget || money_before(i);
    if (const auto plain = (dash || to > 0) && upper < m_.size() ? plain_number(upper, sum) : std::nullopt) {
      // "8 to 15 thousand": the thousand is said of both.
      const bool shares = plain->times > 1 && amount.times == 1 && amount.value < whole_number(1000);
      const Number low = shares ? Number{amount.value.value * plain->times} : amount.value;
      if (plain->value > low) {
        amount.value = low;
        amount.upper = plain->value;
        if (amount.currency.empty()) amount.currency = m_.words[upper].currency;
        take(upper - at + plain->length);
      }
    }
  }
  take_unit();
  take_ish();
}

std::optional<std::size_t> Interpreter::amount_near(std::size_t i) const {
  for (std::size_t j = i; j < std::min(i + 4, m_.size()); ++j) {
    if (j > i && m_.words[j].gap >= Gap::semicolon) return std::nullopt;
    if (amount_at(j)) return j;
    if (!m_.words[j].currency.empty()) return j;
    const bool skip = m_.words[j].function || m_.words[j].filler || m_.words[j].meta || m_.cues[j];
    if (!skip) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace turnstone
