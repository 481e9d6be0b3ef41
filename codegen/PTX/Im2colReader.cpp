//===- Im2colReader.cpp - Elements of im2col for implicit GEMM ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Clones the body of an im2col op to compute the elements that a thread loads.
// Index arithmetic is in 32 bits where the ranges of its values allow it.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/Im2colReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

/// The index of the loop over channels in an im2col op.
static constexpr unsigned channelLoop = 4;

memref::LoadOp channelLoadOf(linalg::GenericOp patches) {
  memref::LoadOp load;
  Value channel;
  for (Operation &op : patches.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op);
        index && index.getDim() == channelLoop) {
      if (channel || !index.getResult().hasOneUse())
        return nullptr;
      channel = index.getResult();
    }
    if (auto other = dyn_cast<memref::LoadOp>(op)) {
      if (load)
        return nullptr;
      load = other;
    }
  }
  if (!load || !channel || load.getIndices().back() != channel ||
      !load.getResult().hasOneUse())
    return nullptr;
  Value yielded = patches.getBlock()->getTerminator()->getOperand(0);
  if (yielded == load.getResult())
    return load;
  auto select = yielded.getDefiningOp<arith::SelectOp>();
  return select && select.getTrueValue() == load.getResult() ? load : nullptr;
}

namespace {

/// An index whose value provably fits into 32 bits, with the range of its
/// values. In 32 bits an index takes one register instead of two, and a
/// division takes a fraction of the time.
struct Int32Index {
  Value value;
  int64_t low, high; // the range of its values, inclusive

  bool fits() const { return low >= INT32_MIN && high <= INT32_MAX; }
};

/// Clones the body of an im2col op to compute one element of the im2col matrix,
/// or several neighbouring elements of a row.
class Im2colBodyCloner {
public:
  Im2colBodyCloner(ImplicitLocOpBuilder &b, linalg::GenericOp patches)
      : b(b), patches(patches) {}

  /// Sets the loop indices to those of the matrix element `place`. Its row in
  /// the matrix is delinearized to the loops over images, rows and columns, its
  /// column to the loops over taps and channels.
  void moveTo(ValueRange place);
  /// Clones the body and returns the element, or a vector of `width` elements.
  Value read(int64_t width);

private:
  /// Delinearizes `number` to the indices of loops with the trip counts
  /// `sizes`, the innermost loop last.
  SmallVector<Value> split(Value number, ArrayRef<int64_t> sizes);
  /// Uses `index` as the index of loop number `loop`, converted to 32 bits if
  /// the trip count allows.
  void setLoop(unsigned loop, Value index);
  Value constant(Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }
  /// Returns a 32-bit copy of `value`, an index in the body, or std::nullopt if
  /// it may not fit.
  std::optional<Int32Index> smallOf(Value value);
  /// Returns the clone of `value`, a value of the body. If the clone is a
  /// 32-bit index, it is extended to the type `index`.
  Value at(Value value);
  bool copySmall(Operation &op);
  bool copyComparison(Operation &op);
  /// Clones the load from the image as one aligned vector load of `width`
  /// elements.
  void copyWide(memref::LoadOp load, int64_t width);

  ImplicitLocOpBuilder &b;
  linalg::GenericOp patches;
  DenseMap<Value, Int32Index> small;
  IRMapping mapping;
};

} // namespace

/// Divides in 32 bits if all sizes fit. Computes no remainder for the outermost
/// index, as it is the last quotient.
SmallVector<Value> Im2colBodyCloner::split(Value number,
                                           ArrayRef<int64_t> sizes) {
  int64_t total = 1;
  for (int64_t size : sizes)
    total = ShapedType::isDynamic(size) || total > INT32_MAX ? INT64_MAX
                                                             : total * size;
  if (total <= INT32_MAX)
    number = arith::IndexCastUIOp::create(b, b.getI32Type(), number);
  SmallVector<Value> indices;
  for (int64_t size : llvm::reverse(sizes.drop_front())) {
    Value by = constant(number.getType(), size);
    indices.insert(indices.begin(), arith::RemUIOp::create(b, number, by));
    number = arith::DivUIOp::create(b, number, by);
  }
  indices.insert(indices.begin(), number);
  return indices;
}

void Im2colBodyCloner::moveTo(ValueRange place) {
  SmallVector<int64_t> sizes = patches.getStaticLoopRanges();
  SmallVector<Value> indices = split(place[0], ArrayRef(sizes).take_front(3));
  indices.append(split(place[1], ArrayRef(sizes).drop_front(3)));
  for (auto [loop, index] : llvm::enumerate(indices))
    setLoop(loop, index);
}

void Im2colBodyCloner::setLoop(unsigned loop, Value index) {
  int64_t size = patches.getStaticLoopRanges()[loop];
  bool isSmall = !ShapedType::isDynamic(size) && size <= INT32_MAX;
  if (isSmall && index.getType().isIndex())
    index = arith::IndexCastUIOp::create(b, b.getI32Type(), index);
  for (auto op : patches.getBlock()->getOps<linalg::IndexOp>()) {
    if (op.getDim() != loop)
      continue;
    if (isSmall)
      small[op] = {index, 0, size - 1};
    else
      mapping.map(op.getResult(), index);
  }
}

std::optional<Int32Index> Im2colBodyCloner::smallOf(Value value) {
  if (auto found = small.find(value); found != small.end())
    return found->second;
  std::optional<int64_t> known = getConstantIntValue(value);
  if (!known || std::abs(*known) > INT32_MAX)
    return std::nullopt;
  return Int32Index{constant(b.getI32Type(), *known), *known, *known};
}

