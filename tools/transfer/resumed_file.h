// A file of lines that is made again the same each time: what an interrupted run left (FILE.partial) is compared and gone on with.
// It has its name only when it is whole. Not thread safe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"
#include "storage/files/output_file.h"

namespace turnstone {

class ResumedFile {
 public:
  // "-", devices and pipes are written to as they are. Errors: io, no_space.
  static Result<std::unique_ptr<ResumedFile>> open(const std::string& path);
  ~ResumedFile();
  ResumedFile(const ResumedFile&) = delete;
  ResumedFile& operator=(const ResumedFile&) = delete;

  // Error refused when what is there is another line: the partial file is of something else.
  Status line(std::string_view text);
  // Takes back every line; what went to standard output or a device cannot be: error refused.
  Status start_over();
  Status finish();
  std::uint64_t resumed() const { return resumed_; }  // lines that were there

 private:
  explicit ResumedFile(std::string target) : target_(std::move(target)) {}
  Result<bool> was_there(std::string_view text);
  tl::unexpected<Error> failure() const;

  const std::string target_;
  std::string partial_;
  std::FILE* file_ = nullptr;  // the partial one
  std::unique_ptr<OutputFile> direct_;
  bool comparing_ = true;
  std::uint64_t at_ = 0;  // bytes that are right
  std::uint64_t resumed_ = 0;
};

}  // namespace turnstone
