// What one cell of a catalogue's column looks like: a number with a unit, yes or no, an address, a date …
// Pure. Words come from the language data; shapes (dates, addresses, codes) need none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/number.h"
#include "storage/artefact/language.h"
#include "storage/artefact/tokeniser.h"

namespace turnstone {

struct Measure {
  Number number;
  std::string unit;  // canonical name, the word itself when the language data does not know it, or empty
  bool unit_known = false;
};

enum class CellShape : std::uint8_t { words, number, yes, no, address, date, missing };

struct Cell {
  CellShape shape = CellShape::words;
  std::string key;  // term key
  std::uint32_t term_count = 0;
  bool code = false;               // one word of letters and digits mixed, or many digits: an article code
  std::optional<Measure> measure;  // shape number
};

Cell read_cell(std::string_view text, const Language& language);

// "256GB SSD", "up to 12 hours": one number with a known unit, and at most two words of letters on either side.
struct WordedMeasure {
  Measure measure;
  std::string_view words;  // of the text, behind the unit ("SSD"); may be empty
};
std::optional<WordedMeasure> read_worded_measure(std::string_view text, const Language& language);

// How the cell's first number is written: "0,4 m", "1.299,50" (decimal comma), "0.4", "1,299.50" (decimal point), or either ("12", "1,299").
enum class DecimalSign : std::uint8_t { either, comma, point };
DecimalSign decimal_sign(std::string_view text);
// Decimal commas → points, thousands' points gone, in the cell's first number.
std::string with_decimal_point(std::string_view text);

// 27 inch → 685.8 mm. nullopt when the kinds differ or the result is out of range.
std::optional<Number> convert(Number number, const Unit& from, const Unit& to);

}  // namespace turnstone
