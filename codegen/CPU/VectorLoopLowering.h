//===- VectorLoopLowering.h - A linalg op on buffers as loops ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Building blocks for lowering a linalg.generic to loops over vectors: how each
// operand is accessed along the innermost dimension, loads and stores at the
// current position of the loops, and the op's body on vectors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_VECTORLOOPLOWERING_H
#define INGOT_CODEGEN_CPU_VECTORLOOPLOWERING_H

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
enum class AccessPattern { Invariant, Contiguous, Strided };

/// Lowers one linalg.generic on buffers. Derived classes build the loops and
/// set `position`, the current index of each loop. The helpers of this class
/// build the code inside of the loops.
class VectorLoopLowering {
public:
  VectorLoopLowering(mlir::linalg::GenericOp op, unsigned vectorBits);

protected:
  /// Whether the trip count of loop `dimension` is dynamic.
  bool isDynamic(int64_t dimension) const;

  /// Returns the trip count of loop `dimension`.
  mlir::Value boundOf(int64_t dimension);

  /// Returns how the operand is accessed along the innermost dimension.
  AccessPattern accessOf(mlir::OpOperand &operand);

  /// Returns the op (such as an addition) by which the body combines the
  /// accumulator of result `output` with an element. Returns null if the body
  /// combines them in any other way.
  mlir::Operation *combinerOf(unsigned output) {
    return ::ingot::cpu::combinerOf(op, output);
  }

  /// Returns the vector dialect's combining kind for the combiner, which
  /// vector.reduction needs.
  static mlir::vector::CombiningKind kindOf(mlir::Operation *combiner);

  /// Whether the combiner is a maximum or minimum of floats, whose result is
  /// the same in any order.
  static bool isExtreme(mlir::Operation *combiner);

  /// Combines two accumulators with an op like `combiner`, and returns the
  /// result.
  mlir::Value combined(mlir::Operation *combiner, mlir::Value a, mlir::Value b);

  /// Returns a constant of type `type` with the identity of `combiner` (0 for a
  /// sum) in every lane.
  mlir::Value neutralOf(mlir::Operation *combiner, mlir::Type type);

  /// Combines the lanes of `value`, or returns a scalar `value`. The combiner
  /// is a maximum or minimum.
  mlir::Value reduceLanes(mlir::Operation *combiner, mlir::Value value);

  /// Finds out whether the op only picks one element of each row, by an index
  /// that is invariant along the row: `index == place ? element : accumulator`.
  /// The logit of a label is picked like this.
  bool findPick();

  /// Builds the code for one row of an op that findPick() has found: evaluates
  /// the body at the picked element only. If there is no such element, the
  /// result stays as it is.
  void pick();

  /// Whether the innermost dimension can be computed in vectors: every operand
  /// is invariant or contiguous along it, and so is each load in the body.
  bool canVectorize();

  /// Returns the values that an op of the body reads: its operands, and the
  /// values from outside that its regions use.
  static llvm::SmallVector<mlir::Value> inputsOf(mlir::Operation &member);

  /// Returns the stride of `value`, an index in the op's body: the number by
  /// which `value` grows with each step along the innermost dimension. Returns
  /// std::nullopt if this number is neither 0 nor 1, or cannot be determined.
  std::optional<int64_t> strideOf(mlir::Value value);

  /// Whether all lanes of `load` read the same element, or consecutive lanes
  /// read consecutive elements in memory.
  bool isUniformOrContiguous(mlir::memref::LoadOp load);

  /// Whether all lanes of `draw` draw the same random number, or consecutive
  /// lanes draw consecutive ones.
  bool isUniformOrContiguous(mlir::host::RandomBitsOp draw);

  /// Returns a number that divides `value`, an index that the op's body
  /// computes, in every iteration of the emitted loops. `position` has the
  /// induction variables that replace the body's linalg.index ops. Returns 1 if
  /// no larger divisor can be derived.
  int64_t divisorHere(mlir::Value value);

  mlir::Value at(int64_t index);

