// Makes names that were created, renamed or removed in a folder survive a power cut.
#pragma once

#include <string>

#include "events/error.h"

namespace turnstone {

Status sync_folder(const std::string& folder);   // "" is the current one
Status sync_folder_of(const std::string& path);  // the folder that `path` stands in

}  // namespace turnstone
