# Finds LLVM, MLIR and LLD 22 and cross-checks that they belong together.
include_guard()

if(NOT MLIR_DIR AND EXISTS "/usr/lib/llvm-22/lib/cmake/mlir")
  set(MLIR_DIR "/usr/lib/llvm-22/lib/cmake/mlir")
endif()
find_package(MLIR REQUIRED CONFIG)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
message(STATUS "MLIR in ${MLIR_DIR}")
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Ingot is built on LLVM 22, found ${LLVM_PACKAGE_VERSION}")
endif()

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_program(INGOT_LIT NAMES lit llvm-lit HINTS "${LLVM_TOOLS_BINARY_DIR}" REQUIRED)
find_program(INGOT_FILECHECK NAMES FileCheck HINTS "${LLVM_TOOLS_BINARY_DIR}" REQUIRED)
message(STATUS "lit: ${INGOT_LIT}  FileCheck: ${INGOT_FILECHECK}")

# Our tools link the shared libMLIR and libLLVM, never the static archives.
add_library(ingot_mlir INTERFACE)
target_link_libraries(ingot_mlir INTERFACE MLIR LLVM)
target_include_directories(ingot_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(INGOT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(ingot_mlir INTERFACE ${INGOT_LLVM_DEFINITIONS})

# The compiler's rooms spend their building time in MLIR's headers. With
# INGOT_QUICK_BUILD these are parsed once, and the rooms, which are a small part
# of what a compilation runs, are optimized less. The precompiled header takes
# about 1 GB of disk.
option(INGOT_QUICK_BUILD "Precompile MLIR's headers; build the compiler's rooms at -O1" OFF)
if(INGOT_QUICK_BUILD)
  target_compile_options(ingot_mlir INTERFACE $<$<CONFIG:Release>:-O1>)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/ingot_mlir_pch.cpp" CONTENT "")
  add_library(ingot_mlir_pch OBJECT "${PROJECT_BINARY_DIR}/ingot_mlir_pch.cpp")
  target_link_libraries(ingot_mlir_pch PRIVATE ingot_flags ingot_mlir)
  add_dependencies(ingot_mlir_pch IngotDialectGen HostDialectGen)
  target_precompile_headers(ingot_mlir_pch PRIVATE
    <dialects/Host/HostDialect.h>
    <dialects/Ingot/IngotDialect.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Linalg/Transforms/Transforms.h>
    <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/Matchers.h>
    <mlir/Pass/Pass.h>
    <mlir/Pass/PassManager.h>
    <mlir/Transforms/DialectConversion.h>
    <mlir/Transforms/GreedyPatternRewriteDriver.h>)
endif()
