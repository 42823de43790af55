#include "tools/generate/trade.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tools/generate/random.h"

namespace turnstone {

namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(at), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::uint32_t number_after(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
  return number;
}

TradeColumn read_column(std::string_view notation) {
  TradeColumn column;
  const std::size_t equals = notation.find('=');
  std::string_view name = notation.substr(0, equals);
  if (name.back() == '#') column.form = TradeColumn::Form::number;
  if (name.back() == '?') column.form = TradeColumn::Form::yes_no;
  if (name.back() == '+') column.form = TradeColumn::Form::several;
  if (column.form != TradeColumn::Form::text) name.remove_suffix(1);
  if (const std::size_t at = name.find('@'); at != std::string_view::npos) {
    column.fill = number_after(name, at);
    name = name.substr(0, at);
  }
  column.name = name;
  for (const std::string& value : split(notation.substr(equals + 1), ',')) {
    const std::size_t star = value.find('*');
    const std::uint32_t weight = star == std::string::npos ? 1 : number_after(value, star);
    column.values.insert(column.values.end(), weight, value.substr(0, star));
  }
  return column;
}

// Made-up names from syllables; the same for every seed, so that two catalogues of one trade share brands.
std::vector<std::string> make_brands(std::size_t count, std::uint64_t stream) {
  constexpr std::string_view first[] = {"nor", "vel", "cas", "lum", "tri", "bro", "sil", "mar", "quin", "zet", "hal", "per",
                                        "dov", "fen", "gri", "ost", "ula", "wes", "kel", "jor", "amb", "ryn", "sol", "tav"};
  constexpr std::string_view middle[] = {"a", "e", "i", "o", "an", "el", "ir", "ov", "ust", "end", "am", "or"};
  constexpr std::string_view last[] = {"ra", "ta", "la", "no", "dis", "vik", "ston", "wear", "line", "mont", "ria", "lo", "x", "by", "well", "ique"};
  constexpr std::string_view tail[] = {" Studio", " & Sons", " Outfitters", " Labs", " House", " Works", " Supply", " Collective"};
  std::vector<std::string> brands;
  Random random(0x7475726e, stream);
  while (brands.size() < count) {
    std::string name(random.pick<std::string_view>(first));
    name += random.pick<std::string_view>(middle);
    name += random.pick<std::string_view>(last);
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    if (random.chance(180)) name += random.pick<std::string_view>(tail);
    if (std::find(brands.begin(), brands.end(), name) == brands.end()) brands.push_back(std::move(name));
  }
  return brands;
}

}  // namespace

Trade read_trade(const TradeTable& table) {
  Trade trade;
  trade.root = table.root;
  trade.departments = split(table.departments, '|');
  trade.adjectives = split(table.adjectives, '|');
  trade.brands = make_brands(320, trade.root.size());
  for (const KindTable& row : table.kinds) {
    Kind kind{std::string(row.name), split(row.path, '>'), row.cents_low, row.cents_high, {}, split(row.sentences, '|')};
    for (const std::string& notation : split(row.columns, '|')) kind.columns.push_back(read_column(notation));
    for (const std::string& notation : split(table.common_columns, '|')) {
      TradeColumn column = read_column(notation);
      const auto same = [&column](const TradeColumn& own) { return own.name == column.name; };
      if (std::none_of(kind.columns.begin(), kind.columns.end(), same)) kind.columns.push_back(std::move(column));
    }
    for (std::string& sentence : split(table.common_sentences, '|')) kind.sentences.push_back(std::move(sentence));
    trade.kinds.push_back(std::move(kind));
  }
  return trade;
}

}  // namespace turnstone
