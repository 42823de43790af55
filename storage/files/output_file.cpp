#include "storage/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace turnstone {
namespace {

constexpr int links_max = 40;  // as the kernel's own limit
constexpr std::size_t buffer_bytes = 1u << 20;

bool is_the_systems(const std::string& path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

}  // namespace

Result<std::string> resolve_links(const std::string& path) {
  std::filesystem::path at = path;
  for (int links = 0; links < links_max; ++links) {
    std::error_code error;
    const auto leads_to = std::filesystem::read_symlink(at, error);
    if (error) return at.string();  // no link
    at = leads_to.is_absolute() ? leads_to : at.parent_path() / leads_to;
  }
  return fail(ErrorCode::io, fmt::format("{} is a link that leads in a circle; name the file itself", path));
}

Result<std::unique_ptr<OutputFile>> OutputFile::open(const std::string& path) {
  std::unique_ptr<OutputFile> file(new OutputFile(path));
  if (path == "-") {
    file->out_ = stdout;
    return file;
  }
  auto target = resolve_links(path);
  if (!target) return tl::unexpected(target.error());
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return fail(ErrorCode::io, fmt::format("{} is a folder; name a file", path));
  const bool direct = (exists && !S_ISREG(status.st_mode)) || is_the_systems(path) || is_the_systems(*target);
  if (auto opened = direct ? file->open_directly() : file->open_beside(*target); !opened) return tl::unexpected(opened.error());
  std::setvbuf(file->out_, nullptr, _IOFBF, buffer_bytes);
  return file;
}

Status OutputFile::open_directly() {
  out_ = std::fopen(path_.c_str(), "wbe");
  return out_ == nullptr ? failure("opened") : Status{};
}

// A file that is replaced keeps its permissions.
Status OutputFile::open_beside(const std::string& target) {
  target_ = target;
  std::string name = target + ".XXXXXX.part";
  const int file = ::mkstemps(name.data(), 5);
  if (file < 0) return failure("made");
  beside_ = std::make_unique<Unfinished>(name);
  struct stat status {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  [[maybe_unused]] const int moded = ::fchmod(file, ::stat(target.c_str(), &status) == 0 ? status.st_mode & 07777 : 0666 & ~mask);
  out_ = ::fdopen(file, "wb");
  if (out_ != nullptr) return {};
  ::close(file);
  ::unlink(name.c_str());
  return failure("opened");
}

OutputFile::~OutputFile() {
  if (out_ != nullptr && out_ != stdout) std::fclose(out_);
  if (beside_) ::unlink(beside_->path().c_str());
}

tl::unexpected<Error> OutputFile::failure(const char* what) const {
  const int why = errno;
  return fail(why == ENOSPC || why == EDQUOT ? ErrorCode::no_space : ErrorCode::io,
              fmt::format("{} cannot be {} ({}); check the path and the free space", path_ == "-" ? "standard output" : path_, what, std::strerror(why)));
}

Status OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), out_) != bytes.size()) return failure("written");
  return {};
}

Status OutputFile::finish() {
  if (std::fflush(out_) != 0) return failure("written");
  if (out_ == stdout) return {};
  if (beside_ && ::fsync(::fileno(out_)) != 0) return failure("written");
  std::FILE* out = out_;
  out_ = nullptr;
  if (std::fclose(out) != 0) return failure("closed");
  if (!beside_) return {};
  if (std::rename(beside_->path().c_str(), target_.c_str()) != 0) return failure("put in its place");
  beside_.reset();
  return {};
}

}  // namespace turnstone
