// What happened in a run: always as one number, on request as lines for people.
//
// Everything that leaves a process or reaches a disk is added in order, so two runs with the same hash did the same.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace turnstone::simulation {

class Trace {
 public:
  explicit Trace(bool print) : print_(print) {}

  void add(std::uint64_t number) { hash_ = (hash_ ^ number) * 0x9fb21c651e98df25ULL, hash_ ^= hash_ >> 32U; }
  void add(std::string_view bytes) {
    add(bytes.size());
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      add(word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), bytes.size());
    add(word);
  }
  // `describe` is called only when the trace is printed.
  template <class Describe>
  void note(std::int64_t now_us, const Describe& describe) {
    if (print_) std::printf("%10.3f ms  %s\n", static_cast<double>(now_us) / 1'000, std::string(describe()).c_str());
  }
  std::uint64_t hash() const { return hash_; }

 private:
  bool print_;
  std::uint64_t hash_ = 0x2545f4914f6cdd1dULL;
};

}  // namespace turnstone::simulation
