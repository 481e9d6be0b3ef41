# SPDX-License-Identifier: Apache-2.0
# Faults that tests ask for (runtime/ABI/Mutants.h, docs/internals/mutants.md): the files that have some are compiled with
# them, and nothing else is compiled otherwise.
option(INGOT_MUTANTS "Build in faults that the environment variable INGOT_MUTANT switches on by name" OFF)
if(NOT INGOT_MUTANTS)
  return()
endif()
set(mutated
  codegen/CPU/VectorLoopLanes.cpp
  codegen/CPU/VectorLoopLowering.cpp
  codegen/CPU/VectorizeLoops.cpp
  codegen/CPU/VectorizeGEMMs.cpp
  codegen/Host/BufferizeEntries.cpp
  codegen/Host/AnnotateEntryMemoryAccesses.cpp
  codegen/Host/BatchLaunches.cpp
  codegen/Kernels/BufferizeKernels.cpp
  codegen/Kernels/KernelComputeOpCollector.cpp
  codegen/Kernels/PartitionKernelsIntoBlocks.cpp
  codegen/PTX/DistributedReduction.cpp
  compiler/Driver/Autotuning.cpp
  compiler/Lower/LowerOptimizers.cpp
  compiler/Lower/LowerRearrange.cpp
  runtime/Collective/BatchSliceAllReduce.cpp
  runtime/Collective/BatchSliceSubtreeSums.cpp
  runtime/Device/ParallelLoops.cpp
  runtime/Input/TensorDatasets.cpp
  tools/ingotc/ingotc.cpp)
foreach(file ${mutated})
  if(NOT INGOT_BUILD_COMPILER AND NOT file MATCHES "^runtime/")
    continue()
  endif()
  cmake_path(GET file PARENT_PATH folder)
  set_property(SOURCE "${PROJECT_SOURCE_DIR}/${file}" DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}"
    APPEND PROPERTY COMPILE_DEFINITIONS INGOT_MUTANTS)
endforeach()
