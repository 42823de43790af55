// What a shop of one trade sells, as tables: the generator's whole knowledge of the world.
//
// Notation of columns, one string a column:  name[@fill][form]=value,value*weight,…
//   fill   permille of listings that fill it (default 800)
//   form   # the values are JSON numbers; ? they are booleans or yes/no words; + a listing may name several
// Notation of sentences: {Column} stands for the listing's value, {kind}, {brand} and {department} for those; a
// sentence whose columns are empty is not used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace turnstone {

struct KindTable {
  std::string_view name;        // "ankle boots"
  std::string_view path;        // categories below the trade's root, split at '>'
  std::uint32_t cents_low = 0;  // price band of an ordinary brand
  std::uint32_t cents_high = 0;
  std::string_view columns;     // split at '|'
  std::string_view sentences;   // split at '|'
};

struct TradeTable {
  std::string_view root;             // first category
  std::string_view departments;      // split at '|'; empty = the trade has none
  std::string_view common_columns;   // of every kind, split at '|'
  std::string_view common_sentences;  // split at '|'
  std::string_view adjectives;       // for titles, split at '|'
  std::span<const KindTable> kinds;
};

const TradeTable& fashion_trade();
const TradeTable& electronics_trade();

// --- the tables, read --------------------------------------------------------------------------------------
struct TradeColumn {
  enum class Form : std::uint8_t { text, number, yes_no, several };
  std::string name;
  Form form = Form::text;
  std::uint32_t fill = 800;
  std::vector<std::string> values;           // repeated by weight
};
struct Kind {
  std::string name;
  std::vector<std::string> path;
  std::uint32_t cents_low = 0;
  std::uint32_t cents_high = 0;
  std::vector<TradeColumn> columns;
  std::vector<std::string> sentences;
};
struct Trade {
  std::string root;
  std::vector<std::string> departments;
  std::vector<std::string> adjectives;
  std::vector<std::string> brands;
  std::vector<Kind> kinds;
};
Trade read_trade(const TradeTable& table);

}  // namespace turnstone
