#include "storage/artefact/tokeniser.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "events/number.h"
#include "storage/artefact/language.h"

namespace turnstone {
namespace {

constexpr std::size_t word_bytes_max = 64;

// One folded code point and the bytes of the text that it came from.
struct Glyph {
  char32_t code = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

enum class GlyphClass : std::uint8_t { separator, letter, digit, ideograph, apostrophe, nothing };

bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'\u2019' || c == U'\u2018' || c == U'\u02bc' || c == U'`' || c == U'\u00b4'; }
bool is_inch_mark(char32_t c) { return c == U'"' || c == U'\u2033' || c == U'\u201d'; }

bool is_ideograph(char32_t c) {  // scripts that put no space between words
  return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0x20000 && c <= 0x3134f) || (c >= 0x0e00 && c <= 0x0eff) || (c >= 0x1000 && c <= 0x109f) || (c >= 0x1780 && c <= 0x17ff);
}

GlyphClass class_of(char32_t c) {
  if (c < 0x80) {
    if ((c >= U'a' && c <= U'z')) return GlyphClass::letter;
    if (c >= U'0' && c <= U'9') return GlyphClass::digit;
    return c == U'\'' || c == U'`' ? GlyphClass::apostrophe : GlyphClass::separator;
  }
  if (is_apostrophe(c)) return GlyphClass::apostrophe;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return is_ideograph(c) ? GlyphClass::ideograph : GlyphClass::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return GlyphClass::digit;
    default:
      return GlyphClass::separator;
  }
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
    return;
  }
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
  out.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
}

// What a sign becomes before general folding; empty optional: nothing special about it.
const char32_t* special_fold(char32_t c) {
  switch (c) {
    case U'\u00bd':
      return U".5";
    case U'\u00bc':
      return U".25";
    case U'\u00be':
      return U".75";
    case U'\u00d7':
      return U"x";
    case U'\u2122':
    case U'\u2120':
    case U'\u00ae':
    case U'\u00a9':
      return U" ";
    case U'\u2033':
    case U'\u201d':
    case U'\u201c':
      return U"\"";
    case U'\u00b4':
      return U"'";
    default:
      return nullptr;
  }
}

void fold_code_point(char32_t c, std::uint32_t begin, std::uint32_t end, std::vector<Glyph>& out) {
  if (const char32_t* special = special_fold(c)) {
    for (; *special != 0; ++special) out.push_back({*special, begin, end});
    return;
  }
  std::array<utf8proc_int32_t, 32> folded{};
  int boundary = 0;
  constexpr auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK | UTF8PROC_IGNORE);
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), folded.data(), folded.size(), options, &boundary);
  const auto written = std::min<utf8proc_ssize_t>(size, static_cast<utf8proc_ssize_t>(folded.size()));
  for (utf8proc_ssize_t i = 0; i < written; ++i) out.push_back({static_cast<char32_t>(folded[static_cast<std::size_t>(i)]), begin, end});
}

// Linear; bytes that are no UTF-8 become a separator each.
std::vector<Glyph> fold(std::string_view text) {
  std::vector<Glyph> out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto begin = static_cast<std::uint32_t>(at);
    if (byte < 0x80) {
      const char32_t lower = byte >= 'A' && byte <= 'Z' ? static_cast<char32_t>(byte + 32) : static_cast<char32_t>(byte);
      out.push_back({lower, begin, begin + 1});
      ++at;
      continue;
    }
    utf8proc_int32_t code = -1;
    const auto size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (size <= 0) {
      out.push_back({U'\ufffd', begin, begin + 1});
      ++at;
      continue;
    }
    at += static_cast<std::size_t>(size);
    fold_code_point(static_cast<char32_t>(code), begin, static_cast<std::uint32_t>(at), out);
  }
  return out;
}

