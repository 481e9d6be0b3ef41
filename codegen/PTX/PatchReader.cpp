//===- PatchReader.cpp - Patches of images, read where they're used -------===//

#include "codegen/PTX/PatchReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace ingot::ptx {

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

/// The loops' indices at a place of the matrix: its row is an image, a row and
/// a column, its column a tap and a channel.
static SmallVector<Value> loopsAt(ImplicitLocOpBuilder &b, ValueRange place,
                                  ArrayRef<int64_t> sizes) {
  // Division of 32 bits takes a fraction of that of 64.
  int64_t total = 1;
  for (int64_t size : sizes)
    total = ShapedType::isDynamic(size) || total > INT32_MAX ? INT64_MAX
                                                             : total * size;
  bool isNarrow = total <= INT32_MAX;
  Type type = isNarrow ? Type(b.getI32Type()) : b.getIndexType();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  auto narrow = [&](Value value) -> Value {
    return isNarrow ? Value(arith::IndexCastUIOp::create(b, type, value))
                    : value;
  };
  auto widen = [&](Value value) -> Value {
    return isNarrow
               ? Value(arith::IndexCastUIOp::create(b, b.getIndexType(), value))
               : value;
  };
  auto split = [&](Value value, int64_t size) -> std::pair<Value, Value> {
    return {arith::DivUIOp::create(b, value, constant(size)),
            arith::RemUIOp::create(b, value, constant(size))};
  };
  auto [lines, column] = split(narrow(place[0]), sizes[2]);
  auto [image, row] = split(lines, sizes[1]);
  auto [tap, channel] = split(narrow(place[1]), sizes[channelLoop]);
  return {widen(image), widen(row), widen(column), widen(tap), widen(channel)};
}

Value readPatches(ImplicitLocOpBuilder &b, linalg::GenericOp patches,
                  ValueRange place, int64_t width) {
  SmallVector<Value> loops = loopsAt(b, place, patches.getStaticLoopRanges());
  memref::LoadOp wide = width == 1 ? memref::LoadOp() : channelLoadOf(patches);
  IRMapping mapping;
  auto asVector = [&](Value value) -> Value {
    Value mapped = mapping.lookupOrDefault(value);
    if (isa<VectorType>(mapped.getType()))
      return mapped;
    return vector::BroadcastOp::create(
        b, VectorType::get({width}, mapped.getType()), mapped);
  };
  for (Operation &op : patches.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      mapping.map(index.getResult(), loops[index.getDim()]);
    } else if (wide && &op == wide.getOperation()) {
      SmallVector<Value> indices;
      for (Value index : wide.getIndices())
        indices.push_back(mapping.lookupOrDefault(index));
      int64_t bits = wide.getType().getIntOrFloatBitWidth();
      mapping.map(wide.getResult(),
                  vector::LoadOp::create(
                      b, VectorType::get({width}, wide.getType()),
                      wide.getMemRef(), indices, /*nontemporal=*/false,
                      llvm::MaybeAlign(width * bits / 8)));
    } else if (auto select = dyn_cast<arith::SelectOp>(op);
               wide && select && select.getTrueValue() == wide.getResult()) {
      mapping.map(select.getResult(),
                  arith::SelectOp::create(
                      b, mapping.lookupOrDefault(select.getCondition()),
                      asVector(select.getTrueValue()),
                      asVector(select.getFalseValue())));
    } else {
      b.clone(op, mapping);
    }
  }
  return mapping.lookupOrDefault(
      patches.getBlock()->getTerminator()->getOperand(0));
}

} // namespace ingot::ptx
