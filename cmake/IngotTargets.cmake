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
option(INGOT_QUICK_BUILD "Precompile headers; build the compiler and the tests at -O1" OFF)

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
endfunction()

# The parts of the standard library that most of the runtime's files include.
set(INGOT_STANDARD_HEADERS
  <algorithm> <atomic> <condition_variable> <cstdint> <cstdio> <cstring> <deque>
  <functional> <map> <memory> <mutex> <optional> <span> <string> <string_view>
  <thread> <utility> <vector>)

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

# ingot_library(NAME SOURCES... [DEPENDS targets...] [CODEGEN]): one static
# library. CODEGEN gives it the precompiled header with loops and buffers
# (IngotMLIR.cmake).
function(ingot_library name)
  cmake_parse_arguments(ARG "CODEGEN" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE ingot_flags)
  target_include_directories(${name} PUBLIC
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  if(ARG_CODEGEN)
    ingot_reuse_precompiled(${name} ingot_codegen_pch)
  elseif("ingot_mlir" IN_LIST ARG_DEPENDS AND "ingot_proto" IN_LIST ARG_DEPENDS)
    ingot_reuse_precompiled(${name} ingot_import_pch)
  elseif("ingot_mlir" IN_LIST ARG_DEPENDS)
    ingot_reuse_precompiled(${name} ingot_mlir_pch)
  endif()
endfunction()
