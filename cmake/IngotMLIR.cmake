# SPDX-License-Identifier: Apache-2.0
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

# Our tools link the shared libMLIR and libLLVM. The static archives are for what
# goes to machines without LLVM (a target's property INGOT_PORTABLE): as a group,
# of which the linker takes what is used. They have a use of Polly's plugin, which
# Debian has as a shared library only, where programs are linked with LTO: never.
file(GLOB INGOT_LLVM_ARCHIVES "${LLVM_LIBRARY_DIR}/libLLVM*.a"
  "${LLVM_LIBRARY_DIR}/libMLIR*.a" "${LLVM_LIBRARY_DIR}/liblld*.a")
list(FILTER INGOT_LLVM_ARCHIVES EXCLUDE REGEX "MLIRCAPI|Test|libLLVMTestingSupport")
list(JOIN INGOT_LLVM_ARCHIVES "$<SEMICOLON>" archives)
set(is_portable "$<BOOL:$<TARGET_PROPERTY:INGOT_PORTABLE>>")
add_library(ingot_mlir INTERFACE)
target_link_libraries(ingot_mlir INTERFACE
  "$<${is_portable}:-Wl,--start-group$<SEMICOLON>${archives}$<SEMICOLON>-Wl,--end-group>"
  "$<${is_portable}:-Wl,--defsym=_Z18getPollyPluginInfov=0$<SEMICOLON>-lzstd$<SEMICOLON>-lz$<SEMICOLON>-ltinfo>"
  "$<$<NOT:${is_portable}>:MLIR$<SEMICOLON>LLVM>")
target_include_directories(ingot_mlir SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
separate_arguments(INGOT_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_options(ingot_mlir INTERFACE ${INGOT_LLVM_DEFINITIONS})

# How far each of the compiler's files is optimized in a quick build: -O1, and not
# at all where little time is spent when graphs are compiled (INGOT_COLD): most
# ops' classes, the way back to a GraphDef. There half of the time to build a file
# was optimizing it.
if(INGOT_QUICK_BUILD)
  target_compile_options(ingot_mlir INTERFACE
    $<$<CONFIG:Release>:$<IF:$<BOOL:$<TARGET_PROPERTY:INGOT_COLD>>,-O0,-O1>>)
  # GNU's linker takes seconds for each program of the compiler's; LLD comes with
  # the library of it that ingotc links.
  find_program(INGOT_LLD ld.lld HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH)
  if(INGOT_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(ingot_mlir INTERFACE "--ld-path=${INGOT_LLD}")
  endif()
endif()

# One precompiled header for each of the two: Clang reads of it what a file uses, so
# a large one costs a file no more than a small one. None holds what TableGen
# writes for us: one op more must not rebuild every file.

# What ops, importers and passes on graphs are written with; importers and
# exporters read TensorFlow's messages besides.
set(graph_headers
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/DialectImplementation.h>
  <mlir/IR/ImplicitLocOpBuilder.h>
  <mlir/IR/Matchers.h>
  <mlir/IR/OpImplementation.h>
  <mlir/IR/SymbolTable.h>
  <mlir/Interfaces/ControlFlowInterfaces.h>
  <mlir/Interfaces/InferTypeOpInterface.h>
  <mlir/Interfaces/SideEffectInterfaces.h>
  <mlir/Pass/Pass.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  <proto/MetaGraph.pb.h>)
ingot_precompile(ingot_cold_pch LIBRARIES ingot_flags ingot_mlir ingot_proto
  HEADERS ${graph_headers})
if(TARGET ingot_cold_pch)
  set_target_properties(ingot_cold_pch PROPERTIES INGOT_COLD ON)
endif()

# And what makes loops of them: linalg, buffers, the LLVM dialect, GPUs' own, which
# cost each of the files for these three times as long as the rest of it.
ingot_precompile(ingot_mlir_pch LIBRARIES ingot_flags ingot_mlir ingot_proto
  HEADERS ${graph_headers}
    <llvm/IR/Module.h>
    <mlir/Dialect/Affine/IR/AffineOps.h>
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Bufferization/IR/Bufferization.h>
    <mlir/Dialect/GPU/IR/GPUDialect.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/LLVMIR/NVVMDialect.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/Transforms/DialectConversion.h>)
