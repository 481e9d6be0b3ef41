//===- LoopLowering.h - A linalg op on buffers as loops ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks for lowering a linalg.generic to loops over vectors: how each
// operand is accessed along the innermost dimension, loads and stores at the
// current position of the loops, and the op's body on vectors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_LOOPLOWERING_H
#define INGOT_CODEGEN_CPU_LOOPLOWERING_H

#include "codegen/CPU/SumOrder.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// How an operand's address changes along the innermost dimension: not at all,
/// by one element, or otherwise.
enum class Access { Invariant, Contiguous, Strided };

/// Lowers one linalg.generic on buffers. Derived classes build the loops and
/// set `position`, the current index of each; helpers here build the code
/// inside.
class LoopLowering {
public:
  LoopLowering(mlir::linalg::GenericOp op, unsigned vectorBits);

protected:
  /// Whether the trip count of loop `dimension` is dynamic.
  bool isDynamic(int64_t dimension) const;

  /// Returns the trip count of loop `dimension`.
  mlir::Value boundOf(int64_t dimension);

  /// Returns how the operand is accessed along the innermost dimension.
  Access accessOf(mlir::OpOperand &operand);

  /// Returns the op that combines the accumulator of result `output` with an
  /// element, or null if the body does not have that form.
  mlir::Operation *combinerOf(unsigned output) {
    return ::ingot::cpu::combinerOf(op, output);
  }

  /// Returns the vector dialect's name of the combiner, for vector.reduction.
  static mlir::vector::CombiningKind kindOf(mlir::Operation *combiner);

  /// Whether the innermost dimension can be computed in vectors: every operand
  /// is invariant or contiguous along it, and so is each load in the body.
  bool canVectorize();

  /// Returns by how much the body's index `value` grows along the innermost
  /// dimension: 0 or 1, or std::nullopt if by another number or an unknown one.
  std::optional<int64_t> strideOf(mlir::Value value);

  /// Whether the lanes of `load` all read one element, or neighbours in memory.
  bool isUniformOrContiguous(mlir::memref::LoadOp load);

  /// Whether the lanes of `draw` all draw one random number, or consecutive
  /// ones.
  bool isUniformOrContiguous(mlir::host::RandomBitsOp draw);

  /// Returns a number that divides the body's index `value` at the current
  /// position in every iteration; 1 if none is known.
  int64_t divisorHere(mlir::Value value);

  mlir::Value at(int64_t index);

  /// Returns the indices of an operand's element at the current position.
  mlir::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);

  /// Builds the innermost dimension of an elementwise op: element by element,
  /// or in vectors, with shorter vectors for the remainder.
  void mapInner();

  /// Returns the size of the innermost dimension rounded down to a multiple of
  /// `lanes`, and the size itself.
  std::pair<mlir::Value, mlir::Value> wholeVectors(int64_t lanes);

  /// Builds a loop along the innermost dimension over [from, to) in steps of
  /// `by`; `body` builds its body.
  template <typename Body>
  void loopOver(mlir::Value from, mlir::Value to, int64_t by, Body body) {
    auto loop = mlir::scf::ForOp::create(builder, from, to, at(by));
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    position[inner] = loop.getInductionVar();
    body();
  }

  /// Hoists loads in the body from constant indices, such as those of random
  /// keys, above all loops, unless the op writes the loaded buffer (LICM).
  void hoistLoads();

  /// Sets the position to element `index` of the row.
  void moveInRow(mlir::Value index);

  /// Loads the inputs that are invariant along the row before its loop.
  void hoistInvariants();

  /// Loads the operand's element at the current position. Returns a scalar
  /// operand unchanged.
  mlir::Value loadElement(mlir::OpOperand &operand);

  /// Loads `lanes` elements of the operand from the current position on; one
  /// element if the operand is invariant along the innermost dimension.
  mlir::Value load(mlir::OpOperand &operand, int64_t lanes);

  /// Loads `lanes` contiguous elements, the first of which is at `indices`.
  /// Booleans are bytes in memory and bits in the vector; `storeVector`
  /// converts them back.
  mlir::Value loadVector(mlir::Value buffer, mlir::ValueRange indices,
                         int64_t lanes);
  void storeVector(mlir::Value value, mlir::Value buffer,
                   mlir::ValueRange indices);

  /// Computes and stores `lanes` elements of the results from the current
  /// position on.
  void step(int64_t lanes);

  /// Broadcasts a scalar to `lanes` lanes; returns a vector unchanged.
  mlir::Value widen(mlir::Value value, int64_t lanes);

  /// Clones the ops of the body, on vectors if an operand is a vector in
  /// `mapping`; ops on values that all lanes share stay scalar. Leaves out
  /// `except`, the combiner of a reduction.
  void compute(mlir::IRMapping &mapping, int64_t lanes,
               mlir::Operation *except);

  /// Loads the elements of all lanes of the body's `load` as one vector: they
  /// are contiguous and begin at the first lane's.
  mlir::Value loadNeighbours(mlir::memref::LoadOp load,
                             mlir::IRMapping &mapping, int64_t lanes);

  /// Draws the random numbers of all lanes of the body's `draw`: they are
  /// consecutive and begin at the first lane's.
  mlir::Value drawNeighbours(mlir::host::RandomBitsOp draw,
                             mlir::IRMapping &mapping, int64_t lanes);

  /// Returns the current index of a loop, as a vector of consecutive indices if
  /// it is the innermost loop and `lanes` is greater than one.
  mlir::Value indexValue(uint64_t dimension, int64_t lanes);

  mlir::linalg::GenericOp op;
  mlir::ImplicitLocOpBuilder builder;
  mlir::SmallVector<int64_t> ranges;
  int64_t inner, maxLanes; // innermost loop; lanes of the target's vectors
  /// The number of partial sums of a row (sumLanesOf()).
  int64_t sumLanes;
  /// The first of the innermost loops that are computed as one row; `inner` if
  /// that loop is a row alone.
  int64_t row;
  bool reduces = false, vectorizes = false;
  mlir::SmallVector<mlir::Value> position; // current index, indexed by loop
  /// Hoisted inputs, keyed by operand number, and hoisted loads of the body.
  mlir::DenseMap<unsigned, mlir::Value> hoisted;
  mlir::DenseMap<mlir::Operation *, mlir::Value> hoistedLoads;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_LOOPLOWERING_H
