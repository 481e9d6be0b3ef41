//===- QueueGraph.cpp - Which nodes fill which queues ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Input/QueueGraph.h"

#include "compiler/Import/Program.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace ingot::importer {

StringRef withoutVersion(StringRef op) {
  op.consume_back("V2");
  return op;
}

bool isQueue(StringRef op) {
  return StringSwitch<bool>(withoutVersion(op))
      .Cases({"FIFOQueue", "RandomShuffleQueue"}, true)
      .Cases({"PaddingFIFOQueue", "PriorityQueue"}, true)
      .Default(false);
}

bool isReader(StringRef op) {
  return StringSwitch<bool>(withoutVersion(op))
      .Cases({"TFRecordReader", "TextLineReader"}, true)
      .Cases({"FixedLengthRecordReader", "WholeFileReader"}, true)
      .Case("IdentityReader", true)
      .Default(false);
}

bool isDequeue(StringRef op) {
  return StringSwitch<bool>(withoutVersion(op))
      .Cases({"QueueDequeue", "QueueDequeueMany", "QueueDequeueUpTo"}, true)
      .Cases({"ReaderRead", "ReaderReadUpTo", "Unstage"}, true)
      .Default(false);
}

static bool isCounter(StringRef op) {
  return op == "CountUpTo" || op == "ResourceCountUpTo";
}

int QueueGraph::queueOf(int node) const {
  StringRef op = withoutVersion((*graph)[node].op());
  const auto &inputs = (*graph)[node].inputs;
  size_t input = op.starts_with("ReaderRead") ? 1 : 0;
  if (!isDequeue(op) || op == "Unstage" || inputs.size() <= input)
    return -1;
  return graph->skipIdentities(inputs[input]).first;
}

int QueueGraph::readerOf(int node) const {
  StringRef op = withoutVersion((*graph)[node].op());
  return op.starts_with("ReaderRead") && !(*graph)[node].inputs.empty()
             ? graph->skipIdentities((*graph)[node].inputs[0]).first
             : -1;
}

// Returns the enqueue op in the true branch of the tf.cond whose result is the
// Merge node `merge`. Returns -1 if there is none. Also returns -1 if the
// branches contain other ops besides Identity and NoOp, because the program
// would run only the enqueue op.
static int enqueueOfBranch(const Graph &nodes, int merge) {
  auto raised = nodes.raised().branches.find(nodes[merge].inputs[0].first);
  if (raised == nodes.raised().branches.end())
    return -1;
  int found = -1;
  for (const RaisedConditional::RaisedMerge &end : raised->second.merges) {
    if (end.node != merge)
      continue;
    for (bool side : {false, true}) {
      SmallVector<int> worklist = {end.values[side].first};
      DenseSet<int> seen(worklist.begin(), worklist.end());
      while (!worklist.empty()) {
        int node = worklist.pop_back_val();
        StringRef op = nodes[node].op();
        if (isControlOp(op, "Switch"))
          continue;
        if (side && found < 0 && op.starts_with("QueueEnqueue"))
          found = node;
        else if (op != "Identity" && op != "NoOp")
          return -1;
        for (int control : nodes[node].controls)
          if (seen.insert(control).second)
            worklist.push_back(control);
        for (Output input : nodes[node].inputs)
          if (seen.insert(input.first).second)
            worklist.push_back(input.first);
      }
    }
  }
  return found;
}

