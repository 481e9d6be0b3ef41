//===- RunUpdatingRunners.cpp - Steps that run queue runners --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ControlFlow/ControlFlow.h"
#include "compiler/Import/Input/Accumulators.h"
#include "compiler/Import/Input/UpdatingRunners.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

void UpdatingRunners::keepState(EntryOp localInit) const {
  localInit.walk([&](AssignOp assign) {
    if (stateSymbols.contains(assign.getVariableAttr()))
      assign.erase();
  });
}

// Returns whether one of `targets`, or a node that they depend on, applies
// gradients to the runner's accumulators or dequeues from its queue.
static bool usesRunner(const Graph &graph, const UpdatingRunner &runner,
                       ArrayRef<int> targets) {
  llvm::DenseSet<int> own;
  for (int take : runner.takes)
    own.insert(resourceOf(graph, take));
  return llvm::any_of(reach(graph, targets, {}), [&](int node) {
    StringRef op = graph[node].op();
    return (op.contains("AccumulatorApplyGradient") &&
            own.contains(resourceOf(graph, node))) ||
           (isDequeue(op) && resourceOf(graph, node) == runner.queue);
  });
}

void UpdatingRunners::start(BlockImport &body, ArrayRef<int> targets,
                            Location loc) const {
  Program &program = body.program;
  OpBuilder &builder = body.builder;
  auto scalar = RankedTensorType::get({}, builder.getI64Type());
  auto constant = [&](OpBuilder &at, int64_t value) {
    return createConstant(at, loc, DenseElementsAttr::get(scalar, value));
  };
  for (const UpdatingRunner &runner : runners) {
    if (runner.starts.empty() || !usesRunner(program.graph, runner, targets))
      continue;
    // The variable is 1 once the runner has been started, so that a run that
    // resumes from its own checkpoint does not start it again.
    VariableOp started = findOrCreateStateVariable(
        program,
        "ingot/queue_runner/" + program.graph.qualifiedName(runner.queue) +
            "/started",
        scalar);
    Value starts = ReadOp::create(builder, loc, scalar, started.getSymName());
    Value isFirst = createInferred(builder, loc, EqualOp::getOperationName(),
                                   {starts, constant(builder, 0)}, {})
                        ->getResult(0);
    auto branch = IfOp::create(builder, loc, TypeRange(), isFirst);
    Block &block = branch.getThenBranch().emplaceBlock();
    BlockImport inside(program, program.graph, block, body.problems);
    for (int node : runner.starts)
      inside.import(node);
    AssignOp::create(inside.builder, loc, started.getSymName(),
                     constant(inside.builder, 1));
    ResultOp::create(inside.builder, loc, ValueRange());
    BlockImport::eraseDead(block);
    OpBuilder other =
        OpBuilder::atBlockEnd(&branch.getElseBranch().emplaceBlock());
    ResultOp::create(other, loc, ValueRange());
  }
}

// Creates the test whether TensorFlow's runner could take from all of its
// accumulators. Returns null after a problem.
static Value createIsReady(NodeImport &node, const UpdatingRunner &runner) {
  const Graph &graph = node.body.program.graph;
  // A run of the runner is a run of its own in TensorFlow, which shares no
  // values with the step.
  BlockImport own(node.body.program, graph, *node.body.builder.getBlock(),
                  node.body.problems);
  Value ready;
  for (int index : runner.takes) {
    if (graph[index].inputs.size() != 2)
      continue;
    Output required = graph[index].inputs[1];
    own.import(required.first);
    Value count = own.current(required, node.loc);
    NodeImport take(own, index, *findOp(graph[index].op()));
    Value canTake = count ? createCanTake(take, count) : Value();
    if (!canTake || own.hasFailed())
      return {};
    ready = ready ? node.make<LogicalAndOp>({ready, canTake}) : canTake;
  }
  return ready;
}

void UpdatingRunners::takeTurns(NodeImport &node, int queue) const {
  BlockImport &outer = node.body;
  for (const UpdatingRunner &runner : runners) {
    if (runner.queue != queue)
      continue;
    Value ready = createIsReady(node, runner);
    if (!ready)
      return node.fail();
    auto runs = [&](Block &block, SmallVectorImpl<ImportedNodeOutput> &) {
      BlockImport inside(outer.program, outer.program.graph, block,
                         outer.problems);
      inside.import(runner.targets);
      return !inside.hasFailed();
    };
    auto waits = [](Block &, SmallVectorImpl<ImportedNodeOutput> &) {
      return true;
    };
    SmallVector<ImportedNodeOutput> none;
    if (!importIf(node, ready, runs, waits, none))
      return;
  }
}

} // namespace ingot::importer
