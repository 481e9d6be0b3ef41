//===- BatchSliceRegionBuilder.cpp - Builds the regions of slices ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/BatchSliceRegionBuilder.h"

#include "compiler/Graph/BatchSizes.h"
#include "compiler/Graph/SymbolicShapes.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/ReductionOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/ScatterOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

int64_t BatchSliceRegionBuilder::ValuesExchangedBetweenSlices::bytesOf(
    const Values &values) {
  int64_t total = 0;
  for (auto [loc, bytes] : values)
    total += bytes;
  return total;
}

/// The parts of an ingot.slice_region under construction: its block, the inputs
/// whose slices are the block's arguments, and the values that it yields. The
/// body of a slice_region runs once per slice of the batch.
struct BatchSliceRegionBuilder::Region {
  unsigned phase;
  Block block;
  OpBuilder inside;
  IRMapping parts;
  DenseMap<std::pair<Value, int64_t>, Value> inputs;
  SmallVector<Value> operands;
  SmallVector<int64_t> cuts;
  /// For each value that the region yields: the corresponding value for the
  /// whole batch (`originals`), the value in the region that is the slice's
  /// part of it (`yielded`), and the type of the region's result (`types`).
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

/// Returns how many elements of `value` along dimension `cut` belong to one row
/// of the batch. Returns std::nullopt if the value cannot be passed into or out
/// of a slice_region (an op whose body runs once per slice of the batch). If
/// `isAllocated`, the memory of the value is allocated before slices are
/// computed, so at most one of its sizes may be dynamic.
static std::optional<int64_t> multipleOf(const BatchSplitParameters &batch,
                                         Value value, int64_t cut,
                                         bool isAllocated) {
  auto type = cast<RankedTensorType>(value.getType());
  std::optional<int64_t> multiple = batch.multipleOf(value, cut);
  // SymbolicShapes represents each dynamic size by an integer that is at least
  // `leastPrime`. A `multiple` of at least `leastPrime` thus represents a
  // dynamic size, which is unknown at compile time.
  bool isKnown = multiple && *multiple < SymbolicShapes::leastPrime;
  bool passes = isKnown && (type.getNumDynamicDims() <= 1 ||
                            (*multiple == 1 && !isAllocated));
  return passes ? multiple : std::nullopt;
}

/// Whether slices compute parts of `value` in phase `phase` and read them in a
/// later phase. Each phase becomes a region of its own, so these parts must be
/// stored in between.
static bool isKept(const BatchSplitPlan &split,
                   const CollectivePhaseAssignment &phases, Value value,
                   unsigned phase) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    return split.readsPart(use) && phases[use.getOwner()] > phase;
  });
}

/// Whether `op` can be moved into a slice_region. Only values of certain sizes
/// and types can be passed into or out of a region (multipleOf()). The operands
/// of `op` that come from outside of the region, and the results of `op` that
/// are used outside of it, must be such values.
static bool canPass(Operation *op, const OpBatchSplit &made,
                    const BatchSplitPlan &split,
                    const CollectivePhaseAssignment &phases) {
  const BatchSplitParameters &batch = split.getBatch();
  for (OpOperand &operand : op->getOpOperands())
    if (int64_t cut = made.cuts[operand.getOperandNumber()];
        cut != whole && !split.readsPart(operand) &&
        !multipleOf(batch, operand.get(), cut, /*isAllocated=*/false))
      return false;
  for (auto [value, cut] : llvm::zip(op->getResults(), made.results)) {
    bool isGathered = split.isGathered(value);
    if (isGathered && !getElementTypeOrSelf(value).isIntOrFloat())
      return false;
    if (cut != whole &&
        (isGathered || isKept(split, phases, value, phases[op])) &&
        !multipleOf(batch, value, cut, /*isAllocated=*/true))
      return false;
  }
  return true;
}

SmallVector<Operation *> findBetterUndivided(Block &body,
                                             const BatchSplitPlan &split) {
  CollectivePhaseAssignment phases(body, split);
  SmallVector<Operation *> found;
  /// Ops that every process could compute for the whole batch at little cost:
  /// they are neither matmuls nor convolutions, their results are not combined
  /// over slices, and each operand is a value that every process has anyway, or
  /// the result of another op in this set.
  DenseSet<Operation *> light;
  auto isAtHand = [&](Value value) {
    return split.isOfSlices(value)
               ? light.contains(value.getDefiningOp())
               : !llvm::is_contained(split.getBatch().roots, value);
  };
  for (Operation &op : body) {
    const OpBatchSplit *made = split.find(&op);
    if (!made)
      continue;
    bool isLight = !isa<MatMulOp, BatchMatMulOp, EinsumOp, Conv2DOp,
                        Conv2DBackpropInputOp, Conv2DBackpropFilterOp>(op) &&
                   !llvm::is_contained(made->results, whole) &&
                   llvm::all_of(op.getOperands(), isAtHand);
    if (isLight)
      light.insert(&op);
    bool isGathered = llvm::any_of(
        op.getResults(), [&](Value value) { return split.isGathered(value); });
    if ((isLight && isGathered) || !canPass(&op, *made, split, phases))
      found.push_back(&op);
  }
  return found;
}

