//===- InferShapes.cpp - Shape inference and folding ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/SumToShape.h"

#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ImageFileOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/StringOps.h"
#include "dialects/Ingot/IR/TensorArrayOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-infer-shapes"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::expandSumToShape;
using ::ingot::graph::replaceKeptShape;
using ::ingot::graph::replaceSumOverBroadcast;

/// Combines two types of one tensor: in the result, a dimension is static if it
/// is static in `current` or in `inferred`. Returns `current` if the types
/// contradict each other.
static Type refined(Type current, Type inferred) {
  auto tensor = dyn_cast<TensorType>(current);
  if (!tensor || !areCompatibleTypes(current, inferred))
    return current;
  if (isa<VariantType>(tensor.getElementType()))
    return refineItems(current, inferred);
  return getTensorType(
      refineShape(getTensorShape(current), getTensorShape(inferred)),
      tensor.getElementType());
}

/// Returns whether the elements of a vector of sizes are known.
static bool areKnown(Value vector) {
  std::optional<SmallVector<int64_t>> sizes = getPartialInts(vector);
  return sizes && llvm::none_of(*sizes, ShapedType::isDynamic);
}

/// Returns whether `folded` is the result of `op` only if sizes at run time are
/// valid. Such an op must not be folded before ingot-insert-shape-checks has
/// inserted the check of these sizes. One example is a reshape that folds to
/// its operand because the number of elements determines the result's type.
/// Another one is a broadcast_args that folds to a constant because each size
/// is known in one of the two shapes.
static bool needsCheck(Operation *op, OpFoldResult folded) {
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return isa<Value>(folded) &&
           !cast<ShapedType>(reshape.getType()).hasStaticShape() &&
           !areKnown(reshape.getShape());
  if (auto shapes = dyn_cast<BroadcastArgsOp>(op))
    return isa<Attribute>(folded) &&
           !(areKnown(shapes.getS0()) && areKnown(shapes.getS1()));
  return false;
}

/// Replaces `op` by the values or constants that it folds to. Returns false if
/// it does not fold.
static bool fold(Operation *op) {
  if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>())
    return false;
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(folded)) || folded.empty())
    return false;
  if (needsCheck(op, folded.front()))
    return false;
  OpBuilder builder(op);
  SmallVector<Value> values;
  for (auto [result, type] : llvm::zip(folded, op->getResultTypes())) {
    if (auto value = dyn_cast<Value>(result)) {
      values.push_back(value);
      continue;
    }
    auto elements = dyn_cast<ElementsAttr>(cast<Attribute>(result));
    if (!elements)
      return false;
    values.push_back(createConstant(builder, op->getLoc(), elements));
  }
  op->replaceAllUsesWith(values);
  op->erase();
  return true;
}

/// If `op` pops a tensor from a TF1 stack or inverts a permutation, and all
/// elements of its result are known at compile time, replaces the result by a
/// constant. Gradients of TF1's loops keep axes and permutations on stacks.
static void foldKnownResult(Operation *op) {
  if (!isa<StackPopOp, TensorScatterOp>(op) || op->use_empty())
    return;
  auto known = dyn_cast_or_null<ElementsAttr>(foldKnownInts(op->getResult(0)));
  if (!known)
    return;
  OpBuilder builder(op);
  op->getResult(0).replaceAllUsesWith(
      createConstant(builder, op->getLoc(), known));
}

static void inferTypes(Operation *op) {
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!inferable || failed(inferable.inferReturnTypes(
                        op->getContext(), op->getLoc(), op->getOperands(),
                        op->getDiscardableAttrDictionary(),
                        op->getPropertiesStorage(), op->getRegions(), types)))
    return;
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    result.setType(refined(result.getType(), type));
}

