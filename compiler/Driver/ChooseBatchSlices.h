//===- ChooseBatchSlices.h - The number of slices ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H
#define INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace ingot::driver {

/// Returns the rows of a full batch of the imported program's training step,
/// which its iterators and feeds have in common; std::nullopt if they differ or
/// are not known.
std::optional<int64_t> batchRowsOf(mlir::ModuleOp program);

/// Returns the slices of a batch where --slices is not given: the largest power
/// of two with at least 64 rows a slice, from 2 to 16. Shorter slices cost the
/// products of a process that computes several (docs/internals/scale-out.md).
unsigned defaultSlices(std::optional<int64_t> rows);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H
