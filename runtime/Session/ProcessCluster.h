//===- ProcessCluster.h - The processes of a training -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads TF_CONFIG as Estimator's RunConfig does:
//
//   {"cluster": {"chief": ["host0:2222"], "worker": ["host1:2222"]},
//    "task": {"type": "worker", "index": 0}}
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_PROCESSCLUSTER_H
#define INGOT_RUNTIME_SESSION_PROCESSCLUSTER_H

#include "runtime/Support/Expected.h"

#include <map>
#include <string>
#include <vector>

namespace ingot {

/// The processes of a distributed training. `type` and `index` identify this
/// process among them.
struct ProcessCluster {
  /// The addresses of the processes, by task type; empty if this process trains
  /// alone.
  std::map<std::string, std::vector<std::string>> tasks;
  std::string type = "worker";
  int64_t index = 0;

  /// Returns true if this process is the chief, which initializes and saves the
  /// model. The chief is the task of type "chief" or "master"; worker 0 if the
  /// cluster has neither; and any process that trains alone.
  bool isChief() const;
  bool isEvaluator() const { return type == "evaluator"; }
  /// Returns the number of processes that train: chief and workers.
  size_t numWorkers() const;
  /// Returns this process's name for messages: "worker 1 (host1:2222)".
  std::string self() const;
  /// Returns the chief's name for messages: "the chief, chief 0 (host0:2222)".
  std::string chief() const;
};

/// Parses the value of TF_CONFIG; "" means that the process trains alone.
/// Returns InvalidArgument, with the reason, if the text is not JSON, has more
/// than one chief, or has a task that is not in the cluster.
Expected<ProcessCluster> parseCluster(const std::string &text);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_PROCESSCLUSTER_H