/// If `op` reshapes a file's numbers, which nothing else uses, to a constant
/// shape, gives the op that decodes them its number of elements. Large initial
/// values can then be read into their variables.
static void refineFileContents(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  auto decode =
      reshape ? reshape.getInput().getDefiningOp<DecodeRawOp>() : DecodeRawOp();
  if (!decode || !decode->hasOneUse() ||
      !decode.getInput().getDefiningOp<ReadFileOp>() ||
      !areKnown(reshape.getShape()))
    return;
  auto type = dyn_cast<RankedTensorType>(reshape.getType());
  if (type && type.hasStaticShape())
    decode->getResult(0).setType(refined(
        decode.getType(),
        RankedTensorType::get(type.getNumElements(), type.getElementType())));
}

static void refine(Region &region);

/// Refines the types in both branches of `op`. If the condition is constant,
/// replaces `op` by the ops of the branch that runs.
static void refineIf(IfOp op) {
  std::optional<int64_t> condition = getConstantInt(op.getCondition());
  if (condition) {
    Region &taken = *condition ? op.getThenBranch() : op.getElseBranch();
    refine(taken);
    Operation *end = taken.front().getTerminator();
    op.replaceAllUsesWith(end->getOperands());
    end->erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           taken.front().getOperations());
    op.erase();
    return;
  }
  refine(op.getThenBranch());
  refine(op.getElseBranch());
  TypeRange first =
      op.getThenBranch().front().getTerminator()->getOperandTypes();
  TypeRange second =
      op.getElseBranch().front().getTerminator()->getOperandTypes();
  for (auto [result, a, b] : llvm::zip(op.getResults(), first, second))
    if (Type joined = joinTypes(a, b))
      result.setType(refined(result.getType(), joined));
}

/// Replaces each loop-carried value that the body yields unchanged by its
/// initial value. Returns the loop without these loop-carried values.
static WhileOp dropInvariants(WhileOp op) {
  Block &test = op.getTest().front(), &body = op.getBody().front();
  Operation *end = body.getTerminator();
  SmallVector<Value> inits;
  SmallVector<Value> results;
  SmallVector<Type> types;
  llvm::BitVector dropped(op.getNumResults());
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    if (end->getOperand(i) == body.getArgument(i)) {
      dropped.set(i);
      test.getArgument(i).replaceAllUsesWith(init);
      body.getArgument(i).replaceAllUsesWith(init);
      op.getResult(i).replaceAllUsesWith(init);
      continue;
    }
    inits.push_back(init);
    types.push_back(op.getResult(i).getType());
    results.push_back(op.getResult(i));
  }
  if (dropped.none())
    return op;
  test.eraseArguments(dropped);
  body.eraseArguments(dropped);
  end->eraseOperands(dropped);
  Operation *rebuilt = rebuildWithRegions(op, inits, types);
  for (auto [from, to] : llvm::zip(results, rebuilt->getResults()))
    from.replaceAllUsesWith(to);
  op.erase();
  return cast<WhileOp>(rebuilt);
}

static void setStateTypes(WhileOp op, ArrayRef<Type> types) {
  for (auto [i, type] : llvm::enumerate(types)) {
    op.getTest().front().getArgument(i).setType(type);
    op.getBody().front().getArgument(i).setType(type);
  }
}

/// Returns the types of the loop-carried values: for each, the join of the
/// types of the initial value and of the value after each iteration. Inference
/// runs on clones of the loop, because a type that is assumed first may turn
/// out too narrow, and folds that relied on it must be undone.
static SmallVector<Type> stateTypes(WhileOp op) {
  // Trials clone a loop with its nested loops, and each nested loop is cloned
  // again for its own trials. `maxDepth` bounds this exponential growth.
  static constexpr unsigned maxTrials = 4, maxDepth = 3;
  static thread_local unsigned depth = 0;
  SmallVector<Type> current(op.getBody().front().getArgumentTypes());
  SmallVector<Type> types;
  for (auto [type, init] : llvm::zip(current, op.getInits()))
    types.push_back(refined(type, init.getType()));
  if (types == current || depth == maxDepth)
    return current;
  ++depth;
  // The types of a trial may be too narrow. This can cause inference errors
  // that are not errors of the user's graph, so do not report any.
  ScopedDiagnosticHandler silence(op.getContext(),
                                  [](Diagnostic &) { return success(); });
  bool isFixed = false;
  for (unsigned trial = 0; trial < maxTrials && !isFixed; ++trial) {
    auto copy = cast<WhileOp>(OpBuilder(op).clone(*op));
    setStateTypes(copy, types);
    refine(copy.getBody());
    isFixed = true;
    Operation *end = copy.getBody().front().getTerminator();
    for (auto [i, after] : llvm::enumerate(end->getOperandTypes())) {
      Type joined = joinTypes(types[i], refined(current[i], after));
      joined = joined ? refined(current[i], joined) : current[i];
      isFixed &= joined == types[i];
      types[i] = joined;
    }
    copy.erase();
  }
  --depth;
  LLVM_DEBUG(if (!isFixed) llvm::dbgs()
             << "the loop at " << op.getLoc()
             << " keeps its types: they change in each of " << maxTrials
             << " trials\n");
  return isFixed ? types : current;
}

