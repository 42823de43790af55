#include "tools/temporary_folder.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace turnstone {

Result<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make(const std::string& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  std::string path = (std::filesystem::path(parent) / "turnstone-XXXXXX").string();
  int why = 0;
  const auto made = [&] {
    if (mkdtemp(path.data()) != nullptr) return path;
    why = errno;
    return std::string();
  };
  auto folder = std::unique_ptr<TemporaryFolder>(new TemporaryFolder(made));
  if (folder->path().empty())
    return fail(ErrorCode::io, fmt::format("no folder can be made in {} ({}); choose one you may write to", parent, std::strerror(why)));
  return folder;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path(), ignored);
}

}  // namespace turnstone
