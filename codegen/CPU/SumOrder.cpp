//===- SumOrder.cpp - The order of a sum's additions ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/SumOrder.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"

using namespace mlir;

namespace ingot::cpu {

/// If the innermost loop of a sum has at least this number of iterations, a row
/// consists of the elements of this loop. Otherwise it consists of the elements
/// of all innermost reduction loops together.
static constexpr int64_t minRow = 64;

/// The size, in bits, of all partial sums of a row together: one vector
/// register of the widest target (AVX-512). It is the same for every target, so
/// that all targets add in the same order.
static constexpr int64_t sumBits = 512;

Operation *combinerOf(linalg::LinalgOp op, unsigned output) {
  Value argument = op.getBlock()->getArgument(op.getNumDpsInputs() + output);
  Value yielded = op.getBlock()->getTerminator()->getOperand(output);
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || !argument.hasOneUse() ||
      *argument.getUsers().begin() != combiner || !yielded.hasOneUse() ||
      !isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
           arith::AddIOp, arith::MulIOp>(combiner))
    return nullptr;
  return combiner;
}

bool sumsRows(linalg::LinalgOp op) {
  return op.getNumLoops() != 0 && op.getNumDpsInits() == 1 &&
         linalg::isReductionIterator(op.getIteratorTypesArray().back()) &&
         isa_and_nonnull<arith::AddFOp, arith::MulFOp>(combinerOf(op, 0));
}

int64_t firstLoopOfRow(linalg::LinalgOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  int64_t first = static_cast<int64_t>(ranges.size()) - 1;
  if (ShapedType::isDynamic(ranges[first]) || ranges[first] >= minRow)
    return first;
  while (first > 0 && linalg::isReductionIterator(types[first - 1]))
    --first;
  return first;
}

int64_t sumLanesOf(linalg::LinalgOp op) {
  unsigned widest = 8;
  for (Value init : op.getDpsInits()) {
    Type element = getElementTypeOrSelf(init.getType());
    unsigned bits = element.getIntOrFloatBitWidth();
    // Sums of 16-bit floats are computed in f32, so their lanes have 32 bits.
    widest =
        std::max(widest, isa<FloatType>(element) ? std::max(bits, 32u) : bits);
  }
  return sumBits / widest;
}

} // namespace ingot::cpu