Type BatchSliceRegionBuilder::partType(Type type, int64_t cut) const {
  if (cut == whole)
    return type;
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape[cut] = split.getBatch().hasEqualSlices() ? shape[cut] / slices
                                                 : ShapedType::kDynamic;
  return tensor.clone(shape);
}

static int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bytes = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
  for (int64_t size : tensor.getShape())
    bytes *= ShapedType::isDynamic(size) ? 1 : size;
  return bytes;
}

/// Returns the permutation that moves dimension `dim` to the front or, with
/// `back`, the inverse permutation.
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

/// Returns the value that a slice reads for operand `use`, which is split along
/// dimension `cut`: a value that the region has computed, a constant, or an
/// argument of the region. If `cut` is `whole`, this is the value for the whole
/// batch, from outside of the region.
Value BatchSliceRegionBuilder::partOf(Region &region, OpOperand &use,
                                      int64_t cut) {
  Value value = use.get();
  if (cut == whole)
    return wholes.lookupOrDefault(value);
  bool isPart = split.readsPart(use);
  if (isPart)
    if (Value part = region.parts.lookupOrNull(value))
      return part;
  Value source = isPart ? kept.lookup(value) : wholes.lookupOrDefault(value);
  SplatElementsAttr splat;
  if (split.getBatch().hasEqualSlices() &&
      matchPattern(source, m_Constant(&splat)))
    return createConstant(
        region.inside, value.getLoc(),
        splat.resizeSplat(cast<ShapedType>(partType(source.getType(), cut))));
  return argumentFor(region, value, source, cut);
}

/// Returns the region's argument for a slice's part of `value`, which is cut
/// along dimension `cut`. If the region has no such argument yet, adds one. Its
/// operand is `source`, the value outside of the region that contains the parts
/// of all slices.
Value BatchSliceRegionBuilder::argumentFor(Region &region, Value value,
                                           Value source, int64_t cut) {
  Value &argument = region.inputs[{value, cut}];
  if (argument)
    return argument;
  Location loc = value.getLoc();
  // If an earlier phase has computed `value`, the tensor `source` stores it
  // between the phases. If the value also has several elements per row of the
  // batch, yieldResults() has already split dimension `cut` of `source` into
  // two dimensions: the rows, and the elements of a row.
  bool isSpread = rankOf(source) != rankOf(value);
  if (!isSpread)
    if (int64_t multiple = *multipleOf(split.getBatch(), value, cut,
                                       /*isAllocated=*/false);
        multiple != 1) {
      OpBuilder outside(body.getTerminator());
      source = spread(outside, loc, source, cut, multiple);
      isSpread = true;
    }
  region.cuts.push_back(cut);
  region.operands.push_back(source);
  argument = region.block.addArgument(partType(source.getType(), cut), loc);
  if (isSpread)
    argument = joined(region.inside, loc, argument, cut);
  return argument;
}

/// An op such as a reshape has an operand that is the shape of its result.
/// Returns this operand for the op in a slice: the shape of the slice's part of
/// the result.
Value BatchSliceRegionBuilder::localShape(Region &region, Operation *op,
                                          ValueRange operands, Type result) {
  const OpBatchSplit &made = *split.find(op);
  Value shape = operands[*made.shape];
  auto type = cast<RankedTensorType>(result);
  Type element = getElementTypeOrSelf(shape);
  bool isReshape = isa<ReshapeOp>(op);
  if (type.hasStaticShape() || (isReshape && type.getNumDynamicDims() == 1)) {
    SmallVector<APInt> sizes;
    for (int64_t size : type.getShape())
      sizes.emplace_back(element.getIntOrFloatBitWidth(),
                         ShapedType::isDynamic(size) ? -1 : size,
                         /*isSigned=*/true);
    auto vector =
        RankedTensorType::get({static_cast<int64_t>(sizes.size())}, element);
    return createConstant(region.inside, op->getLoc(),
                          DenseElementsAttr::get(vector, sizes));
  }
  int64_t cut = made.results.front();
  if (isReshape)
    return withOpenSize(region.inside, op->getLoc(), shape, cut);
  const int64_t *first =
      llvm::find_if(made.cuts, [](int64_t each) { return each != whole; });
  return withSizeOf(region.inside, op->getLoc(), shape, cut,
                    operands[first - made.cuts.begin()], *first);
}

void BatchSliceRegionBuilder::cloneOp(Region &region, Operation *op) {
  const OpBatchSplit &made = *split.find(op);
  SmallVector<Value> operands;
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(
        partOf(region, operand, made.cuts[operand.getOperandNumber()]));
  SmallVector<Type> types;
  for (auto [type, cut] : llvm::zip(op->getResultTypes(), made.results))
    types.push_back(partType(type, cut));
  if (made.shape)
    operands[*made.shape] = localShape(region, op, operands, types.front());
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  // The runtime's error message states the position of an invalid index in the
  // whole batch, not in the slice. To compute it, the runtime needs the index
  // of the batch dimension.
  if (isa<RequireIndicesOp>(op))
    state.addAttribute(::ingot::rowDimOption,
                       region.inside.getI64IntegerAttr(made.cuts.front()));
  Operation *clone = region.inside.create(state);
  region.parts.map(op->getResults(), clone->getResults());
}

