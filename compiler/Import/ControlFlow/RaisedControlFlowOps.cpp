//===- RaisedControlFlowOps.cpp - Imports TF1's loops and branches --------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports `_Loop` and `_Branches` nodes (RaiseControlFlow.h) as `ingot.while`
// and `ingot.if`, whose regions contain the nodes of the loop or the branches.
// Loop-carried values become block arguments; all other values that enter by an
// Enter or a Switch are defined before the op, and the regions use them
// directly. Values that leave by an Exit or a Merge become results.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/ControlFlow/ControlFlow.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/CastOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// Imports the loop of a `_Loop` node as an `ingot.while`.
class LoopImport {
public:
  LoopImport(NodeImport &node)
      : node(node), outer(node.body), graph(outer.graph),
        loop(graph.raised().loops.find(node.index)->second) {}

  void run() {
    findState();
    SmallVector<Value> inits, results;
    for (const RaisedLoop::LoopVariable *variable : state) {
      Value init = outer.current(graph[variable->enter].inputs[0], node.loc);
      // `ingot.while` needs a tensor as the initial value of a loop-carried
      // value, and a next value, which is the input of a NextIteration.
      if (!init || variable->next < 0)
        return node.unsupported("loop-carried value '" +
                                graph.qualifiedName(variable->merge) +
                                "' is not a tensor");
      inits.push_back(init);
    }
    auto test = [&](Block &block) { return importTest(block); };
    auto body = [&](Block &block, SmallVectorImpl<Value> &next) {
      return importBody(block, next);
    };
    if (!importWhile(node, inits, test, body, results))
      return;
    for (auto [variable, result] : llvm::zip(state, results))
      node.setOutput(variable - loop.variables.begin(), result);
  }

private:
  /// Sets `state` to the loop variables on which the condition or a needed Exit
  /// depends. The other loop variables are not imported, and neither are nodes
  /// that only they need.
  void findState() {
    Feeds feeds;
    for (int enter : loop.enters)
      for (int port : {-1, 0})
        feeds.insert({enter, port});
    SmallVector<int> roots = {loop.condition};
    for (const RaisedLoop::LoopVariable &variable : loop.variables)
      if (llvm::any_of(variable.exits,
                       [&](int exit) { return outer.isNeeded(exit); }))
        roots.push_back(variable.merge);
    llvm::DenseSet<int> needed = reach(graph, roots, feeds);
    for (const RaisedLoop::LoopVariable &variable : loop.variables)
      if (needed.contains(variable.merge))
        state.push_back(&variable);
  }

  /// `inside` imports the loop's body or condition into `block`. Gives `inside`
  /// the values of the loop's Merges and Enters: a Merge of a loop-carried
  /// value in `state` is an argument of `block`, and an Enter has the value of
  /// its input outside of the loop (`outer`).
  void enter(BlockImport &inside, Block &block) {
    for (int enter : loop.enters) {
      inside.feed({enter, 0},
                  outer.currentArgument(graph[enter].inputs[0], node.loc));
      inside.markRun(enter);
    }
    for (auto [variable, value] : llvm::zip(state, block.getArguments())) {
      inside.feed({variable->merge, 0}, Value(value));
      inside.markRun(variable->merge);
    }
  }

  Value importTest(Block &block) {
    BlockImport inside(outer.program, graph, block, outer.problems);
    enter(inside, block);
    Output condition = graph[loop.condition].inputs[0];
    if (!inside.value(condition))
      inside.import(condition.first);
    Value value = inside.current(condition, node.loc);
    if (!value || inside.hasFailed())
      return {};
    return toCondition(node, value);
  }

  bool importBody(Block &block, SmallVectorImpl<Value> &next) {
    BlockImport inside(outer.program, graph, block, outer.problems);
    enter(inside, block);
    inside.markRun(loop.condition);
    for (auto [variable, value] : llvm::zip(state, block.getArguments()))
      if (variable->switchNode >= 0) {
        inside.feed({variable->switchNode, 1}, Value(value));
        inside.markRun(variable->switchNode);
      }
    SmallVector<int> targets;
    for (const RaisedLoop::LoopVariable *variable : state) {
      const Graph::Node &last = graph[variable->next];
      if (last.inputs.size() == 1 && !inside.value(last.inputs[0]))
        targets.push_back(last.inputs[0].first);
      llvm::append_range(targets, last.controls);
    }
    inside.import(targets);
    if (inside.hasFailed())
      return false;
    for (const RaisedLoop::LoopVariable *variable : state) {
      const Graph::Node &last = graph[variable->next];
      next.push_back(last.inputs.size() == 1
                         ? inside.current(last.inputs[0], node.loc)
                         : Value());
      if (!next.back()) {
        node.malformed("the input of NextIteration '" +
                       graph.qualifiedName(variable->next) +
                       "' is not a tensor");
        return false;
      }
    }
    return true;
  }

  NodeImport &node;
  BlockImport &outer;
  const Graph &graph;
  const RaisedLoop &loop;
  SmallVector<const RaisedLoop::LoopVariable *> state;
};

} // namespace

static void importLoop(NodeImport &node) { LoopImport(node).run(); }

