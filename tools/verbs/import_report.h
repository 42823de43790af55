// What became of a catalogue's columns and lines, as people and programs read it.
#pragma once

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "storage/catalogue/catalogue.h"

namespace CLI {
class App;
}

namespace turnstone {

nlohmann::ordered_json import_document(const ImportReport& import);
// Products, repeated ids, bad lines.
void print_import(std::FILE* out, const ImportReport& import);
// What each column was taken for.
void print_columns(std::FILE* out, const ImportReport& import);
// Whether a column is used otherwise than its name says in the documented shape: then people want to see what was made of it.
bool has_guessed_columns(const ImportReport& import);
// --column USE=COLUMN, bound to `columns`.
void add_column_option(CLI::App& command, std::vector<std::string>& columns);
void add_currency_option(CLI::App& command, std::string& currency);
Result<std::vector<NamedColumn>> parse_named_columns(const std::vector<std::string>& columns);

}  // namespace turnstone