// Letters that decomposition took apart (Hangul) are put together again.
std::string composed(std::u32string_view word) {
  std::string out;
  const bool ascii = std::all_of(word.begin(), word.end(), [](char32_t c) { return c < 0x80; });
  if (ascii) {
    out.assign(word.begin(), word.end());
    return out;
  }
  std::vector<utf8proc_int32_t> codes(word.begin(), word.end());
  const auto size = utf8proc_normalize_utf32(codes.data(), static_cast<utf8proc_ssize_t>(codes.size()),
                                             static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  for (utf8proc_ssize_t i = 0; i < size; ++i) append_utf8(out, static_cast<char32_t>(codes[static_cast<std::size_t>(i)]));
  return out;
}

void cut_word(std::string& word) {
  if (word.size() <= word_bytes_max) return;
  std::size_t size = word_bytes_max;
  while (size > 0 && (static_cast<unsigned char>(word[size]) & 0xc0) == 0x80) --size;
  word.resize(size);
}

// Words whose singular is no matter of endings, and closed-class words that only look like plurals.
constexpr std::array<std::pair<std::string_view, std::string_view>, 44> irregular{{
    {"always", "always"},
    {"atlas", "atlas"},
    {"calves", "calf"},
    {"canvas", "canvas"},
    {"children", "child"},
    {"christmas", "christmas"},
    {"does", "does"},
    {"feet", "foot"},
    {"geese", "goose"},
    {"gloves", "glove"},
    {"has", "has"},
    {"his", "his"},
    {"hers", "hers"},
    {"its", "its"},
    {"knives", "knife"},
    {"leaves", "leaf"},
    {"lens", "lens"},
    {"lenses", "lens"},
    {"lives", "life"},
    {"loaves", "loaf"},
    {"men", "man"},
    {"mens", "man"},
    {"mice", "mouse"},
    {"news", "news"},
    {"ours", "ours"},
    {"perhaps", "perhaps"},
    {"scarves", "scarf"},
    {"series", "series"},
    {"shelves", "shelf"},
    {"sleeves", "sleeve"},
    {"sometimes", "sometimes"},
    {"species", "species"},
    {"teeth", "tooth"},
    {"theirs", "theirs"},
    {"thieves", "thief"},
    {"this", "this"},
    {"was", "was"},
    {"wives", "wife"},
    {"wolves", "wolf"},
    {"women", "woman"},
    {"womens", "woman"},
    {"yes", "yes"},
    {"yours", "yours"},
    {"halves", "half"},
}};

bool ends_with_any(std::string_view word, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return word.ends_with(ending); });
}

// A number at the start of `word`; its length in bytes, 0 when it starts with none.
std::size_t leading_number(std::string_view word) {
  std::size_t at = 0;
  while (at < word.size() && ((word[at] >= '0' && word[at] <= '9') || (word[at] == '.' && at > 0))) ++at;
  return at;
}

class Tokeniser {
 public:
  Tokeniser(std::string_view text, const Language& language) : glyphs_(fold(text)), language_(language) {}

  std::vector<Token> run() {
    for (at_ = 0; at_ < glyphs_.size();) step();
    flush();
    return std::move(tokens_);
  }

 private:
  GlyphClass class_at(std::size_t i) const { return i < glyphs_.size() ? class_of(glyphs_[i].code) : GlyphClass::separator; }

  void step() {
    const Glyph& glyph = glyphs_[at_];
    switch (class_of(glyph.code)) {
      case GlyphClass::letter:
      case GlyphClass::digit:
        take(glyph);
        ++at_;
        return;
      case GlyphClass::ideograph:
        flush();
        take(glyph);
        flush();
        ++at_;
        return;
      case GlyphClass::apostrophe:
        if (double_apostrophe()) return;
        ++at_;
        return;
      default:
        punctuation(glyph);
        return;
    }
  }

  // 27'' is 27 inches.
  bool double_apostrophe() {
    if (!ends_in_number() || class_at(at_ + 1) != GlyphClass::apostrophe || at_ + 1 >= glyphs_.size()) return false;
    inch(glyphs_[at_].begin, glyphs_[at_ + 1].end);
    at_ += 2;
    return true;
  }

  void punctuation(const Glyph& glyph) {
    const char32_t c = glyph.code;
    if (c == U'.' && ends_in_digit() && class_at(at_ + 1) == GlyphClass::digit) {
      take(glyph);
      ++at_;
    } else if (c == U',' && thousands_follow()) {
      for (std::size_t i = 1; i <= 3; ++i) take(glyphs_[at_ + i]);
      grouped_ = true;
      at_ += 4;
    } else if ((c == U'+' || c == U'#') && plus_or_sharp()) {
      return;
    } else if (is_inch_mark(c) && ends_in_number() && !open_quote_) {
      inch(glyph.begin, glyph.end);
      ++at_;
    } else {
      if (c == U'"') open_quote_ = !open_quote_;
      flush();
      gap_ = true;
      ++at_;
    }
  }

  // "1,299": exactly three digits behind the comma, one to three (or a group already joined) before it.
  bool thousands_follow() const {
    if (word_.empty() || !std::all_of(word_.begin(), word_.end(), [](char32_t c) { return c >= U'0' && c <= U'9'; })) return false;
    if (!grouped_ && word_.size() > 3) return false;
    for (std::size_t i = 1; i <= 3; ++i) {
      if (class_at(at_ + i) != GlyphClass::digit) return false;
    }
    return class_at(at_ + 4) != GlyphClass::digit;
  }