  /// Returns the indices at which the operand is accessed for the current
  /// indices of the loops, `position`.
  mlir::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);

  /// Builds the loops over the innermost dimension of an elementwise op: over
  /// single elements, or over vectors, with shorter vectors for the remainder.
  void mapInner();

  /// Returns two bounds of the innermost dimension: its size rounded down to a
  /// multiple of `lanes`, and its size.
  std::pair<mlir::Value, mlir::Value> wholeVectors(int64_t lanes);

  /// Builds a loop over the innermost dimension's indices [from, to) in steps
  /// of `by`; `body` builds the loop's body.
  template <typename Body>
  void loopOver(mlir::Value from, mlir::Value to, int64_t by, Body body) {
    auto loop = mlir::scf::ForOp::create(builder, from, to, at(by));
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    position[inner] = loop.getInductionVar();
    body();
  }

  /// Hoists loads of the op's body, such as the load of a random generator's
  /// key, out of all loops (LICM). Only loads with constant indices in bounds,
  /// from buffers that the op does not write, are hoisted.
  void hoistLoads();

  /// Returns the number of elements of a row (the loops from `row` to `inner`),
  /// or ShapedType::kDynamic if it is not static.
  int64_t sizeOfRow() const;

  /// Returns two SSA values: the number of elements of a row, and that number
  /// rounded down to a multiple of `lanes`.
  std::pair<mlir::Value, mlir::Value> boundsOfRow(int64_t lanes);

  /// Sets `position` to element `index` of the row, which consists of the loops
  /// from `row` to the innermost one.
  void moveInRow(mlir::Value index);

  /// Sets `position` to element `index` of the row, and the lanes after the
  /// first to the elements that follow. `index` is a multiple of `lanes`.
  void moveLanes(mlir::Value index, int64_t lanes);

  /// Whether the lanes follow each other along the innermost loop, at the same
  /// indices of all other loops.
  bool areNeighbours() const { return lanePositions.empty(); }

  /// Returns the indices of the loops in lane `lane`.
  mlir::SmallVector<mlir::Value> positionOf(int64_t lane);

  /// Loads, before the loop over the row, the inputs that are invariant along
  /// the row.
  void hoistInvariants();

  /// Loads the operand's element at the current position. Returns a scalar
  /// operand unchanged.
  mlir::Value loadElement(mlir::OpOperand &operand);

  /// Loads the operand's elements for `lanes` lanes, the first of which is at
  /// the current position. If all lanes read the same element, returns that
  /// element as a scalar. Elements that are not contiguous are loaded one by
  /// one.
  mlir::Value load(mlir::OpOperand &operand, int64_t lanes);

  /// Loads `lanes` contiguous elements, the first of which is at `indices`.
  /// Booleans are bytes in memory and bits in the vector; `storeVector`
  /// converts them back.
  mlir::Value loadVector(mlir::Value buffer, mlir::ValueRange indices,
                         int64_t lanes);
  void storeVector(mlir::Value value, mlir::Value buffer,
                   mlir::ValueRange indices);

  /// Emits a vector with the values `elements`, one in each lane.
  mlir::Value fromElements(mlir::ArrayRef<mlir::Value> elements);

  /// Loads the element at each of the indices `places`, as one vector.
  mlir::Value gather(mlir::Value buffer,
                     mlir::ArrayRef<mlir::SmallVector<mlir::Value>> places);

  /// Computes and stores `lanes` elements of the results, beginning at the
  /// current position.
  void step(int64_t lanes);

  /// Broadcasts a scalar to `lanes` lanes; returns a vector unchanged.
  mlir::Value widen(mlir::Value value, int64_t lanes);

  /// Clones the ops of the body, on vectors if an operand is a vector in
  /// `mapping`; ops on values that all lanes share stay scalar. Leaves out
  /// `except`, the combiner of a reduction.
  void compute(mlir::IRMapping &mapping, int64_t lanes,
               mlir::Operation *except);

  /// Loads the elements that the body's `load` reads in all lanes, as one
  /// vector. They must be contiguous, beginning with the first lane's element.
  mlir::Value loadNeighbours(mlir::memref::LoadOp load,
                             mlir::IRMapping &mapping, int64_t lanes);

  /// Loads, one by one, the elements that the body's `load` reads in the lanes,
  /// and returns them as one vector.
  mlir::Value gatherPlaces(mlir::memref::LoadOp load, mlir::IRMapping &mapping,
                           int64_t lanes);

  /// Computes an op of the body that has no vector form, such as a draw whose
  /// numbers are not consecutive, in a loop over lanes.
  void computeLanesAlone(mlir::Operation &member, mlir::IRMapping &mapping,
                         int64_t lanes);

  /// Draws the random numbers that the body's `draw` has in all lanes, as one
  /// vector. They must be consecutive, beginning with the first lane's number.
  mlir::Value drawNeighbours(mlir::host::RandomBitsOp draw,
                             mlir::IRMapping &mapping, int64_t lanes);

  /// Returns the current index of a loop, as a vector if it differs between
  /// lanes.
  mlir::Value indexValue(uint64_t dimension, int64_t lanes);

  mlir::linalg::GenericOp op;
  mlir::ImplicitLocOpBuilder builder;
  mlir::SmallVector<int64_t> ranges;
  int64_t inner, maxLanes; // innermost loop; lanes of the target's vectors
  /// The number of partial sums of a row, from sumLanesOf().
  int64_t sumLanes;
  /// The first of the loops that are computed together as one row. The row ends
  /// with the innermost loop, `inner`, and may be that loop alone.
  int64_t row;
  bool reduces = false, vectorizes = false;
  mlir::OpOperand *picked = nullptr; // the places that findPick() has found
  mlir::SmallVector<mlir::Value> position; // current index, indexed by loop
  /// The position of each lane, if the lanes of a vector have different indices
  /// in the loops around the innermost one. Otherwise empty.
  mlir::SmallVector<mlir::SmallVector<mlir::Value>> lanePositions;
  /// Hoisted inputs, keyed by operand number, and hoisted loads of the body.
  mlir::DenseMap<unsigned, mlir::Value> hoisted;
  mlir::DenseMap<mlir::Operation *, mlir::Value> hoistedLoads;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_VECTORLOOPLOWERING_H
