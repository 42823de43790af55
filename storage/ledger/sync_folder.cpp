#include "storage/ledger/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace turnstone {

Status sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  if (!synced) return fail(ErrorCode::io, "cannot sync " + folder);
  return {};
}

Status sync_folder_of(const std::string& path) { return sync_folder(std::filesystem::path(path).parent_path().string()); }

}  // namespace turnstone
