// A read-only memory map of a whole file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "events/error.h"

namespace turnstone {

class MappedFile {
 public:
  // Errors: not_found, io (also for an empty file, a directory).
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace turnstone
