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

# Whatever stands in a precompiled header, every file pays for: GCC instantiates
# the templates that its inline functions use in each file anew. So there are three.
# None holds what TableGen writes for us: one op more must not rebuild every
# file.
if(INGOT_QUICK_BUILD)
  target_compile_options(ingot_mlir INTERFACE $<$<CONFIG:Release>:-O1>)
endif()

# What ops, importers and passes on graphs are written with.
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
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>)
ingot_precompile(ingot_mlir_pch LIBRARIES ingot_flags ingot_mlir
  HEADERS ${graph_headers})

# Importers and exporters read TensorFlow's messages besides.
ingot_precompile(ingot_import_pch LIBRARIES ingot_flags ingot_mlir ingot_proto
  HEADERS ${graph_headers} <proto/MetaGraph.pb.h>)

# For what makes loops of them: linalg, buffers, the LLVM dialect.
ingot_precompile(ingot_codegen_pch LIBRARIES ingot_flags ingot_mlir
  HEADERS ${graph_headers}
    <mlir/Dialect/Arith/IR/Arith.h>
    <mlir/Dialect/Bufferization/IR/Bufferization.h>
    <mlir/Dialect/LLVMIR/LLVMDialect.h>
    <mlir/Dialect/Linalg/IR/Linalg.h>
    <mlir/Dialect/Math/IR/Math.h>
    <mlir/Dialect/MemRef/IR/MemRef.h>
    <mlir/Dialect/SCF/IR/SCF.h>
    <mlir/Dialect/Tensor/IR/Tensor.h>
    <mlir/Dialect/Vector/IR/VectorOps.h>
    <mlir/Transforms/DialectConversion.h>)
