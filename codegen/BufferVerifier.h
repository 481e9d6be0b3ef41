//===- BufferVerifier.h - Verify accesses after a pass ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Translation validation of passes that bufferize, move ops that use buffers,
// or place buffers in memory: each reader must see the same writers as before
// (docs/internals/buffers.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_BUFFERVERIFIER_H
#define INGOT_CODEGEN_BUFFERVERIFIER_H

#include "mlir/Pass/PassManager.h"

#include <memory>

namespace ingot::codegen {

/// Makes `manager` verify, after each of Ingot's passes, that the pass has not
/// changed what ops read. Each op that reads a buffer, in any of the module's
/// functions, must read data that the same ops have written as before the pass.
/// A violation is reported as an error at the reading op and sets the returned
/// flag to true; the pipeline continues.
std::shared_ptr<bool> verifyBuffers(mlir::PassManager &manager);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_BUFFERVERIFIER_H
