//===- LoopLowering.h - A linalg op on buffers as loops ---------*- C++ -*-===//
//
// What loops over vectors are made of: which operands move with the innermost
// dimension and how, their elements at a position, and the op's body on
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

/// How an operand is reached from the innermost dimension.
enum class Access { Invariant, Contiguous, Strided };

class LoopLowering {
public:
  LoopLowering(mlir::linalg::GenericOp op, unsigned vectorBits);

protected:
  /// Whether the number of iterations is not known before run time.
  bool isDynamic(int64_t dimension) const;

  /// The number of iterations.
  mlir::Value boundOf(int64_t dimension);

  Access accessOf(mlir::OpOperand &operand);

  /// The op that combines a destination's element with what is reduced, or
  /// null where the body does not have that form.
  mlir::Operation *combinerOf(unsigned output);

  static mlir::vector::CombiningKind kindOf(mlir::Operation *combiner);

  bool canVectorize();

  /// How far `value` moves with the innermost dimension: 0 or 1 a step; nothing
  /// where that is not known.
  std::optional<int64_t> strideOf(mlir::Value value);

  /// Whether all lanes read one element, or neighbours in memory.
  bool isUniformOrContiguous(mlir::memref::LoadOp load);

  /// Whether all lanes draw one number, or those that follow each other.
  bool isUniformOrContiguous(mlir::host::RandomBitsOp draw);

  /// What divides an index of the body at the current position.
  int64_t divisorHere(mlir::Value value);

  mlir::Value at(int64_t index);

  /// Where an operand's element lies at the current position.
  mlir::SmallVector<mlir::Value> indicesOf(mlir::OpOperand &operand);

  /// The innermost dimension element by element, or in vectors and a rest of
  /// smaller ones.
  void mapInner();

  /// The part of the innermost dimension that whole vectors cover, and all of
  /// it.
  std::pair<mlir::Value, mlir::Value> wholeVectors(int64_t lanes);

  template <typename Body>
  void loopOver(mlir::Value from, mlir::Value to, int64_t by, Body body) {
    auto loop = mlir::scf::ForOp::create(builder, from, to, at(by));
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    position[inner] = loop.getInductionVar();
    body();
  }

  /// What the body reads at one place, as keys of random numbers, is read once
  /// in front of all loops, unless they write there.
  void hoistLoads();

  /// Inputs that the innermost loop does not move along are read before it.
  void hoistInvariants();

  /// One element; a number that is no tensor is itself.
  mlir::Value loadElement(mlir::OpOperand &operand);

  mlir::Value load(mlir::OpOperand &operand, int64_t lanes);

  /// Neighbours in memory, from that with these indices on.
  mlir::Value loadVector(mlir::Value buffer, mlir::ValueRange indices,
                         int64_t lanes);
  void storeVector(mlir::Value value, mlir::Value buffer,
                   mlir::ValueRange indices);

  /// `lanes` elements from the current position on.
  void step(int64_t lanes);

  mlir::Value widen(mlir::Value value, int64_t lanes);

  /// Clones the body, on vectors wherever an operand is one. `except`, the
  /// combiner of a reduction, is left out.
  void compute(mlir::IRMapping &mapping, int64_t lanes,
               mlir::Operation *except);

  /// The elements that the lanes read: neighbours, from the first lane's on.
  mlir::Value loadNeighbours(mlir::memref::LoadOp load,
                             mlir::IRMapping &mapping, int64_t lanes);

  /// The numbers that the lanes draw: from the first lane's on.
  mlir::Value drawNeighbours(mlir::host::RandomBitsOp draw,
                             mlir::IRMapping &mapping, int64_t lanes);

  mlir::Value indexValue(uint64_t dimension, int64_t lanes);

  mlir::linalg::GenericOp op;
  mlir::ImplicitLocOpBuilder builder;
  mlir::SmallVector<int64_t> ranges;
  int64_t inner, maxLanes;
  /// Sums along a row that are added up side by side: as many on every target,
  /// whose registers may take several for them, so that all get the same bits.
  int64_t sumLanes;
  bool reduces = false, vectorizes = false;
  mlir::SmallVector<mlir::Value> position; // by dimension
  mlir::DenseMap<unsigned, mlir::Value> hoisted;
  mlir::DenseMap<mlir::Operation *, mlir::Value> hoistedLoads;
};

} // namespace ingot::cpu

#endif // INGOT_CODEGEN_CPU_LOOPLOWERING_H
