//===- ForwardTensorListConstants.cpp - Forwards constants in TensorLists -===//
// SPDX-License-Identifier: Apache-2.0
//
// A loop pushes values that its gradient needs to TensorLists. Some of these
// values are shapes. If such a shape is static, each iteration pushes the same
// constant, which can replace the values that the gradient's loop pops.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ListOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_FORWARDTENSORLISTCONSTANTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-forward-tensor-list-constants"

using namespace mlir;
using namespace mlir::ingot;

/// The maximum number of elements of a constant that the pass forwards. Shapes
/// have fewer elements, so larger constants must be data.
static constexpr int64_t maxElements = 64;

/// Returns the elements of a constant that has at most `maxElements` of them;
/// null for other values.
static Attribute constantOf(Value value) {
  ElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) &&
                 elements.getNumElements() <= maxElements
             ? Attribute(elements)
             : Attribute();
}

namespace {

/// The constant that all elements of a TensorList are equal to, for each list
/// of a program. Computed by an optimistic fixpoint: each list starts as None
/// (no element yet), becomes Same when the first constant is pushed, and
/// becomes Any when a different or unknown value is pushed. A list never
/// changes back, so the iteration ends.
class TensorListConstantAnalysis {
public:
  explicit TensorListConstantAnalysis(ModuleOp program) {
    do {
      changes = false;
      program.walk([&](Operation *op) { visit(op); });
    } while (changes);
  }

  /// Returns the constant that every element of `list` is equal to; null if
  /// elements differ or are unknown.
  Attribute operator[](Value list) const {
    return factOf(list).kind == ConstantLatticeValue::Same
               ? factOf(list).constant
               : Attribute();
  }

private:
  struct ConstantLatticeValue {
    enum { None, Same, Any } kind = None;
    Attribute constant = {};

    bool operator==(const ConstantLatticeValue &) const = default;
  };

  static ConstantLatticeValue both(const ConstantLatticeValue &a,
                                   const ConstantLatticeValue &b) {
    if (a.kind == ConstantLatticeValue::None)
      return b;
    return b.kind == ConstantLatticeValue::None || a == b
               ? a
               : ConstantLatticeValue{ConstantLatticeValue::Any};
  }

  static ConstantLatticeValue of(Attribute constant) {
    return constant ? ConstantLatticeValue{ConstantLatticeValue::Same, constant}
                    : ConstantLatticeValue{ConstantLatticeValue::Any};
  }

  /// Returns what is known about the elements of `list`. A list that is an
  /// argument of an entry or function comes from outside of the program, so any
  /// element is possible.
  ConstantLatticeValue factOf(Value list) const {
    auto argument = dyn_cast<BlockArgument>(list);
    if (!isList(list) ||
        (argument && !isa<WhileOp>(argument.getOwner()->getParentOp())))
      return {ConstantLatticeValue::Any};
    return facts.lookup(list);
  }

  void note(Value list, const ConstantLatticeValue &fact) {
    ConstantLatticeValue &known = facts[list];
    ConstantLatticeValue next = both(known, fact);
    changes |= next != known;
    known = next;
  }

  void visit(Operation *op) {
    if (isa<TensorListEmptyOp>(op))
      return;
    if (auto push = dyn_cast<TensorListPushBackOp>(op))
      return note(push.getList(), both(factOf(push.getInput()),
                                       of(constantOf(push.getTensor()))));
    if (auto pop = dyn_cast<TensorListPopBackOp>(op)) {
      note(pop.getList(), factOf(pop.getInput()));
      // The popped element may itself be a TensorList. The pass does not track
      // elements of nested lists.
      return note(pop.getTensor(), {ConstantLatticeValue::Any});
    }
    for (OpResult result : op->getResults())
      if (isList(result))
        visitResult(result);
  }

  void visitResult(OpResult result) {
    unsigned index = result.getResultNumber();
    auto given = [&](Region &region) {
      return factOf(region.front().getTerminator()->getOperand(index));
    };
    if (auto branches = dyn_cast<IfOp>(result.getOwner()))
      return note(result, both(given(branches.getThenBranch()),
                               given(branches.getElseBranch())));
    auto loop = dyn_cast<WhileOp>(result.getOwner());
    if (!loop)
      return note(result, {ConstantLatticeValue::Any});
    ConstantLatticeValue state =
        both(factOf(loop.getInits()[index]), given(loop.getBody()));
    note(result, state);
    for (Region *region : {&loop.getTest(), &loop.getBody()})
      note(region->front().getArgument(index), state);
  }

  DenseMap<Value, ConstantLatticeValue> facts;
  bool changes = false;
};

struct ForwardTensorListConstants
    : ::ingot::graph::impl::ForwardTensorListConstantsPassBase<
          ForwardTensorListConstants> {
  void runOnOperation() override {
    bool keepsNumbers = false;
    getOperation().walk([&](TensorListPushBackOp push) {
      keepsNumbers |= getElementTypeOrSelf(push.getTensor()).isInteger();
    });
    // Forwarded constants make shapes static, and static shapes fold to further
    // constants. So infer shapes both before and after forwarding.
    if (keepsNumbers && succeeded(inferShapes()) && forward())
      (void)inferShapes();
  }

private:
  LogicalResult inferShapes() {
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(::ingot::graph::createInferShapesPass());
    if (succeeded(runPipeline(manager, getOperation())))
      return success();
    signalPassFailure();
    return failure();
  }

  bool forward() {
    TensorListConstantAnalysis items(getOperation());
    SmallVector<std::pair<TensorListPopBackOp, Attribute>> known;
    getOperation().walk([&](TensorListPopBackOp pop) {
      if (auto constant = dyn_cast_or_null<TypedAttr>(items[pop.getInput()]);
          constant && constant.getType() == pop.getTensor().getType())
        known.push_back({pop, constant});
    });
    for (auto [pop, constant] : known) {
      OpBuilder builder(pop);
      pop.getTensor().replaceAllUsesWith(
          createConstant(builder, pop.getLoc(), cast<ElementsAttr>(constant)));
      LLVM_DEBUG(llvm::dbgs() << "forward " << constant << " to the pop at "
                              << pop.getLoc() << '\n');
      ++numForwarded;
    }
    return !known.empty();
  }
};

} // namespace
