//===- SliceRegions.cpp - Builds the regions of slices --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/SliceRegions.h"

#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/ControlOps.h"
#include "dialects/Ingot/ParallelOps.h"
#include "dialects/Ingot/TensorOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

int64_t SliceRegions::Traffic::bytesOf(const Values &values) {
  int64_t total = 0;
  for (auto [loc, bytes] : values)
    total += bytes;
  return total;
}

/// A region while it is built: its block, the inputs that its arguments are
/// parts of, and what it yields.
struct SliceRegions::Region {
  unsigned phase;
  Block block;
  OpBuilder inside;
  IRMapping parts;
  llvm::MapVector<std::pair<Value, int64_t>, BlockArgument> inputs;
  /// Values that slices compute, the values of the region that have their
  /// parts, and the results that the region makes of these.
  SmallVector<Value> originals, yielded;
  SmallVector<Type> types;
  SmallVector<ingot_exchange_kind> kinds;
  SmallVector<int64_t> joins;

  Region(unsigned phase, MLIRContext *context) : phase(phase), inside(context) {
    inside.setInsertionPointToEnd(&block);
  }

  void yield(Value original, Value part, Type type, ingot_exchange_kind kind,
             int64_t join) {
    originals.push_back(original);
    yielded.push_back(part);
    types.push_back(type);
    kinds.push_back(kind);
    joins.push_back(join);
  }
};

Type SliceRegions::partType(Type type, int64_t cut) const {
  if (cut == whole)
    return type;
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[cut] /= slices;
  return tensor.clone(shape);
}

static int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// Returns the order of dimensions in which dimension `dim` comes first, or
/// with `back` the order that undoes it.
static Value orderOf(OpBuilder &builder, Location loc, int64_t rank,
                     int64_t dim, bool back) {
  SmallVector<int32_t> order = {static_cast<int32_t>(dim)};
  for (int64_t other = 0; other < rank; ++other)
    if (other != dim)
      order.push_back(static_cast<int32_t>(other));
  SmallVector<int32_t> undone(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    undone[from] = static_cast<int32_t>(to);
  return createConstant(builder, loc,
                        builder.getI32TensorAttr(back ? undone : order));
}

static Value transposed(OpBuilder &builder, Location loc, Value value,
                        int64_t dim, bool back) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (back)
    std::rotate(shape.begin(), shape.begin() + 1, shape.begin() + dim + 1);
  else
    std::rotate(shape.begin(), shape.begin() + dim, shape.begin() + dim + 1);
  Value order = orderOf(builder, loc, type.getRank(), dim, back);
  return TransposeOp::create(builder, loc, TypeRange(type.clone(shape)),
                             {value, order});
}

/// Returns the part of an operand that the slice reads: what the region has
/// computed, a constant, or an argument for a part of an input.
Value SliceRegions::partOf(Region &region, OpOperand &use, int64_t cut) {
  Value value = use.get();
  if (cut == whole)
    return wholes.lookupOrDefault(value);
  if (split.readsPart(use)) {
    if (Value part = region.parts.lookupOrNull(value))
      return part;
    value = kept.lookup(value);
  } else {
    value = wholes.lookupOrDefault(value);
  }
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return createConstant(
        region.inside, value.getLoc(),
        splat.resizeSplat(cast<ShapedType>(partType(value.getType(), cut))));
  BlockArgument &argument = region.inputs[{value, cut}];
  if (!argument)
    argument = region.block.addArgument(partType(value.getType(), cut),
                                        value.getLoc());
  return argument;
}

void SliceRegions::cloneOp(Region &region, Operation *op) {
  const OpSplit &made = *split.find(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        partOf(region, operand, made.cuts[operand.getOperandNumber()]));
  SmallVector<Type> types;
  for (auto [type, cut] : llvm::zip(op->getResultTypes(), made.results))
    types.push_back(partType(type, cut));
  if (made.shape) {
    Value shape = op->getOperand(*made.shape);
    SmallVector<APInt> sizes;
    for (int64_t size : cast<RankedTensorType>(types.front()).getShape())
      sizes.emplace_back(getElementTypeOrSelf(shape).getIntOrFloatBitWidth(),
                         size);
    auto type = RankedTensorType::get({static_cast<int64_t>(sizes.size())},
                                      getElementTypeOrSelf(shape));
    operands[*made.shape] = createConstant(region.inside, op->getLoc(),
                                           DenseElementsAttr::get(type, sizes));
  }
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *clone = region.inside.create(state);
  region.parts.map(op->getResults(), clone->getResults());
}

