# turnstone_library(NAME SOURCES … DEPENDS …): one static library of the architecture. DEPENDS are public.
# THIRD_PARTY are private: their headers stay out of everyone who links the library.
function(turnstone_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;THIRD_PARTY" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC turnstone_flags ${arg_DEPENDS} PRIVATE ${arg_THIRD_PARTY})
endfunction()

# turnstone_test(NAME SOURCES … DEPENDS … [LABELS label]): a GoogleTest program whose cases CTest knows one by one.
# One label a test: parts (the default: one part, in one process), threads (a part with threads or sockets of its own:
# also run under the thread sanitizer), whole (real processes, the command line), slow (over ten seconds).
add_custom_target(tests_of_parts)    # parts and threads
add_custom_target(tests_of_threads)
function(turnstone_test name)
  if(NOT TURNSTONE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  set(label parts)
  if(arg_LABELS)
    list(GET arg_LABELS 0 label)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE turnstone_flags ${arg_DEPENDS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  set(environment)
  if(TURNSTONE_SANITIZE MATCHES "thread")
    set(environment ENVIRONMENT "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan_suppressions.txt")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 120 LABELS ${label} ${environment})
  if(label MATCHES "parts|threads")
    add_dependencies(tests_of_parts ${name})
  endif()
  if(label STREQUAL "threads")
    add_dependencies(tests_of_threads ${name})
  endif()
endfunction()

# turnstone_fuzzer(NAME SOURCES … DEPENDS …): a libFuzzer program, where TURNSTONE_FUZZERS is set. `fuzzers` builds all of them.
add_custom_target(fuzzers)
function(turnstone_fuzzer name)
  if(NOT TURNSTONE_FUZZERS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE turnstone_flags ${arg_DEPENDS})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
endfunction()

# turnstone_embed(TARGET SYMBOL FILES …): the files' bytes, joined by a newline, as
# `extern const std::string_view SYMBOL` in namespace turnstone::embedded.
function(turnstone_embed target symbol)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  set(files)
  foreach(file ${ARGN})
    list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DOUTPUT=${generated} "-DFILES=${files}" -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
