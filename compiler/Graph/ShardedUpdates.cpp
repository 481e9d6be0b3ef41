//===- ShardedUpdates.cpp - Updates that processes divide -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/ShardedUpdates.h"
#include "compiler/Graph/BatchSliceRegionBuilder.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "runtime/ABI/ExchangeKinds.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::graph;
using Ops = SetVector<Operation *>;

/// A part begins at an aligned address (INGOT_ALIGNMENT) if its size is a
/// multiple of this number of elements, which have at least 2 bytes each.
/// Kernels get copies of other parts, so only parts of small variables may have
/// other sizes.
static constexpr int64_t alignedElements = 32;
static constexpr int64_t smallBytes = 64 << 10;
/// A sum is scattered only if it has a message of its own, and this many bytes
/// make one worth it.
static constexpr int64_t leastScatteredBytes = smallBytes;

static int64_t elementsOf(Type type) {
  return cast<RankedTensorType>(type).getNumElements();
}

std::optional<unsigned> ShardedUpdates::partsOf(RankedTensorType type,
                                                unsigned slices) {
  int64_t width = type.getElementTypeBitWidth() / 8;
  int64_t unit =
      type.getNumElements() * width < smallBytes ? 1 : alignedElements;
  int64_t units = type.getNumElements() / unit;
  if (units == 0 || type.getNumElements() % unit != 0 || width < 2)
    return std::nullopt;
  for (unsigned parts = slices; parts <= 16 * slices; ++parts)
    if (units % parts == 0)
      return parts;
  return std::nullopt;
}

/// Whether each element of the results of `op` depends only on the elements in
/// the same place of its operands, and on scalars. `shape` is the shape of the
/// variable.
static bool computesElementwise(Operation *op, ArrayRef<int64_t> shape) {
  auto hasShape = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getShape() == shape &&
           type.getElementType().isIntOrFloat();
  };
  auto isScalar = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getRank() == 0;
  };
  return isElementwise(op) && llvm::all_of(op->getResults(), hasShape) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return hasShape(operand) || isScalar(operand);
         });
}

static BlockArgument argumentOf(EntryOp step, Attribute variable) {
  for (auto [symbol, argument] :
       llvm::zip(step.getVariables(), step.getBody().getArguments()))
    if (symbol == variable)
      return argument;
  return nullptr;
}

/// Returns the variable to which `use`, an operand of the step's terminator,
/// is assigned; null if the operand is a fetch.
static Attribute updatedBy(EntryOp step, OpOperand &use) {
  unsigned fetches = step.getFetches().size(), index = use.getOperandNumber();
  return index < fetches ? Attribute() : step.getUpdates()[index - fetches];
}

/// Collects the ops of the step that depend on `variable`, which it reads, or
/// compute its new value. Returns what rules out that a process computes them
/// for a part of the variable, or "".
static std::string collectDependents(EntryOp step, Attribute variable,
                                     Ops &ops) {
  BlockArgument argument = argumentOf(step, variable);
  Block &body = step.getBody().front();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(argument.getType()).getShape();
  SmallVector<Value> values = {argument};
  // The op that computes the variable's new value belongs to them even if it
  // does not read the variable: all processes would compute all parts.
  for (OpOperand &operand : body.getTerminator()->getOpOperands())
    if (updatedBy(step, operand) == variable && operand.get() != argument) {
      Operation *update = operand.get().getDefiningOp();
      if (!update || !computesElementwise(update, shape))
        return "its new value is not computed elementwise";
      ops.insert(update);
      llvm::append_range(values, update->getResults());
    }
  while (!values.empty()) {
    Value value = values.pop_back_val();
    bool isStored = false;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == body.getTerminator()) {
        Attribute updated = updatedBy(step, use);
        if (!updated)
          return "it is fetched, or a value that is computed of it";
        if (value == argument || std::exchange(isStored, true) ||
            !argumentOf(step, updated))
          return "a step assigns it, or a value that is computed of it, to "
                 "another variable as it is";
        continue;
      }
      if (user->getBlock() != &body)
        return "a branch or loop of the step reads it";
      if (!computesElementwise(user, shape))
        return "'" + user->getName().getStringRef().str() +
               "' computes on it, which is not elementwise";
      if (ops.insert(user))
        llvm::append_range(values, user->getResults());
    }
  }
  return "";
}

