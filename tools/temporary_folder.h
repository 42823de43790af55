// A folder of this process alone (mode 0700), gone with everything in it when the object is, or the program is stopped
// (storage/files/unfinished.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "events/error.h"
#include "storage/files/unfinished.h"

namespace turnstone {

class TemporaryFolder {
 public:
  // Below `parent`, which is made when missing. Error: io.
  static Result<std::unique_ptr<TemporaryFolder>> make(const std::string& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return unfinished_.path(); }

 private:
  explicit TemporaryFolder(const std::function<std::string()>& make) : unfinished_(make) {}
  const Unfinished unfinished_;
};

}  // namespace turnstone
