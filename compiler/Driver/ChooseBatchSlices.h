//===- ChooseBatchSlices.h - Chooses the number of slices -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H
#define INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace ingot::driver {

/// Returns the number of rows of a full batch of the training step. Returns
/// std::nullopt if this number is dynamic, or if the step's iterators and feeds
/// have different numbers of rows.
std::optional<int64_t> batchRowsOf(mlir::ModuleOp program);

/// Returns the default number of slices, 2 to 16, into which the processes of a
/// training run divide a batch of `rows` rows. It is a divisor of the batch
/// size with which a slice has at least 64 rows: the largest power of two, or
/// the largest divisor if no power of two qualifies. The GEMMs of shorter
/// slices are less efficient, so a batch that is too short for slices of 64
/// rows is divided into as few slices as possible.
unsigned defaultSlices(std::optional<int64_t> rows);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_CHOOSEBATCHSLICES_H
