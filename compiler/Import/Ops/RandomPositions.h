//===- RandomPositions.h - Where ops start to draw --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for import functions of random ops: the position in the sequence of
// random numbers from which a node draws.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_RANDOMPOSITIONS_H
#define INGOT_COMPILER_IMPORT_OPS_RANDOMPOSITIONS_H

#include "compiler/Import/Ops/OneToOneOpSpec.h"

namespace ingot::importer {

/// A position in the sequence of Philox, a counter-based generator: a key of
/// shape [1] and a counter of shape [2], both int64.
struct PhiloxPosition {
  mlir::Value key, counter;
};

/// The number of Philox blocks (of four 32-bit numbers) by which the counter
/// advances for each drawn number, even if the op uses fewer. TensorFlow
/// advances by the same number.
constexpr int64_t blocksPerNumber = 256;

/// Returns a constant int64 vector.
mlir::Value int64Vector(NodeImport &node, llvm::ArrayRef<int64_t> values);

/// Returns the position at which this execution of the node starts to draw. The
/// node's state variable, from which the next execution starts, is advanced by
/// `product(counts) * factor / divisor` Philox blocks. Returns std::nullopt
/// after a problem.
std::optional<PhiloxPosition> reserve(NodeImport &node, mlir::Value counts,
                                      int64_t factor, int64_t divisor = 1);

/// Returns the position that a stateless op derives from its seed.
std::optional<PhiloxPosition> keyCounterOf(NodeImport &node, mlir::Value seed);

/// Returns the element type that attribute `attribute` states, or `byDefault`.
/// If the type is not supported, records a problem and returns null.
mlir::Attribute elementTypeOf(NodeImport &node, llvm::StringRef attribute,
                              proto::DataType byDefault);

/// Casts a key or counter of TensorFlow, which is unsigned, to int64.
mlir::Value asSigned(NodeImport &node, mlir::Value value);

/// Adds to the op table the ops in SamplingOps.cpp, which shuffle or draw from
/// distributions with parameters. addRandomOps() calls it.
void addSamplingOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_RANDOMPOSITIONS_H
