// Our tokeniser and ranking function on an SQLite connection.
#pragma once

#include <sqlite3.h>

#include "events/error.h"
#include "storage/artefact/language.h"

namespace turnstone {

// What documents are given as: text as people write it, or terms already made, one space between them.
enum class DocumentForm { text, terms };

// The token that divides the parts of a field.
inline constexpr std::string_view part_border = "\x1e";

// `language` must outlive the connection.
Status register_fts(sqlite3* database, const Language& language, DocumentForm form);

}  // namespace turnstone