Value Im2colBodyCloner::at(Value value) {
  if (auto found = small.find(value);
      found != small.end() && !mapping.contains(value))
    mapping.map(value, arith::IndexCastOp::create(b, b.getIndexType(),
                                                  found->second.value));
  return mapping.lookupOrDefault(value);
}

/// Returns the smallest and largest value that the index op `op` can have,
/// computed from the ranges `of` of its operands (interval arithmetic). Returns
/// std::nullopt if the result may not fit into 32 bits.
static std::optional<std::pair<int64_t, int64_t>>
rangeOf(Operation &op, ArrayRef<Int32Index> of) {
  const Int32Index &x = of.front(), &y = of.back();
  std::pair<int64_t, int64_t> range;
  if (isa<arith::AddIOp>(op)) {
    range = {x.low + y.low, x.high + y.high};
  } else if (isa<arith::SubIOp>(op)) {
    range = {x.low - y.high, x.high - y.low};
  } else if (isa<arith::MulIOp>(op)) {
    range = std::minmax(
        {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high});
  } else if (isa<arith::SelectOp>(op)) {
    range = {std::min(x.low, y.low), std::max(x.high, y.high)};
  } else if (isa<arith::DivUIOp, arith::RemUIOp>(op)) {
    // Unsigned ops interpret a negative number as a large positive one.
    if (x.low < 0 || y.low <= 0)
      return std::nullopt;
    range = isa<arith::DivUIOp>(op)
                ? std::pair(x.low / y.high, x.high / y.low)
                : std::pair(int64_t(0), std::min(x.high, y.high - 1));
  } else {
    return std::nullopt;
  }
  if (!Int32Index{Value(), range.first, range.second}.fits())
    return std::nullopt;
  return range;
}

/// Clones an op on indices as 32-bit arithmetic. Returns false, without
/// cloning, if an operand or the result may not fit into 32 bits.
bool Im2colBodyCloner::copySmall(Operation &op) {
  if (op.getNumResults() != 1 || !op.getResult(0).getType().isIndex())
    return false;
  SmallVector<Int32Index> indices;
  for (Value operand : op.getOperands()) {
    if (!operand.getType().isIndex())
      continue;
    std::optional<Int32Index> index = smallOf(operand);
    if (!index)
      return false;
    indices.push_back(*index);
  }
  if (indices.size() != 2)
    return false;
  auto range = rangeOf(op, indices);
  if (!range)
    return false;
  OperationState state(op.getLoc(), op.getName());
  size_t next = 0;
  for (Value operand : op.getOperands())
    state.addOperands(operand.getType().isIndex() ? indices[next++].value
                                                  : at(operand));
  state.addTypes(b.getI32Type());
  small[op.getResult(0)] = {b.create(state)->getResult(0), range->first,
                            range->second};
  return true;
}

/// Clones a comparison of indices as one of 32-bit integers. This is legal for
/// unsigned comparisons, too: in both widths, negative numbers compare as
/// greater than all others. Returns false, without cloning, if an operand may
/// not fit into 32 bits.
bool Im2colBodyCloner::copyComparison(Operation &op) {
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  if (!comparison || !comparison.getLhs().getType().isIndex())
    return false;
  std::optional<Int32Index> x = smallOf(comparison.getLhs()),
                            y = smallOf(comparison.getRhs());
  if (!x || !y)
    return false;
  mapping.map(
      comparison.getResult(),
      arith::CmpIOp::create(b, comparison.getPredicate(), x->value, y->value)
          .getResult());
  return true;
}

void Im2colBodyCloner::copyWide(memref::LoadOp load, int64_t width) {
  SmallVector<Value> indices = llvm::map_to_vector(
      load.getIndices(), [&](Value index) { return at(index); });
  int64_t bits = load.getType().getIntOrFloatBitWidth();
  mapping.map(load.getResult(),
              vector::LoadOp::create(
                  b, VectorType::get({width}, load.getType()), load.getMemRef(),
                  indices,
                  /*nontemporal=*/false, llvm::MaybeAlign(width * bits / 8)));
}

/// If several channels are read at once, only the load from the image and the
/// select between the loaded values and padding become vector ops. The
/// condition of the select stays scalar, as either all channels of a pixel are
/// in the padding or none is.
Value Im2colBodyCloner::read(int64_t width) {
  memref::LoadOp wide = width == 1 ? memref::LoadOp() : channelLoadOf(patches);
  auto asVector = [&](Value value) -> Value {
    Value mapped = at(value);
    if (isa<VectorType>(mapped.getType()))
      return mapped;
    return vector::BroadcastOp::create(
        b, VectorType::get({width}, mapped.getType()), mapped);
  };
  for (Operation &op : patches.getBlock()->without_terminator()) {
    auto select = dyn_cast<arith::SelectOp>(op);
    if (isa<linalg::IndexOp>(op) || copySmall(op) || copyComparison(op))
      continue;
    if (wide && &op == wide.getOperation()) {
      copyWide(wide, width);
    } else if (wide && select && select.getTrueValue() == wide.getResult()) {
      mapping.map(select.getResult(),
                  arith::SelectOp::create(b, at(select.getCondition()),
                                          asVector(select.getTrueValue()),
                                          asVector(select.getFalseValue())));
    } else {
      for (Value operand : op.getOperands())
        at(operand);
      b.clone(op, mapping);
    }
  }
  return at(patches.getBlock()->getTerminator()->getOperand(0));
}

Value readPatches(ImplicitLocOpBuilder &b, linalg::GenericOp patches,
                  ValueRange place, int64_t width) {
  Im2colBodyCloner body(b, patches);
  body.moveTo(place);
  return body.read(width);
}

} // namespace ingot::ptx