std::string ShardedUpdates::obstacleOf(EntryOp step,
                                       FlatSymbolRefAttr variable) {
  if (!argumentOf(step, variable))
    return llvm::is_contained(step.getUpdates(), variable)
               ? "a step assigns it without reading it"
               : "";
  Ops ops;
  return collectDependents(step, variable, ops);
}

ShardedUpdates::ShardedUpdates(EntryOp step, const ShardedVariables &variables)
    : step(step), variables(variables), body(step.getBody().front()) {}

/// Adds elementwise ops to `ops` whose results are read by ops in it only.
void ShardedUpdates::absorbProducers(Ops &ops) {
  for (Operation &op : llvm::reverse(body)) {
    if (ops.contains(&op) || op.use_empty() || isa<ConstantOp>(op))
      continue;
    bool isRead = llvm::all_of(
        op.getUsers(), [&](Operation *user) { return ops.contains(user); });
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    if (isRead && type && type.hasStaticShape() && type.getRank() > 0 &&
        computesElementwise(&op, type.getShape()))
      ops.insert(&op);
  }
}

void ShardedUpdates::build() {
  llvm::MapVector<unsigned, Ops> byParts;
  for (auto symbol : step.getVariables().getAsRange<FlatSymbolRefAttr>()) {
    auto found = variables.find(symbol.getAttr());
    if (found != variables.end())
      collectDependents(step, symbol, byParts[found->second]);
  }
  for (auto &[parts, ops] : byParts) {
    absorbProducers(ops);
    buildRegion(parts, ops);
  }
}

/// A slice_region under construction.
struct ShardedUpdates::Region {
  unsigned parts;
  Block block;
  OpBuilder inside, outside;
  IRMapping values;
  llvm::MapVector<Value, unsigned> inputs; // the whole tensor of each argument
  SmallVector<Value> operands, yielded;
  SmallVector<OpOperand *> assigned; // what each result of the region replaces
  SmallVector<Type> types;
  SmallVector<StringRef> kinds;
  SmallVector<int64_t> joins;

  Region(unsigned parts, Block &body)
      : parts(parts), inside(body.getParentOp()->getContext()),
        outside(body.getTerminator()) {
    inside.setInsertionPointToEnd(&block);
  }

  RankedTensorType flat(Type type) const {
    return RankedTensorType::get({elementsOf(type)},
                                 getElementTypeOrSelf(type));
  }
  Type partType(Type type) const {
    return RankedTensorType::get({elementsOf(type) / parts},
                                 getElementTypeOrSelf(type));
  }
};

static Value reshaped(OpBuilder &builder, Location loc, Value value,
                      RankedTensorType type) {
  if (value.getType() == type)
    return value;
  Value shape =
      createConstant(builder, loc, builder.getI64TensorAttr(type.getShape()));
  return ReshapeOp::create(builder, loc, TypeRange(type), {value, shape});
}

/// Returns the index of the region's input for `value`, which is added if the
/// region has none yet.
unsigned ShardedUpdates::inputFor(Region &region, Value value) {
  auto [found, isNew] =
      region.inputs.try_emplace(value, region.operands.size());
  if (!isNew)
    return found->second;
  Location loc = value.getLoc();
  Value source = value;
  while (auto reshape = source.getDefiningOp<ReshapeOp>())
    source = reshape.getInput();
  region.operands.push_back(
      reshaped(region.outside, loc, source, region.flat(value.getType())));
  region.values.map(
      value, region.block.addArgument(region.partType(value.getType()), loc));
  return region.operands.size() - 1;
}

