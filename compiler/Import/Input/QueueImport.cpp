//===- QueueImport.cpp - Imports queues and their runners -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Input/QueueImport.h"

#include "compiler/Import/Graph/NodeAttributes.h"
#include "compiler/Import/Input/QueuePipelineBuilder.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/QueueOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

void ImportedQueues::import(Program &program) {
  graph.find(program);
  llvm::DenseSet<int> unused;
  for (Output tensor : fed)
    unused.insert(graph.queueOf(tensor.first));
  for (const std::vector<int> &pipeline : graph.pipelines()) {
    if (llvm::any_of(pipeline,
                     [&](int queue) { return unused.contains(queue); })) {
      graph.refuse(
          pipeline,
          "elements of this queue, or of a queue connected to it, are fed");
      continue;
    }
    QueuePipelineBuilder builder(program, graph);
    if (builder.build(pipeline, -1)) {
      queues.merge(builder.found);
      readers.merge(builder.readers);
    } else {
      graph.refuse(pipeline, builder.error);
    }
  }
  for (const UpdatingRunner &runner : program.updatingRunners.all())
    add(program, runner.queue, runner.enqueue);
}

void ImportedQueues::add(Program &program, int node, int enqueue) {
  if (queue(node) || !isQueue(program.graph[node].op()) ||
      !graph.runnersOf(node).empty())
    return;
  QueuePipelineBuilder builder(program, graph);
  if (!builder.build({node}, enqueue)) {
    graph.refuse({node}, builder.error);
    return;
  }
  queues.merge(builder.found);
  readers.merge(builder.readers);
}

const ImportedQueues::QueueOrReader *ImportedQueues::queue(int queue) const {
  auto found = queues.find(queue);
  return found == queues.end() ? nullptr : &found->second;
}

const ImportedQueues::QueueOrReader *ImportedQueues::reader(int reader,
                                                            int queue) const {
  auto found = readers.find({reader, queue});
  return found == readers.end() ? nullptr : &found->second;
}

// Returns the container and the shared_name of the staging area that a node
// uses, as "container/name"; "" if the node has no shared_name.
static std::string areaOf(const proto::NodeDef &node) {
  NodeAttributes attributes(node);
  std::string name = attributes.getString("shared_name", "");
  return name.empty() ? name
                      : attributes.getString("container", "") + "/" + name;
}

void ImportedQueues::addArea(Program &program, int stage) {
  std::string name = areaOf(*program.graph[stage].def);
  if (name.empty() || areas.count(name))
    return;
  QueuePipelineBuilder builder(program, graph);
  QueueOrReader area;
  if (builder.buildArea(stage, area))
    areas[name] = area;
}

const ImportedQueues::QueueOrReader *
ImportedQueues::addStore(Program &program, int node, const std::string &name,
                         ArrayRef<Type> components) {
  auto [found, isNew] = stores.try_emplace(name);
  if (isNew &&
      !QueuePipelineBuilder(program, graph)
           .buildStore(node, "FIFOQueue", components, -1, found->second))
    found->second = {};
  return found->second.iterator ? &found->second : nullptr;
}

const ImportedQueues::QueueOrReader *
ImportedQueues::area(const proto::NodeDef &node) const {
  auto found = areas.find(areaOf(node));
  return found == areas.end() ? nullptr : &found->second;
}

bool ImportedQueues::isRun(const Program &program, int node) const {
  if (program.graph[node].op() == "Unstage")
    return area(*program.graph[node].def);
  int reader = graph.readerOf(node), names = graph.queueOf(node);
  return reader >= 0 ? this->reader(reader, names) : queue(names);
}

std::string ImportedQueues::reason(int node) const {
  return graph.reason(graph.queueOf(node));
}

void ImportedQueues::eraseUnused(ModuleOp module) {
  llvm::DenseSet<Attribute> used;
  module.walk([&](Operation *op) {
    if (op->getParentOfType<IteratorOp>())
      return;
    if (auto symbol = op->getAttrOfType<FlatSymbolRefAttr>("iterator"))
      used.insert(symbol);
  });
  for (auto iterator :
       llvm::make_early_inc_range(module.getOps<IteratorOp>())) {
    auto yield = cast<YieldOp>(iterator.getBody().front().getTerminator());
    if (!yield.getDataset().getDefiningOp<QueuesDatasetOp>() ||
        used.contains(FlatSymbolRefAttr::get(iterator.getSymNameAttr())))
      continue;
    SmallVector<Operation *> functions;
    iterator.walk([&](QueueRunnerDatasetOp runner) {
      if (Operation *function =
              SymbolTable::lookupSymbolIn(module, runner.getFunctionAttr()))
        functions.push_back(function);
    });
    iterator.erase();
    for (Operation *function : functions)
      function->erase();
  }
}

} // namespace ingot::importer
