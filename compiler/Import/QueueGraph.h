//===- QueueGraph.h - Which nodes fill which queues -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the queues of a graph, what enqueues into them, and what that takes
// from other queues.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_QUEUEGRAPH_H
#define INGOT_COMPILER_IMPORT_QUEUEGRAPH_H

#include "compiler/Import/Graph.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ingot::importer {

class Program;

/// Returns whether an op makes a queue, makes a reader, or takes elements.
bool isQueue(llvm::StringRef op);
bool isReader(llvm::StringRef op);
bool isDequeue(llvm::StringRef op);

/// Returns an op's name as that of its first version: "QueueDequeue" for
/// "QueueDequeueV2".
llvm::StringRef withoutVersion(llvm::StringRef op);

class QueueGraph {
public:
  /// An enqueue op that a QueueRunner runs.
  struct Runner {
    int node = -1; // the enqueue op
    int queue = -1;
    int64_t group = 0; // the QueueRunner
    bool many = false;
    /// What the enqueue op is computed from, in the graph's order: nodes that
    /// take elements from queues or readers, or count up to a limit.
    std::vector<int> sources;
    /// Why the program cannot run it, or "".
    std::string reason;
  };

  /// Finds the queues and runners of the program's graph.
  void find(const Program &program);

  const std::vector<Runner> &runners() const { return theRunners; }
  /// Returns the runners of a queue, as indices.
  std::vector<size_t> runnersOf(int queue) const;
  /// Returns the queue, as a node, that node `node` takes elements from,
  /// directly or by a reader; -1 if it takes none.
  int queueOf(int node) const;
  /// Returns the reader of a ReaderRead node.
  int readerOf(int node) const;

  /// Returns the connected networks of queues that can be run, each as its
  /// queues in the graph's order.
  std::vector<std::vector<int>> networks() const;

  bool isRun(int queue) const { return run.count(queue); }
  /// Notes that the queues of a network are not run.
  void refuse(llvm::ArrayRef<int> queues, llvm::StringRef reason);
  std::string reason(int queue) const;

private:
  void findSources(Runner &runner);
  void settle();

  const Program *program = nullptr;
  const Graph *graph = nullptr;
  std::vector<Runner> theRunners;
  std::map<int, std::string> reasons; // of queues that are not run
  std::map<int, bool> run;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_QUEUEGRAPH_H
