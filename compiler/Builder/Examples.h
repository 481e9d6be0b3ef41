//===- Examples.h - Parses serialized examples ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_BUILDER_EXAMPLES_H
#define INGOT_COMPILER_BUILDER_EXAMPLES_H

#include "compiler/Builder/GraphImpl.h"

namespace ingot::graph {

/// Builds the op that parses `features` out of `records`: out of a single
/// serialized tf.Example if `batch` is empty, otherwise out of a vector of
/// `batch` Examples. Returns null, after an error, if a feature is not
/// supported.
mlir::Operation *parseRecords(GraphImpl &data, mlir::Value records,
                              llvm::ArrayRef<ExampleFeature> features,
                              llvm::ArrayRef<int64_t> batch);

} // namespace ingot::graph

#endif // INGOT_COMPILER_BUILDER_EXAMPLES_H
