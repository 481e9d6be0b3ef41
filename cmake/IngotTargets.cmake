# SPDX-License-Identifier: Apache-2.0
# Flags and helper functions that every library shares.
include_guard()

# What every target of ours is compiled with. Warnings are errors; no RTTI and
# no exceptions, in the compiler and in the runtime alike.
# GCC 12 warns of std::string's own operator+ (GCC PR 105651), and Clang of what
# libstdc++'s own std::stable_sort calls.
add_library(ingot_flags INTERFACE)
target_compile_options(ingot_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter -Werror $<IF:$<CXX_COMPILER_ID:GNU>,-Wno-restrict,-Wno-deprecated-declarations> -fno-rtti -fno-exceptions
  -fvisibility-inlines-hidden -ffunction-sections -fdata-sections)
target_include_directories(ingot_flags INTERFACE
  "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
# Build type Sanitized: fast to build, with lines in reports.
set(CMAKE_C_FLAGS_SANITIZED "-g1")
set(CMAKE_CXX_FLAGS_SANITIZED "-g1")
if(INGOT_SANITIZE)
  target_compile_options(ingot_flags INTERFACE
    -fsanitize=${INGOT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ingot_flags INTERFACE -fsanitize=${INGOT_SANITIZE})
endif()

if(INGOT_FUZZ)
  target_compile_options(ingot_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Headers that many files spend most of their building time in are parsed once,
# and what no trainer carries is optimized less: see ingot_precompile's callers.
option(INGOT_QUICK_BUILD
  "Precompile headers; build the compiler at -O1, tests and what is seldom run at -O0" OFF)

# With ccache, a second build of the same sources is fast, in whatever folder. Its
# direct mode takes the headers from the compiler's list of dependencies. Precompiled
# headers contain absolute paths, so what was included is compared by a checksum
# (ingot_precompile), and they themselves are not cached.
find_program(INGOT_CCACHE ccache)
if(INGOT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  foreach(language C CXX)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=time_macros CCACHE_PCH_EXTSUM=1 "${INGOT_CCACHE}")
  endforeach()
  # CMake also includes the header itself, whose absolute path would be compared.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -Xclang -include-pch -Xclang <PCH_FILE>)
  endif()
endif()

# ingot_checksum_precompiled(NAME HEADERS...): tells ccache what the precompiled
# header of NAME depends on: headers of installed packages, which change with their
# versions and times, and what protoc writes.
function(ingot_checksum_precompiled name)
  file(GLOB protos "${PROJECT_SOURCE_DIR}/proto/*.proto")
  set(sum "${CMAKE_CXX_COMPILER_VERSION} ${LLVM_PACKAGE_VERSION} ${ARGN}")
  foreach(proto ${protos})
    file(SHA256 "${proto}" hash)
    string(APPEND sum " ${hash}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${protos})
  foreach(header ${ARGN})
    string(REGEX REPLACE "[<>]" "" header "${header}")
    foreach(folder /usr/include ${LLVM_INCLUDE_DIRS})
      if(EXISTS "${folder}/${header}")
        file(TIMESTAMP "${folder}/${header}" time)
        string(APPEND sum " ${time}")
      endif()
    endforeach()
  endforeach()
  file(CONFIGURE CONTENT "${sum}" @ONLY
    OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum")
endfunction()

# ingot_precompile(NAME LIBRARIES... HEADERS...): with INGOT_QUICK_BUILD, a
# precompiled header for targets that are compiled with the same flags, those of
# LIBRARIES. None may hold what changes often.
function(ingot_precompile name)
  if(NOT INGOT_QUICK_BUILD)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LIBRARIES;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/empty.cpp" CONTENT "")
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/empty.cpp")
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  ingot_checksum_precompiled(${name} ${ARG_HEADERS})
endfunction()

# What most of the runtime's files include, and JSON, of which few take seconds.
set(INGOT_STANDARD_HEADERS
  <algorithm> <array> <atomic> <bit> <chrono> <cmath> <condition_variable> <cstdint>
  <cstdio> <cstdlib> <cstring> <deque> <functional> <map> <memory> <mutex> <numeric>
  <optional> <set> <span> <string> <string_view> <thread> <utility> <vector>
  <nlohmann/json.hpp>)

# What all that protoc writes includes.
set(INGOT_PROTOBUF_HEADERS
  <google/protobuf/extension_set.h> <google/protobuf/generated_message_util.h>
  <google/protobuf/io/coded_stream.h> <google/protobuf/message_lite.h>
  <google/protobuf/repeated_field.h>)

# ingot_reuse_precompiled(TARGET PCH): where there is one.
function(ingot_reuse_precompiled target pch)
  if(TARGET ${pch})
    target_precompile_headers(${target} REUSE_FROM ${pch})
    # CMake compiles executables with -fPIE, and GCC takes a precompiled header
    # only with the flags that it was made with.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
  endif()
endfunction()

# ingot_library(NAME SOURCES... [DEPENDS targets...] [OBJECT] [COLD]): one static
# library, or the objects of one. COLD: a quick build does not optimize it
# (IngotMLIR.cmake).
function(ingot_library name)
  cmake_parse_arguments(ARG "COLD;OBJECT" "" "SOURCES;DEPENDS" ${ARGN})
  set(kind STATIC)
  if(ARG_OBJECT)
    set(kind OBJECT)
  endif()
  add_library(${name} ${kind} ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE ingot_flags)
  target_include_directories(${name} PUBLIC
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  if("ingot_mlir" IN_LIST ARG_DEPENDS)
    ingot_reuse_mlir(${name} ${ARG_COLD})
  endif()
endfunction()

# ingot_static_tool(NAME LIBRARIES...): the tool of NAME.cpp over libraries, each
# before those that it uses, linked statically, as trainers are: one file that
# starts at once anywhere. It has nothing of LLVM, and is built without the
# compiler too.
function(ingot_static_tool name)
  add_executable(${name} ${name}.cpp)
  target_link_libraries(${name} PRIVATE ingot_flags)
  if(INGOT_SANITIZE)
    target_link_libraries(${name} PRIVATE ${ARGN})
  else()
    # Archives by name: the targets would bring shared libraries along.
    foreach(library ${ARGN})
      target_link_libraries(${name} PRIVATE $<TARGET_FILE:${library}>)
      add_dependencies(${name} ${library})
    endforeach()
    target_link_libraries(${name} PRIVATE
      ingot_rt -lprotobuf-lite -lleveldb -lsnappy -lz)
    target_include_directories(${name} PRIVATE "${PROJECT_BINARY_DIR}/proto-lite")
    target_link_options(${name} PRIVATE -static-pie -s -Wl,--gc-sections)
  endif()
endfunction()

# ingot_reuse_mlir(TARGET COLD): the compiler's precompiled header.
function(ingot_reuse_mlir target cold)
  if(cold)
    set_target_properties(${target} PROPERTIES INGOT_COLD ON)
    ingot_reuse_precompiled(${target} ingot_cold_pch)
  else()
    ingot_reuse_precompiled(${target} ingot_mlir_pch)
  endif()
endfunction()
