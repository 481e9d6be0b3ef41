//===- LowerControlFlowToSCF.cpp - Branches and loops over buffers --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Results of branches and loop-carried values of static shape are copied into
// buffers that are allocated before the branch or loop. Those of dynamic shape
// are passed on as new copies.
//
//===----------------------------------------------------------------------===//

#include "compiler/Lower/LowerSlices.h"
#include "compiler/Lower/Passes.h"

#include "dialects/Host/HostDialect.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERCONTROLFLOWTOSCFPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

static MemRefType bufferOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

static Value cast(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

static Value copied(OpBuilder &builder, Location loc, Value value) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  return bufferization::AllocTensorOp::create(builder, loc, type, ValueRange(),
                                              value);
}

namespace {

/// The buffers for values that a region passes to the code after it, or to the
/// next iteration. Each value of static shape has one buffer, allocated before
/// the branch or loop; a value of dynamic shape is yielded as a new buffer each
/// time.
class RegionResultBuffers {
public:
  RegionResultBuffers(ImplicitLocOpBuilder &builder, TypeRange types)
      : builder(builder), types(types) {
    for (Type type : types)
      buffers.push_back(isStatic(type)
                            ? Value(memref::AllocOp::create(
                                  builder, bufferOf(type),
                                  builder.getI64IntegerAttr(INGOT_ALIGNMENT)))
                            : Value());
  }

  /// Returns the types of the buffers that the region yields, one for each
  /// value of dynamic shape.
  SmallVector<Type> dynamicTypes() const {
    SmallVector<Type> dynamic;
    for (Type type : types)
      if (!isStatic(type))
        dynamic.push_back(bufferOf(type));
    return dynamic;
  }

  /// Copies each value of static shape to its buffer, unless `isKept` says that
  /// it is there already. Copies each value of dynamic shape to a new buffer.
  /// Returns these new buffers, which the region yields.
  SmallVector<Value> store(ValueRange values, ArrayRef<bool> isKept = {}) {
    SmallVector<Value> dynamic;
    for (auto [i, value] : llvm::enumerate(values)) {
      Location loc = builder.getLoc();
      Value typed = ::cast(builder, loc, value, types[i]);
      if (!isStatic(types[i]))
        dynamic.push_back(bufferization::ToBufferOp::create(
            builder, bufferOf(types[i]), copied(builder, loc, typed)));
      else if ((isKept.empty() || !isKept[i]) &&
               !typed.getDefiningOp<tensor::EmptyOp>())
        bufferization::MaterializeInDestinationOp::create(
            builder, TypeRange(), typed, buffers[i], /*restrict=*/true,
            /*writable=*/true);
    }
    return dynamic;
  }

  /// Returns all values as tensors. `dynamic` are the buffers that the region
  /// yielded for values of dynamic shape.
  SmallVector<Value> load(ValueRange dynamic) {
    SmallVector<Value> values;
    for (auto [type, buffer] : llvm::zip(types, buffers)) {
      Value from = buffer;
      if (!from) {
        from = dynamic.front();
        dynamic = dynamic.drop_front();
      }
      values.push_back(bufferization::ToTensorOp::create(
          builder, type, from, /*restrict=*/true, /*writable=*/false));
    }
    return values;
  }

private:
  static bool isStatic(Type type) {
    return mlir::cast<RankedTensorType>(type).hasStaticShape();
  }

  ImplicitLocOpBuilder &builder;
  SmallVector<Type> types;
  SmallVector<Value> buffers;
};

} // namespace

/// Moves the ops of `source`, except its terminator, to the end of `block`.
/// Returns the terminator, whose operands are the results of the block.
static Operation *moveBody(Block &source, Block *block) {
  Operation *end = source.getTerminator();
  block->getOperations().splice(block->end(), source.getOperations(),
                                source.begin(), end->getIterator());
  return end;
}

static Value conditionOf(OpBuilder &builder, Location loc, Value tensor) {
  return tensor::ExtractOp::create(builder, loc, tensor, ValueRange());
}

static void lowerIf(IfOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  RegionResultBuffers slots(builder, op.getResultTypes());
  Value condition = conditionOf(builder, op.getLoc(), op.getCondition());
  auto lowered = scf::IfOp::create(builder, slots.dynamicTypes(), condition,
                                   /*addThenBlock=*/true,
                                   /*addElseBlock=*/true);
  for (auto [from, to] : llvm::zip(op->getRegions(), lowered->getRegions())) {
    Block *block = &to.front();
    block->clear();
    Operation *end = moveBody(from.front(), block);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, slots.store(end->getOperands()));
  }
  builder.setInsertionPointAfter(lowered);
  op.replaceAllUsesWith(slots.load(lowered.getResults()));
  op.erase();
}

