//===- AddUpParts.cpp - Sums of parts, put into a tensor once -------------===//

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/ControlOps.h"
#include "dialects/Ingot/Folding.h"
#include "dialects/Ingot/IndexingOps.h"
#include "dialects/Ingot/MathOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

namespace ingot::graph {
#define GEN_PASS_DEF_ADDUPPARTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

static Value addUp(OpBuilder &builder, Location loc, ValueRange terms) {
  OperationState state(loc, AddNOp::getOperationName(), terms,
                       terms.front().getType());
  return builder.create(state)->getResult(0);
}

namespace {

/// Sums of one loop to which each iteration adds tensors that are zero but for
/// a part.
class SummedParts {
public:
  explicit SummedParts(WhileOp loop)
      : loop(loop), body(loop.getBody().front()) {}

  bool find() {
    for (unsigned state = 0; state < loop->getNumResults(); ++state)
      findIn(state);
    return !parts.empty();
  }

  void rewrite() {
    SmallVector<Value> inits(loop.getInits());
    SmallVector<Type> types(loop.getResultTypes());
    for (Part &part : parts)
      addState(part, inits, types);
    for (Part &part : parts)
      leaveOut(part);
    auto rebuilt = cast<WhileOp>(rebuildWithRegions(loop, inits, types));
    replaceResults(rebuilt);
    loop.erase();
  }

private:
  /// What is added to a state, in an op that puts it into zeros.
  struct Part {
    unsigned state;
    AddNOp sum;
    StridedSliceUpdateOp update;
  };

  void findIn(unsigned state) {
    auto sum = body.getTerminator()->getOperand(state).getDefiningOp<AddNOp>();
    BlockArgument old = body.getArgument(state);
    if (!sum || sum->getBlock() != &body || !sum->hasOneUse() ||
        !old.hasOneUse() || *old.user_begin() != sum ||
        !loop.getTest().front().getArgument(state).use_empty())
      return;
    for (Value term : sum.getInputs())
      if (auto update = term.getDefiningOp<StridedSliceUpdateOp>();
          update && isPart(update))
        parts.push_back({state, sum, update});
  }

  bool isPart(StridedSliceUpdateOp update) const {
    Attribute base;
    auto type = dyn_cast<RankedTensorType>(update.getValue().getType());
    return update->hasOneUse() && update->getBlock() == &body && type &&
           type.hasStaticShape() && isa<FloatType>(type.getElementType()) &&
           matchPattern(update.getInput(), m_Constant(&base)) &&
           isSplatOf(base, 0.0) &&
           llvm::all_of(update->getOperands(), [&](Value operand) {
             return operand == update.getValue() ||
                    !loop->isAncestor(operand.getParentBlock()->getParentOp());
           });
  }

  /// The part's own sum, which the loop begins with zeros.
  void addState(Part part, SmallVectorImpl<Value> &inits,
                SmallVectorImpl<Type> &types) {
    Value value = part.update.getValue();
    auto type = cast<RankedTensorType>(value.getType());
    Location loc = part.sum.getLoc();
    OpBuilder builder(loop);
    types.push_back(type);
    inits.push_back(
        createConstant(builder, loc,
                       DenseElementsAttr::get(
                           type, builder.getZeroAttr(type.getElementType()))));
    loop.getTest().front().addArgument(type, loc);
    Value old = body.addArgument(type, loc);
    Operation *end = body.getTerminator();
    builder.setInsertionPoint(end);
    Value next = addUp(builder, loc, {old, value});
    end->insertOperands(end->getNumOperands(), next);
  }

  void leaveOut(Part part) {
    for (auto [i, term] : llvm::enumerate(part.sum.getInputs()))
      if (term == part.update.getResult()) {
        part.sum->eraseOperand(i);
        return;
      }
  }

  void replaceResults(WhileOp rebuilt) {
    OpBuilder builder(rebuilt);
    builder.setInsertionPointAfter(rebuilt);
    unsigned numResults = loop->getNumResults();
    for (unsigned state = 0; state < numResults; ++state) {
      SmallVector<Value> terms = {rebuilt->getResult(state)};
      for (auto [i, part] : llvm::enumerate(parts)) {
        if (part.state != state)
          continue;
        Operation *update = builder.clone(*part.update);
        cast<StridedSliceUpdateOp>(update).getValueMutable().assign(
            rebuilt->getResult(numResults + i));
        terms.push_back(update->getResult(0));
      }
      Value total = terms.front();
      if (terms.size() > 1)
        total = addUp(builder, rebuilt.getLoc(), terms);
      loop->getResult(state).replaceAllUsesWith(total);
    }
    // A sum of nothing but the state is the state.
    llvm::SetVector<Operation *> sums;
    for (Part &part : parts) {
      part.update.erase();
      sums.insert(part.sum);
    }
    for (Operation *sum : sums)
      if (sum->getNumOperands() == 1) {
        sum->replaceAllUsesWith(sum->getOperands());
        sum->erase();
      }
  }

  WhileOp loop;
  Block &body;
  SmallVector<Part> parts;
};

struct AddUpParts : ::ingot::graph::impl::AddUpPartsPassBase<AddUpParts> {
  void runOnOperation() override {
    SmallVector<WhileOp> loops;
    getOperation().walk([&](WhileOp loop) { loops.push_back(loop); });
    for (WhileOp loop : loops)
      if (SummedParts sums(loop); sums.find())
        sums.rewrite();
  }
};

} // namespace
