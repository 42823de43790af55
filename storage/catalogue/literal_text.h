// Cells that hold a list or an object written out as text, as programs do when they save a table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace turnstone {

// The JSON of a text that is a list or an object in JSON or as Python writes it ("['a', \"b's\"]", "{'Color': None}");
// nullopt for any other text. Linear.
std::optional<std::string> json_of_literal(std::string_view text);

}  // namespace turnstone
