//===- PoppedValue.cpp - Popped values without a list ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/PoppedValue.h"

#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/Traits.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

Value getRow(OpBuilder &builder, Location loc, Value rows,
             ForwardOrReverseLoopIndex place, Type type) {
  return RowsGetOp::create(builder, loc, type, rows, place.counter,
                           place.fromEnd);
}

/// Returns `place` as a value in the body of `loop`, of type `type`.
static Value valueOf(OpBuilder &builder, Location loc, const CountedLoop &loop,
                     ForwardOrReverseLoopIndex place, Type type) {
  if (!place.fromEnd)
    return place.counter;
  auto last = createConstant(
      builder, loc,
      DenseIntElementsAttr::get(cast<ShapedType>(type),
                                static_cast<int32_t>(loop.trips - 1)));
  return SubOp::create(builder, loc, type, last, place.counter);
}

/// Computes booleans again: for example, which rows of a batch are shorter than
/// the iteration's number. Kept, they would not be aligned as rows, and be
/// elements of a list of the runtime.
static Value recomputed(Value pushed, const CountedLoop &writer,
                        const CountedLoop &reader, OpBuilder &builder) {
  Operation *op = pushed.getDefiningOp();
  if (!getElementTypeOrSelf(pushed).isInteger(1) || !op ||
      op->getBlock() != &writer.body() || !op->hasTrait<trait::Elementwise>())
    return nullptr;
  IRMapping operands;
  for (Value operand : op->getOperands()) {
    Value popped = poppedValue(operand, writer, reader, builder);
    if (!popped)
      return nullptr;
    operands.map(operand, popped);
  }
  builder.clone(*op, operands);
  return operands.lookup(pushed);
}

// A list is a stack: with equal trip counts, iteration i of `reader` pops the
// element of iteration trip count - 1 - i. So an index that counts from the
// start becomes one that counts from the end, and vice versa.
Value poppedValue(Value pushed, const CountedLoop &writer,
                  const CountedLoop &reader, OpBuilder &builder) {
  Location loc = pushed.getLoc();
  if (writer.isOutside(pushed))
    return reader.isOutside(pushed) ? pushed : Value();
  auto flipped = [&](const ForwardOrReverseLoopIndex &place) {
    return *reader.index(!writer.isReverse(place));
  };
  if (std::optional<ForwardOrReverseLoopIndex> place = writer.placeOf(pushed))
    return valueOf(builder, loc, reader, flipped(*place), pushed.getType());
  auto get = pushed.getDefiningOp<RowsGetOp>();
  if (!get)
    return recomputed(pushed, writer, reader, builder);
  Value rows = get.getRows();
  std::optional<ForwardOrReverseLoopIndex> place;
  if (writer.isOutside(rows) && reader.isOutside(rows) &&
      cast<RankedTensorType>(rows.getType()).getDimSize(0) == writer.trips)
    place = writer.placeOf(get.getIndex(), get.getFromEnd());
  if (!place)
    return nullptr;
  return getRow(builder, loc, rows, flipped(*place), pushed.getType());
}

} // namespace ingot::graph
