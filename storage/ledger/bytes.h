// Fixed-width big-endian and length-prefixed fields, as the ledger's records are written (docs/ledger-format.md).
//
// A reader never reads past its end: the first field that does not fit makes it fail, and every later field is
// zero. Callers read all fields and ask `complete()` once. Not thread safe; linear in the number of bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "events/types.h"

namespace turnstone {

class ByteWriter {
 public:
  template <class Unsigned>
  ByteWriter& number(Unsigned value) {
    for (int shift = static_cast<int>(sizeof(Unsigned)) * 8 - 8; shift >= 0; shift -= 8) {
      bytes_ += static_cast<char>(static_cast<std::uint64_t>(value) >> shift);
    }
    return *this;
  }
  ByteWriter& u8(std::uint8_t value) { return number(value); }
  ByteWriter& u16(std::uint16_t value) { return number(value); }
  ByteWriter& u32(std::uint32_t value) { return number(value); }
  ByteWriter& u64(std::uint64_t value) { return number(value); }
  ByteWriter& digest(const Digest& value) {
    bytes_.append(reinterpret_cast<const char*>(value.data()), value.size());
    return *this;
  }
  // The length as u32, then the bytes.
  ByteWriter& text(std::string_view value) {
    u32(static_cast<std::uint32_t>(value.size()));
    return raw(value);
  }
  ByteWriter& raw(std::string_view value) {
    bytes_ += value;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  Digest digest() {
    Digest value{};
    const std::string_view part = raw(value.size());
    std::copy(part.begin(), part.end(), value.begin());
    return value;
  }
  std::string_view text() { return raw(u32()); }
  // Exactly `size` bytes; empty (and failed) when there are fewer.
  std::string_view raw(std::size_t size) {
    if (size > rest_.size()) return fail_now();
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  std::string_view remaining() { return raw(rest_.size()); }
  bool failed() const { return failed_; }
  // Every field was there and nothing follows.
  bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (const char c : raw(size)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view fail_now() {
    failed_ = true;
    rest_ = {};
    return {};
  }
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace turnstone
