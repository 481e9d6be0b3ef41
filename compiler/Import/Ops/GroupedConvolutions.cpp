//===- GroupedConvolutions.cpp - Grouped convolutions ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/GroupedConvolutions.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

int64_t knownSize(Value sizes, unsigned at) {
  std::optional<SmallVector<int64_t>> known = getPartialInts(sizes);
  return known && at < known->size() && (*known)[at] >= 0
             ? (*known)[at]
             : ShapedType::kDynamic;
}

int64_t knownDim(Value tensor, unsigned at) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && at < type.getRank() ? type.getDimSize(at)
                                     : ShapedType::kDynamic;
}

std::optional<int64_t> countGroups(NodeImport &node, int64_t imageChannels,
                                   int64_t filterChannels,
                                   int64_t outputChannels) {
  if (ShapedType::isDynamic(imageChannels) ||
      ShapedType::isDynamic(filterChannels) || filterChannels == imageChannels)
    return 1;
  int64_t groups = filterChannels > 0 ? imageChannels / filterChannels : 0;
  if (groups > 0 && groups * filterChannels == imageChannels &&
      (ShapedType::isDynamic(outputChannels) || outputChannels % groups == 0))
    return groups;
  node.malformed(llvm::Twine("cannot group ") + llvm::Twine(imageChannels) +
                 " image channels, with a filter of " +
                 llvm::Twine(filterChannels) + " channels, into " +
                 llvm::Twine(outputChannels) +
                 " output channels: the filter's channels must divide the "
                 "image's, and the quotient must divide the output's");
  return std::nullopt;
}

static Value axisOf(NodeImport &node, int32_t axis) {
  Builder &builder = node.body.builder;
  return createConstant(
      node.body.builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             axis));
}

SmallVector<Value> splitChannels(NodeImport &node, Value value, int64_t count) {
  Operation *op = node.create<SplitOp>(
      {axisOf(node, 3), value},
      node.named("count", node.body.builder.getI64IntegerAttr(count)));
  return op ? SmallVector<Value>(op->getResults()) : SmallVector<Value>();
}

static Value concatenate(NodeImport &node, int32_t axis,
                         ArrayRef<Value> pieces) {
  SmallVector<Value> operands = {axisOf(node, axis)};
  llvm::append_range(operands, pieces);
  Operation *op = node.create<ConcatOp>(operands);
  return op ? op->getResult(0) : Value();
}

Value joinChannels(NodeImport &node, ArrayRef<Value> pieces) {
  return concatenate(node, 3, pieces);
}

/// Makes a vector of `values` with the element type of `sizes`.
static Value numbersLike(NodeImport &node, Value sizes,
                         ArrayRef<int64_t> values) {
  Type element = getElementTypeOrSelf(sizes);
  SmallVector<APInt> elements;
  for (int64_t value : values)
    elements.emplace_back(element.getIntOrFloatBitWidth(), value,
                          /*isSigned=*/true);
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, element);
  return createConstant(node.body.builder, node.loc,
                        DenseElementsAttr::get(type, elements));
}

static Value sliceOfSizes(NodeImport &node, Value sizes, int64_t first,
                          int64_t count) {
  return node.make<SliceOp>({sizes, numbersLike(node, sizes, {first}),
                             numbersLike(node, sizes, {count})});
}

Value withLastSize(NodeImport &node, Value sizes, int64_t last) {
  Value first = sliceOfSizes(node, sizes, 0, 3);
  return first ? concatenate(node, 0, {first, numbersLike(node, sizes, {last})})
               : Value();
}

Value withMergedLastSizes(NodeImport &node, Value sizes) {
  Value first = sliceOfSizes(node, sizes, 0, 3);
  Value others = sliceOfSizes(node, sizes, 3, -1);
  if (!first || !others)
    return Value();
  Value last = node.make<ProdOp>(
      {others, numbersLike(node, sizes, {0})},
      {node.named("keep_dims", node.body.builder.getBoolAttr(true))});
  return last ? concatenate(node, 0, {first, last}) : Value();
}

} // namespace ingot::importer