static void importBranches(NodeImport &node) {
  BlockImport &outer = node.body;
  const Graph &graph = outer.graph;
  const RaisedConditional &branches =
      graph.raised().branches.find(node.index)->second;
  Value condition = node.tensor(0);
  if (condition)
    condition = toCondition(node, condition);
  if (!condition)
    return node.fail();
  auto isAsked = [&](size_t passed) {
    int port = static_cast<int>(branches.merges.size() + passed);
    return outer.isWanted({node.index, port}) ||
           llvm::any_of(branches.passed[passed].users,
                        [&](int user) { return outer.isNeeded(user); });
  };
  auto importSide = [&](bool side, Block &block,
                        SmallVectorImpl<ImportedNodeOutput> &results) {
    BlockImport inside(outer.program, graph, block, outer.problems);
    for (int entry : branches.switches) {
      inside.feed({entry, side},
                  outer.currentArgument(graph[entry].inputs[0], node.loc));
      inside.markRun(entry);
    }
    for (Output output : branches.captured)
      inside.feed(output, outer.currentArgument(output, node.loc));
    for (const RaisedConditional::EarlierConditionalOutput &taken :
         branches.taken)
      inside.feed(taken.output, outer.argument(taken.from));
    for (const SmallVector<int> *nodes : {&branches.awaited, &branches.ran})
      for (int run : *nodes)
        inside.markRun(run);
    SmallVector<int> targets(branches.targets[side]);
    for (const RaisedConditional::RaisedMerge &merge : branches.merges)
      if (outer.isNeeded(merge.node) && !inside.isFed(merge.values[side]) &&
          !llvm::is_contained(branches.switches, merge.values[side].first))
        targets.push_back(merge.values[side].first);
    for (auto [i, passed] : llvm::enumerate(branches.passed))
      if (passed.side == side && isAsked(i)) {
        inside.want(passed.output);
        targets.push_back(passed.output.first);
      }
    inside.import(targets);
    if (inside.hasFailed())
      return false;
    for (const RaisedConditional::RaisedMerge &merge : branches.merges)
      if (outer.isNeeded(merge.node))
        results.push_back(inside.argument(merge.values[side]));
    for (auto [i, passed] : llvm::enumerate(branches.passed))
      if (isAsked(i))
        results.push_back(passed.side == side ? inside.argument(passed.output)
                                              : ImportedNodeOutput());
    return true;
  };
  auto taken = [&](Block &block, SmallVectorImpl<ImportedNodeOutput> &results) {
    return importSide(true, block, results);
  };
  auto other = [&](Block &block, SmallVectorImpl<ImportedNodeOutput> &results) {
    return importSide(false, block, results);
  };
  SmallVector<ImportedNodeOutput> results;
  if (!importIf(node, condition, taken, other, results))
    return;
  unsigned next = 0;
  for (auto [port, merge] : llvm::enumerate(branches.merges))
    if (outer.isNeeded(merge.node))
      node.setOutput(port, results[next++]);
  for (size_t i = 0; i < branches.passed.size(); ++i)
    if (isAsked(i))
      node.setOutput(branches.merges.size() + i, results[next++]);
}

/// Imports a Merge of branches that a `_Branches` node represents. Output 0 is
/// a result of this node. Output 1, the index of the input that the Merge
/// forwards, is the predicate as an integer.
static void importMerge(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  if (node.body.graph[node.node.inputs[0].first].op() != "_Branches")
    return node.unsupported("a Merge whose inputs do not come from a Switch");
  node.setOutput(0, node.body.argument(node.node.inputs[0]));
  Value predicate = node.body.value(node.node.inputs[1]);
  if (!predicate)
    return;
  auto i32 = TypeAttr::get(node.body.builder.getI32Type());
  if (Operation *index =
          node.create<CastOp>({predicate}, {node.named("dst", i32)}))
    node.setOutput(1, index->getResult(0));
}

static void importExit(NodeImport &node) {
  const Graph &graph = node.body.graph;
  const auto &waiting = graph.raised().exitsThatWait;
  if (auto found = waiting.find(node.index); found != waiting.end())
    return node.unsupported("its value is dead in TensorFlow, as it " +
                            whyExitIsDead(graph, node.index));
  if (!node.expectInputs(1))
    return;
  if (graph[node.node.inputs[0].first].op() != "_Loop")
    return node.unsupported(
        "the loop lacks a Switch, LoopCond or NextIteration");
  if (Value value = node.tensor(0))
    node.setOutput(0, value);
}

static void importStray(NodeImport &node) {
  node.unsupported("not part of a branch that ends in a Merge, or of a loop "
                   "that ends in an Exit");
}

/// Handles a Switch that belongs to no recognized loop or branch. Other nodes
/// may have a control dependency on it, as in gradients of a Merge. For that no
/// op is needed, as the Switch's own inputs are imported in any case. Records a
/// problem if an entry needs the value of the Switch.
static void importSwitch(NodeImport &node) {
  if (node.body.isRead(node.index))
    importStray(node);
}

static void importNothing(NodeImport &) {}

void addRaisedControlFlowOps(OpTable &table) {
  table["_Loop"] = {Effect::Called, importLoop};
  table["_Branches"] = {Effect::Called, importBranches};
  for (std::string prefix : {"", "Ref"}) {
    table[prefix + "Merge"] = {Effect::Pure, importMerge};
    table[prefix + "Exit"] = {Effect::Pure, importExit};
    table[prefix + "Switch"] = {Effect::Pure, importSwitch};
    for (StringRef op : {"Enter", "NextIteration"})
      table[prefix + op.str()] = {Effect::Pure, importStray};
  }
  table["LoopCond"] = {Effect::Pure, importStray};
  for (StringRef op : {"ControlTrigger", "_Dead"})
    table[op] = {Effect::Pure, importNothing};
  for (StringRef op : {"Merge", "RefMerge"})
    table[op].outputs = {"output", "value_index"};
  for (StringRef op : {"Switch", "RefSwitch"})
    table[op].outputs = {"output_false", "output_true"};
}

} // namespace ingot::importer
