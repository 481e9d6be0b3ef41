//===- Cluster.h - Which of several processes this one is -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TF_CONFIG, as Estimator's RunConfig reads it:
//   {"cluster": {"chief": ["host0:2222"], "worker": ["host1:2222"]},
//    "task": {"type": "worker", "index": 0}}
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_CLUSTER_H
#define INGOT_RUNTIME_SESSION_CLUSTER_H

#include "runtime/Support/Expected.h"

#include <map>
#include <string>
#include <vector>

namespace ingot {

/// The processes of a training and this one's place among them.
struct Cluster {
  /// Addresses by task type; empty where this process is alone.
  std::map<std::string, std::vector<std::string>> tasks;
  std::string type = "worker";
  int64_t index = 0;

  /// The one that initializes and saves: "chief" ("master"), worker 0 where
  /// there is neither, and a process that is alone.
  bool isChief() const;
  bool isEvaluator() const { return type == "evaluator"; }
  /// Chief and workers.
  size_t numWorkers() const;
  /// "worker 1 (host1:2222)".
  std::string self() const;
  /// "the chief (host0:2222)".
  std::string chief() const;
};

/// Parses the value of TF_CONFIG; "" is a single process. InvalidArgument, with
/// the error, where the text is not JSON, has more than one chief, or has no
/// such task.
Expected<Cluster> parseCluster(const std::string &text);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_CLUSTER_H