  // "c++", "c#", "a+": the signs end a word that ends in a letter.
  bool plus_or_sharp() {
    if (word_.empty() || class_of(word_.back()) != GlyphClass::letter) return false;
    std::size_t last = at_;
    while (last < glyphs_.size() && glyphs_[last].code == glyphs_[at_].code) ++last;
    const GlyphClass after = class_at(last);
    if (last - at_ > 2 || (last < glyphs_.size() && (after == GlyphClass::letter || after == GlyphClass::digit))) return false;
    for (; at_ < last; ++at_) take(glyphs_[at_]);
    return true;
  }

  bool ends_in_digit() const { return !word_.empty() && word_.back() >= U'0' && word_.back() <= U'9'; }
  bool ends_in_number() const {
    return !word_.empty() && std::all_of(word_.begin(), word_.end(), [](char32_t c) { return (c >= U'0' && c <= U'9') || c == U'.'; });
  }

  void take(const Glyph& glyph) {
    if (word_.empty()) begin_ = glyph.begin;
    word_.push_back(glyph.code);
    end_ = glyph.end;
  }

  void inch(std::uint32_t begin, std::uint32_t end) {
    flush();
    tokens_.push_back({"inch", "inch", begin, end, false, false});
  }

  void flush() {
    if (word_.empty()) return;
    std::string word = composed(word_);
    word_.clear();
    grouped_ = false;
    const std::size_t digits = leading_number(word);
    if (digits > 0 && word.ends_with('+') && language_.unit(std::string_view(word).substr(digits, word.size() - 1 - digits)) != nullptr) {
      word.pop_back();  // "16GB+": the sign is no part of the unit
      --end_;
    }
    if (digits > 0 && digits < word.size() && word[digits - 1] != '.' && language_.unit(std::string_view(word).substr(digits)) != nullptr) {
      const auto split = begin_ + (end_ - begin_) - static_cast<std::uint32_t>(word.size() - digits);
      emit(word.substr(0, digits), begin_, split);
      emit(word.substr(digits), split, end_);
      return;
    }
    emit(std::move(word), begin_, end_);
  }

  void emit(std::string word, std::uint32_t begin, std::uint32_t end) {
    cut_word(word);
    Token token;
    token.term = singular(word);
    token.is_number = parse_number(word).has_value();
    token.surface = std::move(word);
    token.begin = begin;
    token.end = end;
    token.space_before = gap_ || tokens_.empty();
    gap_ = false;
    tokens_.push_back(std::move(token));
  }

  std::vector<Glyph> glyphs_;
  const Language& language_;
  std::size_t at_ = 0;
  std::u32string word_;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  bool grouped_ = false;
  bool gap_ = false;
  bool open_quote_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::string singular(std::string_view word) {
  const auto exception = std::find_if(irregular.begin(), irregular.end(), [&](const auto& entry) { return entry.first == word; });
  if (exception != irregular.end()) return std::string(exception->second);
  if (word.size() > 4 && word.ends_with("ies") && !ends_with_any(word, {"eies", "aies"})) return std::string(word.substr(0, word.size() - 3)) + "y";
  if (word.size() > 4 && word.ends_with("ie")) return std::string(word.substr(0, word.size() - 2)) + "y";
  if (word.size() > 4 && ends_with_any(word, {"sses", "shes", "ches", "xes", "zzes"})) return std::string(word.substr(0, word.size() - 2));
  if (word.size() > 3 && word.ends_with('s') && !ends_with_any(word, {"us", "ss", "is"}) && leading_number(word) == 0) {
    return std::string(word.substr(0, word.size() - 1));
  }
  return std::string(word);
}

std::string fold_text(std::string_view text) {
  std::u32string out;
  for (const Glyph& glyph : fold(text)) {
    const bool space = glyph.code < 0x80 ? glyph.code <= U' ' : utf8proc_category(static_cast<utf8proc_int32_t>(glyph.code)) == UTF8PROC_CATEGORY_ZS;
    if (is_apostrophe(glyph.code)) continue;
    if (!space) {
      out.push_back(glyph.code);
    } else if (!out.empty() && out.back() != U' ') {
      out.push_back(U' ');
    }
  }
  if (!out.empty() && out.back() == U' ') out.pop_back();
  return composed(out);
}

std::vector<Token> tokenise(std::string_view text, const Language& language) { return Tokeniser(text, language).run(); }

std::string term_key(std::string_view text, const Language& language) {
  std::string key;
  for (const Token& token : tokenise(text, language)) {
    if (!key.empty()) key.push_back(' ');
    key += token.term;
  }
  return key;
}

}  // namespace turnstone
