# Every dependency is a Debian 12 package; tools/install-dependencies installs them all.
set(TURNSTONE_INSTALL_HINT "run tools/install-dependencies (Debian 12), then configure again")

macro(turnstone_need package)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found: ${TURNSTONE_INSTALL_HINT}")
  endif()
endmacro()

find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "pkg-config was not found: ${TURNSTONE_INSTALL_HINT}")
endif()
macro(turnstone_need_pc name module)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${module} was not found: ${TURNSTONE_INSTALL_HINT}")
  endif()
endmacro()

turnstone_need(Threads)
turnstone_need(tl-expected)      # tl::expected
turnstone_need(fmt)              # fmt::fmt
turnstone_need(spdlog)           # spdlog::spdlog
turnstone_need(msgpack)          # msgpackc-cxx
turnstone_need(RocksDB)          # RocksDB::rocksdb-shared
turnstone_need(cppzmq)           # cppzmq
turnstone_need(SQLite3)          # SQLite::SQLite3
turnstone_need(Eigen3)           # Eigen3::Eigen
turnstone_need(nlohmann_json)    # nlohmann_json::nlohmann_json
turnstone_need(simdjson)         # simdjson::simdjson
turnstone_need(CLI11)            # CLI11::CLI11
turnstone_need(roaring)          # roaring::roaring
turnstone_need(ZLIB)             # ZLIB::ZLIB
# A library that comes with neither a package file nor a pkg-config module.
macro(turnstone_need_library name header library)
  find_path(${name}_HEADERS ${header})
  find_library(${name}_LIBRARY ${library})
  if(NOT ${name}_HEADERS OR NOT ${name}_LIBRARY)
    message(FATAL_ERROR "lib${library} was not found: ${TURNSTONE_INSTALL_HINT}")
  endif()
  add_library(turnstone::${name} INTERFACE IMPORTED)
  target_link_libraries(turnstone::${name} INTERFACE ${${name}_LIBRARY})
  target_include_directories(turnstone::${name} INTERFACE ${${name}_HEADERS})
endmacro()

turnstone_need(Boost 1.74 COMPONENTS) # Boost::headers
turnstone_need_pc(SODIUM libsodium)       # PkgConfig::SODIUM
turnstone_need_pc(UTF8PROC libutf8proc)   # PkgConfig::UTF8PROC
turnstone_need_pc(ZSTD libzstd)           # PkgConfig::ZSTD
turnstone_need_pc(TOMLPP tomlplusplus)    # PkgConfig::TOMLPP
turnstone_need_pc(PROMETHEUS prometheus-cpp-core) # PkgConfig::PROMETHEUS
turnstone_need_library(CSV csv.h csv)     # turnstone::CSV

if(TURNSTONE_TESTS)
  turnstone_need(GTest)
  include(GoogleTest)
endif()
find_package(benchmark QUIET)    # benchmarks are built when it is there
