//===- BufferVerifier.h - Readers see what they saw -------------*- C++ -*-===//
//
// Whether passes that give tensors buffers, move ops that use buffers, or place
// buffers in memory leave to each reader what it is to read
// (docs/internals/buffers.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_BUFFERVERIFIER_H
#define INGOT_CODEGEN_BUFFERVERIFIER_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace ingot::codegen {

/// Verifies what Ingot's passes of a pipeline do to the buffers of a module's
/// functions. What is wrong is an error at the reader, and makes the result
/// true: the pipeline itself goes on.
std::shared_ptr<bool> verifyBuffers(mlir::PassManager &manager);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_BUFFERVERIFIER_H