/// Returns the number of rows of `value`, a value of the whole batch that has
/// `multiple` elements per row along dimension `cut`.
static int64_t rowsOf(Value value, int64_t cut, int64_t multiple) {
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(cut);
  return ShapedType::isDynamic(size) ? size : size / multiple;
}

void BatchSliceRegionBuilder::yieldResults(Region &region, Operation *op) {
  const OpBatchSplit &made = *split.find(op);
  Location loc = op->getLoc();
  for (auto [value, cut] : llvm::zip(op->getResults(), made.results)) {
    if (value.use_empty())
      continue;
    Value part = region.parts.lookup(value);
    if (cut == whole) {
      region.yield(value, part, value.getType(), made.combine, 0);
      exchanged.combined.push_back({loc, bytesOf(value.getType())});
      continue;
    }
    if (split.isGathered(value)) {
      if (cut != 0)
        part = transposed(region.inside, loc, part, cut, /*back=*/false);
      int64_t multiple = *multipleOf(split.getBatch(), value, cut,
                                     /*isAllocated=*/true);
      if (multiple != 1)
        part = spread(region.inside, loc, part, 0, multiple);
      auto type = cast<RankedTensorType>(part.getType());
      SmallVector<int64_t> shape(type.getShape());
      shape[0] = rowsOf(value, cut, multiple);
      region.yield(value, part, type.clone(shape), INGOT_EXCHANGE_GATHER, 0);
      exchanged.gathered.push_back({loc, bytesOf(value.getType())});
      if (!llvm::all_of(value.getUses(), [&](OpOperand &use) {
            return split.readsPart(use) ||
                   isa<UpdateRowsOp, SegmentReduceOp, TensorScatterOp>(
                       use.getOwner());
          }))
        exchanged.replicated.push_back(exchanged.gathered.back());
    }
    if (!isKept(split, phases, value, region.phase))
      continue;
    part = region.parts.lookup(value);
    Type type = value.getType();
    if (int64_t multiple = *multipleOf(split.getBatch(), value, cut,
                                       /*isAllocated=*/true);
        multiple != 1) {
      part = spread(region.inside, loc, part, cut, multiple);
      SmallVector<int64_t> shape(
          cast<RankedTensorType>(part.getType()).getShape());
      shape[cut] = rowsOf(value, cut, multiple);
      type = cast<RankedTensorType>(type).clone(shape);
    }
    region.yield(value, part, type, INGOT_EXCHANGE_KEEP, cut);
  }
}

Operation *createSliceRegion(OpBuilder &builder, Location loc,
                             ValueRange inputs, TypeRange results,
                             int64_t slices, ArrayRef<int64_t> cuts,
                             ArrayRef<StringRef> exchanges,
                             ArrayRef<int64_t> joins, Block &body) {
  OperationState state(loc, SliceRegionOp::getOperationName(), inputs, results);
  state.addAttribute("slices", builder.getI64IntegerAttr(slices));
  state.addAttribute("cuts", builder.getDenseI64ArrayAttr(cuts));
  state.addAttribute("exchanges", builder.getStrArrayAttr(exchanges));
  state.addAttribute("joins", builder.getDenseI64ArrayAttr(joins));
  state.addRegion();
  Operation *made = builder.create(state);
  Block &block = made->getRegion(0).emplaceBlock();
  for (BlockArgument argument : body.getArguments())
    argument.replaceAllUsesWith(
        block.addArgument(argument.getType(), argument.getLoc()));
  block.getOperations().splice(block.end(), body.getOperations());
  return made;
}

void BatchSliceRegionBuilder::buildPhase(unsigned phase,
                                         ArrayRef<Operation *> ops) {
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

  SmallVector<StringRef> kinds;
  for (ingot_exchange_kind kind : region.kinds)
    kinds.push_back(::ingot::exchangeKindText(kind));
  Operation *made =
      createSliceRegion(builder, loc, region.operands, region.types, slices,
                        region.cuts, kinds, region.joins, region.block);

  for (auto [original, result, kind] :
       llvm::zip(region.originals, made->getResults(), region.kinds)) {
    if (kind == INGOT_EXCHANGE_KEEP) {
      kept.map(original, result);
      continue;
    }
    Value all = result;
    if (kind == INGOT_EXCHANGE_GATHER && rankOf(result) != rankOf(original))
      all = joined(builder, original.getLoc(), result, 0);
    if (kind == INGOT_EXCHANGE_GATHER && split.cutOf(original) != 0)
      all = transposed(builder, original.getLoc(), all, split.cutOf(original),
                       /*back=*/true);
    wholes.map(original, all);
    original.replaceUsesWithIf(
        all, [&](OpOperand &use) { return !split.find(use.getOwner()); });
  }
}

void BatchSliceRegionBuilder::build() {
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
