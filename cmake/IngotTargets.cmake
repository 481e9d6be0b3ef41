# Flags and helper functions that every room shares.
include_guard()

# What every target of ours is compiled with. Warnings are errors; no RTTI and
# no exceptions, in the compiler and in the runtime alike.
# -Wrestrict is off: GCC 12 warns of std::string's own operator+ (GCC PR 105651).
add_library(ingot_flags INTERFACE)
target_compile_options(ingot_flags INTERFACE
  -Wall -Wextra -Wno-unused-parameter $<$<CXX_COMPILER_ID:GNU>:-Werror;-Wno-restrict> -fno-rtti -fno-exceptions
  -fvisibility-inlines-hidden -ffunction-sections -fdata-sections)
target_include_directories(ingot_flags INTERFACE
  "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
if(INGOT_SANITIZE)
  target_compile_options(ingot_flags INTERFACE
    -fsanitize=${INGOT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(ingot_flags INTERFACE -fsanitize=${INGOT_SANITIZE})
endif()

if(INGOT_FUZZ)
  target_compile_options(ingot_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# ingot_library(NAME SOURCES... [DEPENDS targets...]): one room's static library.
function(ingot_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE ingot_flags)
  target_include_directories(${name} PUBLIC
    "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}")
  if(TARGET ingot_mlir_pch AND "ingot_mlir" IN_LIST ARG_DEPENDS)
    target_precompile_headers(${name} REUSE_FROM ingot_mlir_pch)
  endif()
endfunction()
