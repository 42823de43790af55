#include "workers/stage_note.h"

#include <algorithm>
#include <variant>

#include "events/chain.h"
#include "events/codec.h"

namespace turnstone {
namespace {

constexpr std::size_t digest_hex_kept = 16;

void append(std::string& bytes, std::string_view value) { bytes.append(value).push_back('\0'); }
void append(std::string& bytes, std::int64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xff));
}

template <class T>
std::string rest_of(const std::vector<T>& values, std::size_t head) {
  std::string bytes;
  for (std::size_t i = head; i < values.size(); ++i) append(bytes, values[i]);
  return std::to_string(values.size()) + " in all, rest " + to_hex(blake2b(bytes)).substr(0, digest_hex_kept);
}

template <class T>
void note(StageRecord& record, const std::string& name, std::vector<T> values, std::size_t head) {
  if (values.size() <= head) {
    record.note(name, std::move(values));
    return;
  }
  std::string rest = rest_of(values, head);
  values.resize(head);
  record.note(name, std::move(values));
  record.note(name + "_rest", std::move(rest));
}

struct Shorten {
  // False when there is nothing left to shorten.
  bool operator()(std::int64_t&) const { return false; }
  bool operator()(std::string& text) const {
    constexpr std::size_t shortest = 64;
    if (text.size() <= shortest) return false;
    const std::string digest = to_hex(blake2b(text)).substr(0, digest_hex_kept);
    text = std::to_string(text.size()) + " bytes, " + digest;
    return true;
  }
  bool operator()(std::vector<std::int64_t>& values) const { return halve(values); }
  bool operator()(std::vector<std::string>& values) const {
    const std::string rest = values.empty() ? "" : rest_of(values, values.size() / 2);
    if (!halve(values)) return false;
    values.push_back(rest);
    return true;
  }
  template <class T>
  static bool halve(std::vector<T>& values) {
    if (values.size() < 4) return false;
    values.resize(values.size() / 2);
    return true;
  }
};

std::size_t size_of(const FlightValue& value) {
  struct Size {
    std::size_t operator()(std::int64_t) const { return 0; }
    std::size_t operator()(const std::string& text) const { return text.size(); }
    std::size_t operator()(const std::vector<std::int64_t>& values) const { return values.size() < 4 ? 0 : values.size() * 5; }
    std::size_t operator()(const std::vector<std::string>& values) const {
      std::size_t bytes = 0;
      for (const std::string& value : values) bytes += value.size() + 1;
      return bytes;
    }
  };
  return std::visit(Size{}, value);
}

// Halves the largest value of the record; drops it whole when it cannot be made smaller.
bool shorten_largest(FlightRecord& record) {
  StageRecord* stage = nullptr;
  std::size_t index = 0, largest = 0;
  for (StageRecord& candidate : record.stages) {
    for (std::size_t i = 0; i < candidate.decided.size(); ++i) {
      const std::size_t size = size_of(candidate.decided[i].value);
      if (size > largest) {
        stage = &candidate;
        index = i;
        largest = size;
      }
    }
  }
  if (stage == nullptr) return false;
  FlightField& field = stage->decided[index];
  if (std::visit(Shorten{}, field.value)) return true;
  std::string whole;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&field.value)) {
    for (const std::string& text : *texts) append(whole, text);
  } else if (const auto* text = std::get_if<std::string>(&field.value)) {
    whole = *text;
    if (whole.size() <= digest_hex_kept) return false;
  }
  field.value = to_hex(blake2b(whole)).substr(0, digest_hex_kept);
  return true;
}

}  // namespace

void note_list(StageRecord& record, const std::string& name, std::vector<std::string> values, std::size_t head) {
  note(record, name, std::move(values), head);
}
void note_list(StageRecord& record, const std::string& name, std::vector<std::int64_t> values, std::size_t head) {
  note(record, name, std::move(values), head);
}

void note_list(StageRecord& record, const std::string& name, const std::vector<std::string_view>& values, std::size_t head) {
  record.note(name, std::vector<std::string>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(std::min(head, values.size()))));
  if (values.size() > head) record.note(name + "_rest", rest_of(values, head));
}

std::string bounded_flight_bytes(FlightRecord& record) {
  for (;;) {
    auto bytes = encode_flight_record(record);
    if (bytes && bytes->size() <= flight_record_bytes_max) return std::move(*bytes);
    if (shorten_largest(record)) continue;
    // Only names and numbers are left: the stage that says most is cut to its first fields.
    auto longest = std::max_element(record.stages.begin(), record.stages.end(),
                                    [](const StageRecord& a, const StageRecord& b) { return a.decided.size() < b.decided.size(); });
    if (longest == record.stages.end() || longest->decided.empty()) return bytes ? std::move(*bytes) : std::string();
    longest->decided.resize(longest->decided.size() / 2);
  }
}

}  // namespace turnstone
