//===- QueueGraph.h - Which nodes fill which queues -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the queues of a graph, the enqueue ops that fill them, and the other
// queues from which these ops take elements (docs/internals/queues.md).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INPUT_QUEUEGRAPH_H
#define INGOT_COMPILER_IMPORT_INPUT_QUEUEGRAPH_H

#include "compiler/Import/Graph/Graph.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/QueueRunner.pb.h"

namespace ingot::importer {

class Program;

/// Returns whether an op creates a queue (`isQueue`), creates a reader
/// (`isReader`), or takes elements from a queue, reader or staging area
/// (`isDequeue`).
bool isQueue(llvm::StringRef op);
bool isReader(llvm::StringRef op);
bool isDequeue(llvm::StringRef op);

/// Returns the name of the first version of an op, such as "QueueDequeue" for
/// "QueueDequeueV2".
llvm::StringRef withoutVersion(llvm::StringRef op);

/// Returns the QueueRunnerDefs of collection `queue_runners`, without those
/// that do not parse.
std::vector<proto::QueueRunnerDef>
getQueueRunners(const proto::MetaGraphDef &source);

class QueueGraph {
public:
  /// An enqueue op that a QueueRunner runs.
  struct QueueRunnerEnqueueOp {
    int node = -1; // the enqueue op
    int queue = -1;
    int64_t group = 0; // index of the QueueRunner that runs it
    bool many = false;
    /// The tensors that are enqueued.
    llvm::SmallVector<Output> inputs;
    /// The predicate of the tf.cond in whose true branch the enqueue op is, as
    /// in graphs of tf.train.maybe_batch. Unset if the enqueue op is not in a
    /// tf.cond.
    std::optional<Output> gate;
    /// The nodes that the enqueue op depends on and that take elements from
    /// queues or readers, or count up to a limit; in the graph's order.
    std::vector<int> sources;
    /// Why the program cannot run the enqueue op, or "".
    std::string reason;
  };

  /// Finds the queues and runners of the program's graph.
  void find(const Program &program);

  const std::vector<QueueRunnerEnqueueOp> &runners() const {
    return theRunners;
  }
  /// Returns the runners of a queue, as indices.
  std::vector<size_t> runnersOf(int queue) const;
  /// Returns the node of the queue that node `node` takes elements from,
  /// directly or through a reader; -1 if `node` takes none.
  int queueOf(int node) const;
  /// Returns the reader of a ReaderRead or ReaderReadUpTo node, else -1.
  int readerOf(int node) const;

  /// Returns the queues that the program can fill itself by executing the
  /// enqueue ops of their runners. They are divided into pipelines: two queues
  /// are in the same pipeline if runners connect them, directly or through
  /// other queues. The queues of a pipeline are in the graph's order.
  std::vector<std::vector<int>> pipelines() const;

  bool isRun(int queue) const { return run.count(queue); }
  /// Records that `queues`, a pipeline of connected queues, do not become part
  /// of the program, because of `reason`. Dequeues from them become feeds.
  void refuse(llvm::ArrayRef<int> queues, llvm::StringRef reason);
  std::string reason(int queue) const;

private:
  void findEnqueue(QueueRunnerEnqueueOp &runner, llvm::StringRef name);
  void leaveBranch(QueueRunnerEnqueueOp &runner);
  void findSources(QueueRunnerEnqueueOp &runner);
  void settle();

  const Program *program = nullptr;
  const Graph *graph = nullptr;
  std::vector<QueueRunnerEnqueueOp> theRunners;
  std::map<int, std::string> reasons; // keys: queues that cannot be run
  std::map<int, bool> run;            // keys: queues that can be run
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_QUEUEGRAPH_H
