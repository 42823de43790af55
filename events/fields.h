// Compile-time field lists. A struct that is stored or shown names its members once,
//
//     static constexpr auto fields() { return std::tuple{field("from", &EpochAdvanced::from), …}; }
//
// and the msgpack codec (by position) and the JSON documents (by name) both follow that list.
#pragma once

#include <tuple>
#include <utility>

namespace turnstone {

template <class Struct, class Member>
struct Field {
  const char* name;
  Member Struct::*member;
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(const char* name, Member Struct::*member) {
  return {name, member};
}

template <class T>
concept HasFields = requires { T::fields(); };

// Calls visit(name, member) for every field of `object`, in declaration order.
template <HasFields Struct, class Visit>
constexpr void for_each_field(Struct& object, Visit&& visit) {
  std::apply([&](auto... f) { (visit(f.name, object.*(f.member)), ...); }, std::remove_const_t<Struct>::fields());
}

}  // namespace turnstone