static void refineWhile(WhileOp op) {
  op = dropInvariants(op);
  SmallVector<Type> types = stateTypes(op);
  setStateTypes(op, types);
  for (auto [result, type] : llvm::zip(op.getResults(), types))
    result.setType(refined(result.getType(), type));
  refine(op.getTest());
  refine(op.getBody());
}

static void refine(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block)) {
      // Update the result types before folding: folders such as that of the
      // shape op need static types.
      inferTypes(&op);
      refineFileContents(&op);
      if (fold(&op))
        continue;
      foldKnownResult(&op);
      if (auto sum = dyn_cast<SumOp>(op); sum && replaceSumOverBroadcast(sum))
        continue;
      if (auto stitch = dyn_cast<DynamicStitchOp>(op);
          stitch && replaceKeptShape(stitch))
        continue;
      if (auto sum = dyn_cast<SumToShapeOp>(op); sum && expandSumToShape(sum))
        continue;
      if (auto branches = dyn_cast<IfOp>(op)) {
        refineIf(branches);
      } else if (auto loop = dyn_cast<WhileOp>(op)) {
        refineWhile(loop);
      } else {
        for (Region &nested : op.getRegions())
          refine(nested);
      }
    }
}

/// Refines the element types of TF1 stacks and TensorArrays: each becomes the
/// join of the types of all values that are pushed onto the stack or written to
/// the array. These values are found through the users of the handle of the
/// stack or array. Returns whether any type changed.
static bool inferContents(Operation *root) {
  bool changed = false;
  root->walk([&](Operation *op) {
    if (!isa<TensorArrayOp, StackOp>(op))
      return;
    Value handle = op->getResult(0);
    Type items = NoneType::get(op->getContext());
    for (Operation *user : handle.getUsers())
      // Skip a push of the handle itself onto another stack: it does not affect
      // the element type of the stack that the handle refers to.
      if (auto push = dyn_cast<StackPushOp>(user);
          !push || push.getValue() != handle)
        items = joinItems(items, getItemsWritten(user, handle));
    Type type = refined(handle.getType(), getListType(op->getContext(), items));
    changed |= type != handle.getType();
    handle.setType(type);
  });
  return changed;
}

namespace {
struct InferShapes : ::ingot::graph::impl::InferShapesPassBase<InferShapes> {
  void runOnOperation() override {
    // An element read from one array may be written to another one, so refining
    // one type may refine further ones. `maxRounds` bounds the repetitions.
    static constexpr unsigned maxRounds = 8;
    for (unsigned round = 0; round < maxRounds; ++round) {
      ++numRounds;
      refine(getOperation().getBodyRegion());
      if (!inferContents(getOperation()))
        break;
    }
    // A function's result types may have been refined: update the type of each
    // dataset's function accordingly.
    getOperation().walk([](func::FuncOp function) {
      if (function.isExternal())
        return;
      Operation *terminator = function.getBody().front().getTerminator();
      function.setType(
          FunctionType::get(function.getContext(), function.getArgumentTypes(),
                            SmallVector<Type>(terminator->getOperandTypes())));
    });
  }
};
} // namespace
