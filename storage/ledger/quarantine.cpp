#include "storage/ledger/quarantine.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace turnstone {
namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& file) {
  const std::string name = file.filename().string();
  return file.extension() == ".log" || file.extension() == ".sst" || name == "CURRENT" || name.starts_with("MANIFEST-");
}

constexpr const char* complete_name = "COMPLETE";

tl::unexpected<Error> io_error(const std::string& what, const std::error_code& error) {
  return fail(error == std::errc::no_space_on_device ? ErrorCode::no_space : ErrorCode::io, what + ": " + error.message());
}

}  // namespace

Status fill_quarantine(const std::string& database, const std::string& folder) {
  std::error_code error;
  const fs::path complete = fs::path(folder) / complete_name;
  if (!fs::exists(database, error) || fs::exists(complete, error)) return {};
  if (auto emptied = empty_quarantine(folder); !emptied) return emptied;
  fs::create_directories(folder, error);
  if (error) return io_error("cannot create " + folder, error);
  for (fs::directory_iterator it(database, error), end; !error && it != end; it.increment(error)) {
    if (!holds_data(it->path())) continue;
    const fs::path target = fs::path(folder) / it->path().filename();
    std::error_code link_error;
    fs::create_hard_link(it->path(), target, link_error);
    if (link_error) fs::copy_file(it->path(), target, link_error);
    if (link_error) return io_error("cannot keep " + it->path().string() + " in " + folder, link_error);
  }
  if (error) return io_error("cannot read " + database, error);
  if (!std::ofstream(complete)) return io_error("cannot write " + complete.string(), std::make_error_code(std::errc::io_error));
  return {};
}

Status empty_quarantine(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return io_error("cannot remove " + folder, error);
  return {};
}

Result<std::string> keep_quarantine(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return std::string();
  std::string kept = folder + "-kept-1";
  for (int i = 2; fs::exists(kept, error); ++i) kept = folder + "-kept-" + std::to_string(i);
  fs::rename(folder, kept, error);
  if (error) return io_error("cannot rename " + folder, error);
  return kept;
}

}  // namespace turnstone