/// Stores the loop-carried values of the next iteration in their buffers
/// (`slots`). If the next value of one loop-carried value is the old value of
/// another one (as in a swap), that old value is copied first, because its
/// buffer may be overwritten before it is read.
static SmallVector<Value> storeNext(ImplicitLocOpBuilder &builder,
                                    RegionResultBuffers &slots,
                                    ValueRange values, ValueRange state) {
  DenseMap<Value, unsigned> placeOf;
  for (auto [i, value] : llvm::enumerate(state))
    placeOf[value] = i;
  SmallVector<Value> next;
  SmallVector<bool> isKept;
  for (auto [i, value] : llvm::enumerate(values)) {
    Value source = value;
    while (auto cast = source.getDefiningOp<tensor::CastOp>())
      source = cast.getSource();
    auto old = placeOf.find(source);
    isKept.push_back(old != placeOf.end() && old->second == i);
    next.push_back(old == placeOf.end() || isKept.back()
                       ? value
                       : copied(builder, builder.getLoc(), value));
  }
  return slots.store(next, isKept);
}

/// Whether an op in the loop updates loop-carried value `state` in place: a
/// launch that has it as a destination, or an insertion of a row into it.
static bool isAccumulator(Value state) {
  return llvm::any_of(state.getUses(), [](OpOperand &use) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner()))
      return insert.getDest() == use.get();
    auto launch = dyn_cast<host::LaunchOp>(use.getOwner());
    return launch && cast<DestinationStyleOpInterface>(launch.getOperation())
                         .isDpsInit(&use);
  });
}

static void lowerWhile(WhileOp op) {
  Location loc = op.getLoc();
  ImplicitLocOpBuilder builder(loc, op);
  Block &test = op.getTest().front(), &body = op.getBody().front();
  RegionResultBuffers slots(builder, body.getArgumentTypes());
  SmallVector<Value> inits = slots.store(op.getInits());
  SmallVector<Type> dynamic = slots.dynamicTypes();
  SmallVector<Location> locations(dynamic.size(), loc);
  auto lowered = scf::WhileOp::create(builder, dynamic, inits);
  Block *before =
      builder.createBlock(&lowered.getBefore(), {}, dynamic, locations);
  Block *after =
      builder.createBlock(&lowered.getAfter(), {}, dynamic, locations);

  builder.setInsertionPointToStart(before);
  for (auto [argument, value] :
       llvm::zip(test.getArguments(), slots.load(before->getArguments())))
    argument.replaceAllUsesWith(value);
  Operation *condition = moveBody(test, before);
  builder.setInsertionPointToEnd(before);
  scf::ConditionOp::create(builder,
                           conditionOf(builder, loc, condition->getOperand(0)),
                           before->getArguments());

  builder.setInsertionPointToStart(after);
  SmallVector<Value> state = slots.load(after->getArguments());
  for (auto [argument, value] : llvm::zip(body.getArguments(), state)) {
    if (isAccumulator(argument))
      value.getDefiningOp<bufferization::ToTensorOp>().setWritable(true);
    argument.replaceAllUsesWith(value);
  }
  Operation *end = moveBody(body, after);
  builder.setInsertionPointToEnd(after);
  scf::YieldOp::create(builder,
                       storeNext(builder, slots, end->getOperands(), state));

  builder.setInsertionPointAfter(lowered);
  for (auto [result, value] :
       llvm::zip(op.getResults(), slots.load(lowered.getResults())))
    result.replaceAllUsesWith(::cast(builder, loc, value, result.getType()));
  op.erase();
}

namespace {
struct LowerControlFlowToSCF
    : ::ingot::lower::impl::LowerControlFlowToSCFPassBase<
          LowerControlFlowToSCF> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<IfOp, WhileOp, SliceRegionOp>(op))
        ops.push_back(op);
    });
    unsigned numBuckets = 0;
    for (Operation *op : ops) {
      if (auto region = dyn_cast<SliceRegionOp>(op)) {
        numBuckets += ::ingot::lower::lowerSliceRegion(region, numBuckets);
        ++numSliceRegions;
      } else if (auto branches = dyn_cast<IfOp>(op)) {
        lowerIf(branches);
        ++numBranches;
      } else {
        lowerWhile(mlir::cast<WhileOp>(op));
        ++numLoops;
      }
    }
  }
};
} // namespace
