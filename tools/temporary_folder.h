// A folder of this process alone (mode 0700), gone with everything in it when the object is.
#pragma once

#include <memory>
#include <string>

#include "events/error.h"

namespace turnstone {

class TemporaryFolder {
 public:
  // Below `parent`, which is made when missing. Error: io.
  static Result<std::unique_ptr<TemporaryFolder>> make(const std::string& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace turnstone
