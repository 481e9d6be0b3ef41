//===- LoopLowering.h - A linalg op on buffers as loops ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks of loops over vectors: how operands are accessed along the
// innermost dimension, their elements at a position, and the op's body on
// vectors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_LOOPLOWERING_H
#define INGOT_CODEGEN_CPU_LOOPLOWERING_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::cpu {

/// How an operand is accessed along the innermost dimension.
enum class Access { Invariant, Contiguous, Strided };

class LoopLowering {
public:
  LoopLowering(mlir::linalg::GenericOp op, unsigned vectorBits);

protected:
  /// Whether the trip count is dynamic.
  bool isDynamic(int64_t dimension) const;

  /// The trip count.
  mlir::Value boundOf(int64_t dimension);

  Access accessOf(mlir::OpOperand &operand);

  /// The op that combines the accumulator with an element, or null where the
  /// body does not have that form.
  mlir::Operation *combinerOf(unsigned output);

  static mlir::vector::CombiningKind kindOf(mlir::Operation *combiner);

  bool canVectorize();

  /// The stride of `value` along the innermost dimension: 0 or 1; none where it
  /// is another, or not known.
  std::optional<int64_t> strideOf(mlir::Value value);

  /// Whether all lanes read one element, or neighbours in memory.
  bool isUniformOrContiguous(mlir::memref::LoadOp load);

  /// Whether all lanes draw one number, or consecutive ones.
  bool isUniformOrContiguous(mlir::host::RandomBitsOp draw);

  /// A divisor of an index of the body at the current position.
  int64_t divisorHere(mlir::Value value);

  mlir::Value at(int64_t index);

  /// Where an operand's element lies at the current position.
  mlir::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);

  /// The innermost dimension element by element, or in vectors with a remainder
  /// of smaller ones.
  void mapInner();

  /// The size of the innermost dimension rounded down to whole vectors, and the
  /// size itself.
  std::pair<mlir::Value, mlir::Value> wholeVectors(int64_t lanes);

  template <typename Body>
  void loopOver(mlir::Value from, mlir::Value to, int64_t by, Body body) {
    auto loop = mlir::scf::ForOp::create(builder, from, to, at(by));
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    position[inner] = loop.getInductionVar();
    body();
  }

  /// Hoists loads from constant indices, such as those of random keys, above
  /// all loops, unless the op writes the buffer (LICM).
  void hoistLoads();

  /// Hoists loads of inputs that are invariant along the innermost loop.
  void hoistInvariants();

  /// Loads one element; a scalar operand is returned as it is.
  mlir::Value loadElement(mlir::OpOperand &operand);

  mlir::Value load(mlir::OpOperand &operand, int64_t lanes);

  /// Contiguous elements from these indices on.
  mlir::Value loadVector(mlir::Value buffer, mlir::ValueRange indices,
                         int64_t lanes);
  void storeVector(mlir::Value value, mlir::Value buffer,
                   mlir::ValueRange indices);

  /// `lanes` elements from the current position on.
  void step(int64_t lanes);

  mlir::Value widen(mlir::Value value, int64_t lanes);

  /// Clones the body, on vectors where an operand is one. `except`, the
  /// combiner of a reduction, is left out.
  void compute(mlir::IRMapping &mapping, int64_t lanes,
               mlir::Operation *except);

  /// Loads the elements of all lanes: contiguous, from the first lane's on.
  mlir::Value loadNeighbours(mlir::memref::LoadOp load,
                             mlir::IRMapping &mapping, int64_t lanes);

  /// Draws the numbers of all lanes: consecutive, from the first lane's on.
  mlir::Value drawNeighbours(mlir::host::RandomBitsOp draw,
                             mlir::IRMapping &mapping, int64_t lanes);

  mlir::Value indexValue(uint64_t dimension, int64_t lanes);

  mlir::linalg::GenericOp op;
  mlir::ImplicitLocOpBuilder builder;
  mlir::SmallVector<int64_t> ranges;
  int64_t inner, maxLanes;
  /// The partial sums of a row: as many on every target, whatever its vector
  /// width, so that all get the same bits.
  int64_t sumLanes;
  bool reduces = false, vectorizes = false;
  mlir::SmallVector<mlir::Value> position; // by dimension
  mlir::DenseMap<unsigned, mlir::Value> hoisted;
  mlir::DenseMap<mlir::Operation *, mlir::Value> hoistedLoads;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_LOOPLOWERING_H
