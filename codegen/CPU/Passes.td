//===- Passes.td - Kernels for CPUs -----------------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The passes that compile kernels for CPUs: they tile to registers, vectorize,
// give kernels the ABI's signature, and lower them to LLVM.
// There is one file for the passes before bufferization, and one for those
// after it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PASSES_TD
#define INGOT_CODEGEN_CPU_PASSES_TD

include "codegen/CPU/TensorPasses.td"
include "codegen/CPU/BufferPasses.td"

#endif // INGOT_CODEGEN_CPU_PASSES_TD