// For an enqueue op in the true branch of a tf.cond: sets the runner's `gate`
// to the predicate, and replaces each tensor in `inputs`, which is an output of
// a Switch, by the Switch's input. Sets the runner's `reason` if a tensor is
// computed in the branch, or if the Switches have different predicates.
void QueueGraph::leaveBranch(QueueRunnerEnqueueOp &runner) {
  const Graph &nodes = *graph;
  for (Output &input : runner.inputs) {
    auto [node, port] = nodes.skipIdentities(input);
    bool isSwitch = isControlOp(nodes[node].op(), "Switch");
    if (!isSwitch || nodes[node].inputs.size() != 2 || port != 1) {
      runner.reason = "'" + nodes.qualifiedName(runner.node) + "' enqueues '" +
                      nodes.nameOf(input) +
                      (isSwitch ? "', which belongs to the false branch"
                                : "', which is computed in a branch of a "
                                  "tf.cond; compute it before the tf.cond");
      return;
    }
    Output predicate = nodes.skipIdentities(nodes[node].inputs[1]);
    if (runner.gate && *runner.gate != predicate) {
      runner.reason = "'" + nodes.qualifiedName(runner.node) +
                      "' depends on several predicates, as in nested "
                      "tf.conds; one tf.cond is supported";
      return;
    }
    runner.gate = predicate;
    input = nodes[node].inputs[0];
  }
}

// Finds the enqueue op that the QueueRunner lists under `name`, and the tensors
// that the op enqueues. Sets the runner's `reason` if `name` does not name an
// enqueue op that the program can execute.
void QueueGraph::findEnqueue(QueueRunnerEnqueueOp &runner, StringRef name) {
  const Graph &nodes = *graph;
  std::optional<Output> named = nodes.findTensor(name);
  runner.node = named ? named->first : -1;
  bool isGated = named && isControlOp(nodes[runner.node].op(), "Merge") &&
                 !nodes[runner.node].inputs.empty();
  if (isGated)
    runner.node = enqueueOfBranch(nodes, runner.node);
  StringRef op =
      runner.node >= 0 ? withoutVersion(nodes[runner.node].op()) : "";
  runner.many = op == "QueueEnqueueMany";
  if (op != "QueueEnqueue" && !runner.many) {
    runner.reason = "'" + name.str() + "' is not an enqueue op" +
                    (isGated ? ", nor a tf.cond that does nothing else" : "");
    return;
  }
  runner.inputs.assign(nodes[runner.node].inputs);
  if (isGated)
    leaveBranch(runner);
  if (runner.reason.empty() &&
      (runner.inputs.empty() ||
       nodes.skipIdentities(runner.inputs[0]).first != runner.queue))
    runner.reason = "'" + name.str() + "' does not enqueue into '" +
                    nodes.qualifiedName(runner.queue) + "'";
  if (!runner.inputs.empty())
    runner.inputs.erase(runner.inputs.begin());
}

// Finds the `sources` of a runner, the nodes by which its enqueue op takes
// elements from queues or readers, by following the op's inputs backward. If
// the enqueue op depends on a placeholder or on a node that writes a variable,
// the program cannot run it: sets the runner's `reason`.
void QueueGraph::findSources(QueueRunnerEnqueueOp &runner) {
  const Graph &nodes = *graph;
  SmallVector<int> worklist;
  DenseSet<int> seen;
  auto push = [&](int node) {
    if (seen.insert(node).second)
      worklist.push_back(node);
  };
  for (Output input : runner.inputs)
    push(input.first);
  if (runner.gate)
    push(runner.gate->first);
  else
    for_each(nodes[runner.node].controls, push);
  while (!worklist.empty()) {
    int node = worklist.pop_back_val();
    StringRef op = nodes[node].op();
    for_each(nodes[node].controls, push);
    if (isDequeue(op) || isCounter(op)) {
      runner.sources.push_back(node);
      continue;
    }
    std::string name = "'" + nodes.qualifiedName(node) + "'";
    if (op == "Placeholder")
      runner.reason = name + " is fed by a Python program";
    else if (const_cast<Program *>(program)->effectOf(nodes, node) ==
             Effect::Writes)
      runner.reason = name + " (" + op.str() + ") changes a variable";
    for (Output input : nodes[node].inputs)
      push(input.first);
  }
  sort(runner.sources);
}

