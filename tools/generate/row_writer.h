// Lines into a file, plain or zstd by the name's ending (.zst), or to standard output ("-"). A file is there
// whole or not at all (storage/files/output_file.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone {

class RowWriter {
 public:
  static Result<std::unique_ptr<RowWriter>> open(const std::string& file);
  ~RowWriter();
  RowWriter(const RowWriter&) = delete;
  RowWriter& operator=(const RowWriter&) = delete;

  Status line(std::string_view text);  // the line's end is added
  Status finish();

 private:
  RowWriter();
  Status flush(bool last);
  struct Sink;
  std::unique_ptr<Sink> sink_;
  std::string buffer_;
};

}  // namespace turnstone
