#include <chrono>

#include "storage/ledger/ledger.h"

namespace turnstone {
namespace {

class SystemClock final : public Clock {
 public:
  Timestamp now() const override {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return Timestamp{std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
  }
  std::int64_t monotonic_us() const override {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace turnstone
