#include "tools/transfer/resumed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tools/text_file.h"

namespace turnstone {

Result<std::unique_ptr<ResumedFile>> ResumedFile::open(const std::string& path) {
  auto target = path == "-" ? Result<std::string>(path) : resolve_links(path);
  if (!target) return tl::unexpected(target.error());
  std::unique_ptr<ResumedFile> file(new ResumedFile(*target));
  struct stat status {};
  const bool exists = path != "-" && ::stat(path.c_str(), &status) == 0;
  if (path == "-" || (exists && !S_ISREG(status.st_mode)) || path.starts_with("/dev/")) {
    auto direct = OutputFile::open(path);
    if (!direct) return tl::unexpected(direct.error());
    file->direct_ = std::move(*direct);
    return file;
  }
  file->partial_ = *target + ".partial";
  const int descriptor = ::open(file->partial_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);  // it holds what shoppers said
  if (descriptor < 0 && errno != ELOOP) return file->failure();
  const bool ours = descriptor >= 0 && ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  if (!ours) {
    if (descriptor >= 0) ::close(descriptor);
    return fail(ErrorCode::refused, fmt::format("{} is a link, not a file, or another user's; remove it and run it again", file->partial_));
  }
  file->file_ = ::fdopen(descriptor, "r+b");
  if (file->file_ == nullptr) return file->failure();
  return file;
}

ResumedFile::~ResumedFile() {
  if (file_ != nullptr) std::fclose(file_);  // what is written so far stays for the next run
}

tl::unexpected<Error> ResumedFile::failure() const {
  const int why = errno;
  return fail(why == ENOSPC || why == EDQUOT ? ErrorCode::no_space : ErrorCode::io,
              fmt::format("{} cannot be written ({}); check the path and the free space, and run it again to go on", target_, std::strerror(why)));
}

// A line without its end is one that a stop tore.
Result<bool> ResumedFile::was_there(std::string_view text) {
  const auto there = read_line(file_, text.size() + 1);
  const bool whole = there && std::ftell(file_) > 0 && (std::fseek(file_, -1, SEEK_CUR) == 0) && std::getc(file_) == '\n';
  if (!whole) return false;
  if (*there && **there == text) return true;
  return fail(ErrorCode::refused, fmt::format("{} is the beginning of another export, or something was erased since; remove it and run it again", partial_));
}

Status ResumedFile::line(std::string_view text) {
  if (direct_) {
    if (auto written = direct_->write(text); !written) return written;
    return direct_->write("\n");
  }
  if (comparing_) {
    const auto there = was_there(text);
    if (!there) return tl::unexpected(there.error());
    if (*there) {
      at_ += text.size() + 1;
      ++resumed_;
      return {};
    }
    comparing_ = false;
    if (std::fseek(file_, static_cast<long>(at_), SEEK_SET) != 0 || ::ftruncate(::fileno(file_), static_cast<off_t>(at_)) != 0) return failure();
  }
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fputc('\n', file_) == EOF) return failure();
  return {};
}

Status ResumedFile::start_over() {
  if (direct_) {
    return fail(ErrorCode::refused,
                "a session was erased while it was written out, and what was written holds some of it: throw that away and run it again");
  }
  if (std::fflush(file_) != 0 || ::ftruncate(::fileno(file_), 0) != 0 || std::fseek(file_, 0, SEEK_SET) != 0) return failure();
  comparing_ = true;
  at_ = 0;
  resumed_ = 0;
  return {};
}

Status ResumedFile::finish() {
  if (direct_) return direct_->finish();
  if (comparing_ && ::ftruncate(::fileno(file_), static_cast<off_t>(at_)) != 0) return failure();
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) return failure();
  std::FILE* file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 || std::rename(partial_.c_str(), target_.c_str()) != 0) return failure();
  return {};
}

}  // namespace turnstone
