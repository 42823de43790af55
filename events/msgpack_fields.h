// Generic msgpack coding of structs with fields(): arrays by position, enums as their number, Named as its
// value, optional as nil or value, digests as bin. Include in .cpp files only (msgpack is a heavy header).
//
// encode_fields and decode_fields apply the same limits, so that what is written can be read. Decoding works
// on an object tree that msgpack builds under unpack limits: counts beyond them are refused before anything
// is allocated, maps, floats and extensions always. Pure; thread safe; linear in the bytes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <msgpack.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "events/codec.h"
#include "events/error.h"
#include "events/fields.h"
#include "events/flight_record.h"
#include "events/named_type.h"
#include "events/vocabulary.h"

namespace turnstone {

class FieldWriter {
 public:
  explicit FieldWriter(const DecodeLimits& limits) : limits_(limits), packer_(sink_) {}

  // Writes `value`; after a refusal nothing more is written and failure() says what was refused.
  template <class T>
  requires std::is_integral_v<T>
  void write(const T& value) { packer_.pack(value); }
  template <class T>
  requires std::is_enum_v<T>
  void write(const T& value) {
    if (!in_vocabulary(value)) return refuse("a value outside its vocabulary");
    packer_.pack(static_cast<std::uint64_t>(value));
  }
  void write(const std::string& value) {
    if (value.size() > limits_.string_bytes_max) return refuse("a string longer than the limit");
    packer_.pack_str(static_cast<std::uint32_t>(value.size()));
    packer_.pack_str_body(value.data(), static_cast<std::uint32_t>(value.size()));
  }
  template <std::size_t N>
  void write(const std::array<std::uint8_t, N>& value) {
    packer_.pack_bin(N);
    packer_.pack_bin_body(reinterpret_cast<const char*>(value.data()), N);
  }
  template <class Tag, class Rep>
  void write(const Named<Tag, Rep>& value) {
    write(value.value);
  }
  template <class T>
  void write(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      packer_.pack_nil();
    }
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write_sequence(values);
  }
  template <class T>
  void write(const std::set<T>& values) {
    write_sequence(values);
  }
  template <class Key, class T>
  void write(const std::map<Key, T>& values) {
    write_sequence(values);
  }
  template <class First, class Second>
  void write(const std::pair<First, Second>& value) {
    if (!open(2)) return;
    write(value.first);
    write(value.second);
    close();
  }
  template <HasFields T>
  void write(const T& value) {
    if (!open(std::tuple_size_v<decltype(T::fields())>)) return;
    for_each_field(value, [this](const char*, const auto& member) { this->write(member); });
    close();
  }
  // Integers, text and lists of integers as themselves, a list of strings as itself when it holds one, and as
  // nil when it is empty (an empty array is the empty list of integers).
  void write(const FlightValue& value) {
    const auto* strings = std::get_if<std::vector<std::string>>(&value);
    if (strings != nullptr && strings->empty()) {
      packer_.pack_nil();
    } else {
      std::visit([this](const auto& alternative) { this->write(alternative); }, value);
    }
  }

  const std::optional<std::string>& failure() const { return failure_; }
  std::string take() { return std::move(sink_.bytes); }

 private:
  struct Sink {
    std::string bytes;
    void write(const char* data, std::size_t size) { bytes.append(data, size); }
  };

  template <class Sequence>
  void write_sequence(const Sequence& values) {
    if (!open(values.size())) return;
    for (const auto& value : values) write(value);
    close();
  }
  bool open(std::size_t items) {
    if (failure_) return false;
    if (items > limits_.array_items_max) refuse("a list longer than the limit");
    if (depth_ >= limits_.depth_max) refuse("values nested deeper than the limit");
    if (failure_) return false;
    ++depth_;
    packer_.pack_array(static_cast<std::uint32_t>(items));
    return true;
  }
  void close() { --depth_; }
  void refuse(std::string what) {
    if (!failure_) failure_ = std::move(what);
  }

  DecodeLimits limits_;
  Sink sink_;
  msgpack::packer<Sink> packer_;
  std::uint32_t depth_ = 0;
  std::optional<std::string> failure_;
};

