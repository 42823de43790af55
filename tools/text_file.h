// Whole text files.
#pragma once

#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

// Errors: not_found, io, limit_exceeded.
Result<std::string> read_text_file(const std::string& file, std::size_t bytes_max);
// Errors: io, no_space.
Status write_text_file(const std::string& file, std::string_view text);

}  // namespace turnstone
