# Writes what simulate_broken is built from.
#   cmake -DMISTAKES=mistakes.cmake -DSOURCE=DIR -DFILE=PATH -DOUTPUT=PATH -P apply_mistakes.cmake
# FILE is one source file, relative to SOURCE, or empty for the header that lists all mistakes.
if(FILE)
  file(READ "${SOURCE}/${FILE}" text)
endif()
set(names "")
set(table "")

function(mistake name what)
  set(names "${names}  ${name},\n" PARENT_SCOPE)
  set(table "${table}    {Mistake::${name}, \"${name}\", \"${what}\"},\n" PARENT_SCOPE)
endfunction()

function(change name file find instead)
  if(NOT file STREQUAL FILE)
    return()
  endif()
  string(FIND "${text}" "${find}" first)
  string(FIND "${text}" "${find}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "the mistake ${name} no longer fits ${file}: adapt tests/simulation/mistakes.cmake to the new text")
  endif()
  string(REPLACE "${find}" "${instead}" changed "${text}")
  set(text "${changed}" PARENT_SCOPE)
endfunction()

include("${MISTAKES}")

if(FILE)
  file(WRITE "${OUTPUT}" "#include \"mistakes.h\"\n#line 1 \"${SOURCE}/${FILE}\"\n${text}")
else()
  file(WRITE "${OUTPUT}" "// Made from tests/simulation/mistakes.cmake.
#pragma once
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace turnstone {

enum class Mistake {
  none,
${names}};

struct NamedMistake {
  Mistake mistake;
  std::string_view name;
  std::string_view what;
};
inline constexpr NamedMistake all_mistakes[] = {
${table}};

// The one that is on.
inline Mistake& current_mistake() {
  static Mistake mistake = Mistake::none;
  return mistake;
}
inline bool broken(Mistake mistake) { return current_mistake() == mistake; }

inline std::set<std::string>& keys_of_this_run() {
  static std::set<std::string> keys;
  return keys;
}

}  // namespace turnstone
")
endif()