// Reads msgpack objects into typed values. Every read returns false on a mismatch; failure() then names the
// innermost field.
class FieldReader {
 public:
  template <class T>
  requires std::is_integral_v<T>
  bool read(const msgpack::object& object, T& out) {
    if constexpr (std::is_same_v<T, bool>) {
      if (object.type != msgpack::type::BOOLEAN) return wrong("is no truth value");
      out = object.via.boolean;
    } else if (object.type == msgpack::type::POSITIVE_INTEGER) {
      if (!std::in_range<T>(object.via.u64)) return wrong("is out of range");
      out = static_cast<T>(object.via.u64);
    } else if (object.type == msgpack::type::NEGATIVE_INTEGER) {
      if (!std::in_range<T>(object.via.i64)) return wrong("is out of range");
      out = static_cast<T>(object.via.i64);
    } else {
      return wrong("is no integer");
    }
    return true;
  }
  template <class T>
  requires std::is_enum_v<T>
  bool read(const msgpack::object& object, T& out) {
    std::uint64_t number = 0;
    if (!read(object, number)) return false;
    if (number >= Vocabulary<T>::names.size()) return wrong("is outside its vocabulary");
    out = static_cast<T>(number);
    return true;
  }
  bool read(const msgpack::object& object, std::string& out) {
    if (object.type != msgpack::type::STR) return wrong("is no string");
    out.assign(object.via.str.ptr, object.via.str.size);
    return true;
  }
  template <std::size_t N>
  bool read(const msgpack::object& object, std::array<std::uint8_t, N>& out) {
    if (object.type != msgpack::type::BIN || object.via.bin.size != N) return wrong("is no digest");
    std::copy_n(object.via.bin.ptr, N, reinterpret_cast<char*>(out.data()));
    return true;
  }
  template <class Tag, class Rep>
  bool read(const msgpack::object& object, Named<Tag, Rep>& out) {
    return read(object, out.value);
  }
  template <class T>
  bool read(const msgpack::object& object, std::optional<T>& out) {
    if (object.type == msgpack::type::NIL) {
      out.reset();
      return true;
    }
    return read(object, out.emplace());
  }
  template <class T>
  bool read(const msgpack::object& object, std::vector<T>& out) {
    if (object.type != msgpack::type::ARRAY) return wrong("is no list");
    out.resize(object.via.array.size);  // bounded: the object tree holds that many items already
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!read(object.via.array.ptr[i], out[i])) return false;
    }
    return true;
  }
  template <class T>
  bool read(const msgpack::object& object, std::set<T>& out) {
    std::vector<T> items;
    if (!read(object, items)) return false;
    out = std::set<T>(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    return out.size() == items.size() || wrong("holds an item twice");
  }
  template <class Key, class T>
  bool read(const msgpack::object& object, std::map<Key, T>& out) {
    std::vector<std::pair<Key, T>> items;
    if (!read(object, items)) return false;
    out = std::map<Key, T>(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
    return out.size() == items.size() || wrong("holds a key twice");
  }
  template <class First, class Second>
  bool read(const msgpack::object& object, std::pair<First, Second>& out) {
    if (object.type != msgpack::type::ARRAY || object.via.array.size != 2) return wrong("is no pair");
    return read(object.via.array.ptr[0], out.first) && read(object.via.array.ptr[1], out.second);
  }
  template <HasFields T>
  bool read(const msgpack::object& object, T& out) {
    if (object.type != msgpack::type::ARRAY) return wrong("is no list of fields");
    if (object.via.array.size != std::tuple_size_v<decltype(T::fields())>) return wrong("has another number of fields");
    const msgpack::object* item = object.via.array.ptr;
    bool good = true;
    for_each_field(out, [&](const char* name, auto& member) {
      if (!good) return;
      good = read(*item++, member);
      if (!good && field_.empty()) field_ = name;
    });
    return good;
  }
  bool read(const msgpack::object& object, FlightValue& out) {
    if (object.type == msgpack::type::NIL) {
      out = std::vector<std::string>{};
      return true;
    }
    if (object.type == msgpack::type::STR) return read(object, out.emplace<std::string>());
    if (object.type != msgpack::type::ARRAY) return read(object, out.emplace<std::int64_t>());
    const bool strings = object.via.array.size > 0 && object.via.array.ptr[0].type == msgpack::type::STR;
    return strings ? read(object, out.emplace<std::vector<std::string>>()) : read(object, out.emplace<std::vector<std::int64_t>>());
  }

  std::string failure() const { return (field_.empty() ? "the value" : "field " + field_) + ' ' + problem_; }

 private:
  bool wrong(const char* problem) {
    problem_ = problem;
    return false;
  }
  std::string field_;
  std::string problem_;
};

// Errors: limit_exceeded (names the limit).
template <class T>
Result<std::string> encode_fields(const T& value, const DecodeLimits& limits = decode_limits) {
  FieldWriter writer(limits);
  writer.write(value);
  if (writer.failure()) return fail(ErrorCode::limit_exceeded, "cannot be stored: it holds " + *writer.failure());
  std::string bytes = writer.take();
  if (bytes.size() > limits.payload_bytes_max) {
    return fail(ErrorCode::limit_exceeded, "cannot be stored: " + std::to_string(bytes.size()) + " bytes are more than the limit of " +
                                               std::to_string(limits.payload_bytes_max));
  }
  return bytes;
}

// Errors: corrupt (names the field).
template <class T>
Result<T> decode_fields(std::string_view bytes, const DecodeLimits& limits = decode_limits) {
  if (bytes.size() > limits.payload_bytes_max) return fail(ErrorCode::corrupt, "more bytes than the limit");
  try {
    const msgpack::unpack_limit bounds(limits.array_items_max, 0, limits.string_bytes_max, limits.string_bytes_max, 0, limits.depth_max);
    const auto refer = [](msgpack::type::object_type, std::size_t, void*) { return true; };
    std::size_t end = 0;
    const msgpack::object_handle handle = msgpack::unpack(bytes.data(), bytes.size(), end, refer, nullptr, bounds);
    if (end != bytes.size()) return fail(ErrorCode::corrupt, "bytes follow the value");
    T value{};
    FieldReader reader;
    if (!reader.read(handle.get(), value)) return fail(ErrorCode::corrupt, reader.failure());
    return value;
  } catch (const std::exception& error) {  // msgpack reports by exception; none leaves this function
    return fail(ErrorCode::corrupt, std::string("no readable msgpack: ") + error.what());
  }
}

}  // namespace turnstone
