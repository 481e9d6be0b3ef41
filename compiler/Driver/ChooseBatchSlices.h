//===- ChooseBatchSlices.h - The number of slices ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H
#define INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace ingot::driver {

/// Returns the number of rows of a full batch of the training step, if its
/// iterators and feeds agree on it; std::nullopt if they differ or the number
/// is dynamic.
std::optional<int64_t> batchRowsOf(mlir::ModuleOp program);

/// Returns the number of slices per batch if --slices is not given: the largest
/// power of two from 2 to 16 that leaves at least 64 rows per slice. With fewer
/// rows, the GEMMs of a process that computes several slices become slower
/// (docs/internals/scale-out.md).
unsigned defaultSlices(std::optional<int64_t> rows);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H
