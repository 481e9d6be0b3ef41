//===- StepMemory.h - The flag --max-step-memory ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Limits the memory of training steps. The pass
// ingot-host-rematerialize-activations keeps the limit.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_STEPMEMORY_H
#define INGOT_COMPILER_DRIVER_STEPMEMORY_H

#include "codegen/ABI/Descriptor.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace ingot::driver {

/// Limits the arena of each entry that trains to `bytes`, and notes the
/// estimated work of each kernel at its declaration. `entries` are the entries
/// that are compiled, which codegen/Host has extracted from `program`.
void limitStepMemory(mlir::ModuleOp entries, mlir::ModuleOp program,
                     uint64_t bytes);

/// Returns the message for the user if an entry that trains needs an arena of
/// more than `bytes`, although it recomputes all that it can.
std::optional<std::string>
findExcessiveStep(mlir::ModuleOp program,
                  const abi::ProgramDescriptorContents &info, uint64_t bytes);

/// Returns a warning for the user if an entry that trains has buffers whose
/// size only the run knows, so that the limit does not count them.
std::optional<std::string> findDynamicStep(mlir::ModuleOp program);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_STEPMEMORY_H
