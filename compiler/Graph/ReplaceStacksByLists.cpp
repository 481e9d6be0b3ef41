//===- ReplaceStacksByLists.cpp - Stacks of counted loops as lists -------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/CountedStack.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ListOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_REPLACESTACKSBYLISTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-replace-stacks-by-lists"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::appendLoopState;
using ::ingot::graph::CountedStack;

/// Lets the loop of the pushes carry a list, which starts empty, and the loop
/// of the pops what is left of it.
static void replace(const CountedStack &counted) {
  StackOp stack = counted.stack;
  StackPushOp push = counted.push;
  StackPopOp pop = counted.pop;
  MLIRContext *context = stack.getContext();
  OpBuilder builder(stack);
  Location loc = stack.getLoc();
  // As an element's shape -1 says nothing, and as the most elements -1 is no
  // limit.
  Value any = createConstant(
      builder, loc,
      DenseIntElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                                int32_t(-1)));
  Type list = getListType(context, push.getValue().getType());
  NamedAttribute elements = builder.getNamedAttr(stack.getElementTypeAttrName(),
                                                 stack.getElementTypeAttr());
  Value empty = TensorListEmptyOp::create(
      builder, loc, TypeRange{getListType(context, NoneType::get(context))},
      ValueRange{any, any}, elements);

  WhileOp writer = appendLoopState(counted.writer.op, empty, list);
  Operation *end = writer.getBody().front().getTerminator();
  unsigned last = end->getNumOperands() - 1;
  builder.setInsertionPoint(push);
  end->setOperand(last, TensorListPushBackOp::create(
                            builder, push.getLoc(), TypeRange{list},
                            ValueRange{end->getOperand(last), push.getValue()},
                            ArrayRef<NamedAttribute>())
                            .getList());

  WhileOp reader =
      appendLoopState(counted.reader.op, writer->getResults().back(), list);
  end = reader.getBody().front().getTerminator();
  last = end->getNumOperands() - 1;
  builder.setInsertionPoint(pop);
  auto popped = TensorListPopBackOp::create(
      builder, pop.getLoc(), TypeRange{list, pop.getValue().getType()},
      ValueRange{end->getOperand(last), any}, elements);
  end->setOperand(last, popped.getList());
  pop.getValue().replaceAllUsesWith(popped.getTensor());
  pop.erase();
  push.erase();
  stack.erase();
}

namespace {
struct ReplaceStacksByLists
    : ::ingot::graph::impl::ReplaceStacksByListsPassBase<ReplaceStacksByLists> {
  void runOnOperation() override {
    SmallVector<StackOp> stacks;
    getOperation().walk([&](StackOp stack) { stacks.push_back(stack); });
    for (StackOp stack : stacks)
      if (std::optional<CountedStack> counted = CountedStack::of(stack)) {
        LLVM_DEBUG(llvm::dbgs() << "stack at " << stack.getLoc() << '\n');
        replace(*counted);
        ++numReplaced;
      }
  }
};
} // namespace
