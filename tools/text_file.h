// Text files, whole or line by line.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

// Errors: not_found, io, limit_exceeded; those of `check`, which sees the permissions of the very file that is then read.
Result<std::string> read_text_file(const std::string& file, std::size_t bytes_max, const std::function<Status(unsigned mode)>& check = nullptr);
// The file is there whole or not at all (storage/files/output_file.h). Errors: io, no_space.
Status write_text_file(const std::string& file, std::string_view text);

// The next line without its end; nullopt at the end of the input. A longer line than `bytes_max` is read to its end and gives an empty
// optional inside.
std::optional<std::optional<std::string>> read_line(std::FILE* in, std::size_t bytes_max);

}  // namespace turnstone
