// Strong types: values that must not be mixed do not convert into each other.
//
// Named<Tag, Rep> wraps one value. It compares and hashes as its representation does, and it is made and
// read only by name (`TurnNumber{3}`, `turn.value`), so that passing an Attempt where a TurnNumber is
// expected does not compile. Costs nothing at run time.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace turnstone {

template <class Tag, class Rep>
struct Named {
  using Representation = Rep;
  Rep value{};

  constexpr Named() = default;
  constexpr explicit Named(Rep v) : value(std::move(v)) {}

  friend constexpr bool operator==(const Named&, const Named&) = default;
  friend constexpr auto operator<=>(const Named&, const Named&) = default;
};

// The successor of a counter: sequences, turns, epochs and attempts only ever go up by one.
template <class Tag, class Rep>
constexpr Named<Tag, Rep> next(Named<Tag, Rep> counter) {
  return Named<Tag, Rep>{static_cast<Rep>(counter.value + 1)};
}

}  // namespace turnstone

template <class Tag, class Rep>
struct std::hash<turnstone::Named<Tag, Rep>> {
  std::size_t operator()(const turnstone::Named<Tag, Rep>& named) const noexcept {
    return std::hash<Rep>{}(named.value);
  }
};