std::vector<proto::QueueRunnerDef>
getQueueRunners(const proto::MetaGraphDef &source) {
  std::vector<proto::QueueRunnerDef> runners;
  auto collection = source.collection_def().find("queue_runners");
  if (collection == source.collection_def().end())
    return runners;
  for (const std::string &bytes : collection->second.bytes_list().value())
    if (proto::QueueRunnerDef runner; runner.ParseFromString(bytes))
      runners.push_back(std::move(runner));
  return runners;
}

// Returns the names without duplicates: a QueueRunner lists an enqueue op once
// for each of its threads.
template <typename Names>
static SmallVector<std::string> getDistinct(const Names &names) {
  SmallVector<std::string> distinct;
  for (const std::string &name : names)
    if (!is_contained(distinct, name))
      distinct.push_back(name);
  return distinct;
}

void QueueGraph::find(const Program &theProgram) {
  program = &theProgram;
  graph = &program->graph;
  for (const auto &[group, def] : enumerate(getQueueRunners(program->source)))
    for (const std::string &name : getDistinct(def.enqueue_op_name())) {
      std::optional<Output> queue = graph->findTensor(def.queue_name());
      if (!queue || !isQueue((*graph)[queue->first].op()))
        continue;
      std::optional<Output> named = graph->findTensor(name);
      if (named && program->updatingRunners.isTarget(named->first))
        continue;
      QueueRunnerEnqueueOp runner;
      runner.queue = queue->first;
      runner.group = static_cast<int64_t>(group);
      findEnqueue(runner, name);
      if (runner.reason.empty())
        findSources(runner);
      theRunners.push_back(std::move(runner));
    }
  settle();
}

std::vector<size_t> QueueGraph::runnersOf(int queue) const {
  std::vector<size_t> indices;
  for (auto [index, runner] : enumerate(theRunners))
    if (runner.queue == queue)
      indices.push_back(index);
  return indices;
}

// Finds the queues that the program can fill itself: it must be able to execute
// the enqueue ops of all runners of the queue, and to fill all queues from
// which these runners take elements.
void QueueGraph::settle() {
  for (const QueueRunnerEnqueueOp &runner : theRunners)
    run[runner.queue] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (const QueueRunnerEnqueueOp &runner : theRunners) {
      std::string why = runner.reason;
      for (int source : runner.sources) {
        if (isCounter((*graph)[source].op()))
          continue;
        int queue = queueOf(source);
        if (why.empty() && !run.count(queue))
          why = queue < 0 ? "'" + graph->qualifiedName(source) +
                                "' takes from no queue"
                          : "'" + graph->qualifiedName(queue) +
                                "', from which it is filled, is not run";
      }
      if (why.empty() || !run.count(runner.queue))
        continue;
      refuse(runner.queue, why);
      changed = true;
    }
  }
}

void QueueGraph::refuse(ArrayRef<int> queues, StringRef reason) {
  for (int queue : queues) {
    run.erase(queue);
    reasons.try_emplace(queue, reason.str());
  }
}

std::string QueueGraph::reason(int queue) const {
  auto found = reasons.find(queue);
  return found == reasons.end() ? "no QueueRunner fills it" : found->second;
}

std::vector<std::vector<int>> QueueGraph::pipelines() const {
  EquivalenceClasses<int> joined;
  for (auto [queue, isRun] : run)
    joined.insert(queue);
  for (const QueueRunnerEnqueueOp &runner : theRunners)
    for (int source : runner.sources)
      if (int queue = queueOf(source);
          run.count(queue) && run.count(runner.queue))
        joined.unionSets(queue, runner.queue);
  std::map<int, std::vector<int>> byLeader;
  for (auto [queue, isRun] : run)
    byLeader[joined.getLeaderValue(queue)].push_back(queue);
  std::vector<std::vector<int>> pipelines;
  for (auto &[leader, queues] : byLeader)
    pipelines.push_back(std::move(queues));
  sort(pipelines);
  return pipelines;
}

} // namespace ingot::importer