/// Returns what a part reads of `value`: the part's elements, or a scalar.
Value ShardedUpdates::partOf(Region &region, Value value) {
  if (Value part = region.values.lookupOrNull(value))
    return part;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getRank() == 0)
    return value;
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return createConstant(
        region.inside, value.getLoc(),
        splat.resizeSplat(cast<ShapedType>(region.partType(type))));
  inputFor(region, value);
  return region.values.lookup(value);
}

void ShardedUpdates::cloneOp(Region &region, Operation *op) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return partOf(region, value); });
  SmallVector<Type> types = llvm::map_to_vector(
      op->getResultTypes(), [&](Type type) { return region.partType(type); });
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *clone = region.inside.create(state);
  region.values.map(op->getResults(), clone->getResults());
}

/// Makes the region replace the variables to which results of `op` are
/// assigned.
void ShardedUpdates::yieldUpdates(Region &region, Operation *op) {
  for (Value result : op->getResults())
    for (OpOperand &use : result.getUses()) {
      if (use.getOwner() != body.getTerminator())
        continue;
      auto updated = cast<FlatSymbolRefAttr>(updatedBy(step, use));
      region.joins.push_back(inputFor(region, argumentOf(step, updated)));
      region.kinds.push_back(variables.contains(updated.getAttr())
                                 ? "keep_in_place"
                                 : "gather_in_place");
      region.yielded.push_back(region.values.lookup(result));
      region.types.push_back(region.flat(result.getType()));
      region.assigned.push_back(&use);
    }
}

void ShardedUpdates::buildRegion(unsigned parts, const Ops &ops) {
  Region region(parts, body);
  SmallVector<Operation *> ordered(ops.begin(), ops.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Location> locations;
  for (Operation *op : ordered) {
    cloneOp(region, op);
    locations.push_back(op->getLoc());
  }
  for (Operation *op : ordered)
    yieldUpdates(region, op);
  Location loc = region.outside.getFusedLoc(locations);
  ResultOp::create(region.inside, loc, TypeRange(), region.yielded,
                   ArrayRef<NamedAttribute>());

  OpBuilder &builder = region.outside;
  SmallVector<int64_t> cuts(region.operands.size(), 0);
  Operation *made =
      createSliceRegion(builder, loc, region.operands, region.types, parts,
                        cuts, region.kinds, region.joins, region.block);
  for (auto [use, result] : llvm::zip(region.assigned, made->getResults()))
    use->set(reshaped(builder, use->get().getLoc(), result,
                      cast<RankedTensorType>(use->get().getType())));
  for (Operation *op : llvm::reverse(ordered))
    op->erase();
  scatterSums(made, parts);
}

/// Turns sums over the batch that only `region` reads into sums of which each
/// process has its part.
void ShardedUpdates::scatterSums(Operation *region, unsigned parts) {
  for (Value operand : region->getOperands()) {
    Operation *reader = region;
    if (auto reshape = operand.getDefiningOp<ReshapeOp>();
        reshape && operand.hasOneUse()) {
      operand = reshape.getInput();
      reader = reshape;
    }
    auto result = dyn_cast<OpResult>(operand);
    auto source =
        result ? dyn_cast<SliceRegionOp>(result.getOwner()) : SliceRegionOp();
    if (!source || !operand.hasOneUse() ||
        *operand.getUsers().begin() != reader)
      continue;
    unsigned index = result.getResultNumber();
    SmallVector<Attribute> kinds(source.getExchanges().getValue());
    int64_t bytes = elementsOf(operand.getType()) *
                    (getElementTypeOrSelf(operand).getIntOrFloatBitWidth() / 8);
    if (cast<StringAttr>(kinds[index]).getValue() != "sum" ||
        bytes < leastScatteredBytes)
      continue;
    Builder builder(source.getContext());
    kinds[index] = builder.getStringAttr("reduce_scatter");
    SmallVector<int64_t> joins(source.getJoins());
    joins[index] = parts;
    source.setExchangesAttr(builder.getArrayAttr(kinds));
    source.setJoins(joins);
    ++numScattered;
  }
}
