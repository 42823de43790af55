// One product of the generated world before it is written down: what is true of it, and how its seller writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/generate/random.h"
#include "tools/generate/trade.h"

namespace turnstone {

struct Fact {
  const TradeColumn* column = nullptr;
  std::string value;                 // Form::several: joined by ", "
};

struct Listing {
  const Kind* kind = nullptr;
  std::string brand;
  std::uint32_t brand_number = 0;    // its seller's habits follow from it
  std::string department;            // empty = none
  std::vector<Fact> facts;           // the filled columns, in table order
  std::uint32_t cents = 0;

  const std::string* value_of(std::string_view column) const;
};

Listing draw_listing(const Trade& trade, Random random);
// A sibling: the same product in another colour and size.
void vary_listing(Listing& listing, Random& random);

std::string write_title(const Listing& listing, const Trade& trade, Random random);
// The sentence with its slots filled; empty when the listing lacks a value that it names.
std::string write_sentence(const std::string& sentence, const Listing& listing);

std::string title_case(const std::string& text);
std::string upper_case(std::string text);

}  // namespace turnstone