void SliceRegions::yieldResults(Region &region, Operation *op) {
  const OpSplit &made = *split.find(op);
  Location loc = op->getLoc();
  for (auto [value, cut] : llvm::zip(op->getResults(), made.results)) {
    if (value.use_empty())
      continue;
    Value part = region.parts.lookup(value);
    if (cut == whole) {
      region.yield(value, part, value.getType(), made.combine, 0);
      traffic.combined.push_back({loc, bytesOf(value.getType())});
      continue;
    }
    if (split.isGathered(value)) {
      if (cut != 0)
        part = transposed(region.inside, loc, part, cut, /*back=*/false);
      auto type = cast<RankedTensorType>(part.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] *= slices;
      region.yield(value, part, type.clone(shape), INGOT_EXCHANGE_GATHER, 0);
      traffic.gathered.push_back({loc, bytesOf(value.getType())});
    }
    bool isKept = llvm::any_of(value.getUses(), [&](OpOperand &use) {
      return split.readsPart(use) && phases[use.getOwner()] > region.phase;
    });
    if (isKept)
      region.yield(value, region.parts.lookup(value), value.getType(),
                   INGOT_EXCHANGE_KEEP, cut);
  }
}

void SliceRegions::buildPhase(unsigned phase, ArrayRef<Operation *> ops) {
  Region region(phase, body.getParentOp()->getContext());
  SmallVector<Location> locations;
  for (Operation *op : ops) {
    cloneOp(region, op);
    locations.push_back(op->getLoc());
  }
  for (Operation *op : ops)
    yieldResults(region, op);
  OpBuilder builder(body.getTerminator());
  Location loc = builder.getFusedLoc(locations);
  ResultOp::create(region.inside, loc, TypeRange(), region.yielded,
                   ArrayRef<NamedAttribute>());

  SmallVector<Value> inputs;
  SmallVector<int64_t> cuts;
  for (auto &[input, argument] : region.inputs) {
    inputs.push_back(input.first);
    cuts.push_back(input.second);
  }
  SmallVector<StringRef> kinds;
  for (ingot_exchange_kind kind : region.kinds)
    for (const ::ingot::ExchangeKind &each : ::ingot::exchangeKinds)
      if (each.value == kind)
        kinds.push_back(each.text);
  OperationState state(loc, SliceRegionOp::getOperationName(), inputs,
                       region.types);
  state.addAttribute("slices", builder.getI64IntegerAttr(slices));
  state.addAttribute("cuts", builder.getDenseI64ArrayAttr(cuts));
  state.addAttribute("exchanges", builder.getStrArrayAttr(kinds));
  state.addAttribute("joins", builder.getDenseI64ArrayAttr(region.joins));
  state.addRegion();
  Operation *made = builder.create(state);
  Block &block = made->getRegion(0).emplaceBlock();
  for (BlockArgument argument : region.block.getArguments())
    argument.replaceAllUsesWith(
        block.addArgument(argument.getType(), argument.getLoc()));
  block.getOperations().splice(block.end(), region.block.getOperations());

  for (auto [original, result, kind] :
       llvm::zip(region.originals, made->getResults(), region.kinds)) {
    if (kind == INGOT_EXCHANGE_KEEP) {
      kept.map(original, result);
      continue;
    }
    Value all = result;
    if (kind == INGOT_EXCHANGE_GATHER && split.cutOf(original) != 0)
      all = transposed(builder, original.getLoc(), result,
                       split.cutOf(original), /*back=*/true);
    wholes.map(original, all);
    original.replaceUsesWithIf(
        all, [&](OpOperand &use) { return !split.find(use.getOwner()); });
  }
}

void SliceRegions::build() {
  SmallVector<SmallVector<Operation *>> outside(phases.count() + 1),
      inside(phases.count() + 1);
  SmallVector<Operation *> replaced;
  for (Operation &op : body.without_terminator()) {
    bool isInside = split.find(&op);
    (isInside ? inside : outside)[phases[&op]].push_back(&op);
    if (isInside)
      replaced.push_back(&op);
  }
  for (unsigned phase = 0; phase <= phases.count(); ++phase) {
    for (Operation *op : outside[phase])
      op->moveBefore(body.getTerminator());
    if (!inside[phase].empty())
      buildPhase(phase, inside[phase]);
  }
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
}

} // namespace ingot::graph
