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
