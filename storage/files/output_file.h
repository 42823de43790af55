// A file that is there whole or not at all.
//
// What is written goes into a file beside the target and takes its place by finish(). The target is what the path leads to: a symbolic
// link stays and what it names is replaced; what is no regular file (a device, a pipe) is written to as it is, and so is what the system's
// own folders /dev and /proc name. Not thread safe.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"
#include "storage/files/unfinished.h"

namespace turnstone {

// Where the links that begin at `path` end; the last may lead to nothing that exists yet. Error: io (links without end).
Result<std::string> resolve_links(const std::string& path);

class OutputFile {
 public:
  // "-" is standard output. Errors: io (also: a folder), no_space; they name `path`.
  static Result<std::unique_ptr<OutputFile>> open(const std::string& path);
  ~OutputFile();  // without finish() nothing has happened
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status write(std::string_view bytes);
  Status finish();  // synced, then in its place

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}
  Status open_directly();
  Status open_beside(const std::string& target);
  tl::unexpected<Error> failure(const char* what) const;

  const std::string path_;
  std::string target_;                   // empty: written directly
  std::unique_ptr<Unfinished> beside_;
  std::FILE* out_ = nullptr;
};

}  // namespace turnstone
