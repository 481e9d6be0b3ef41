//===- GraphFingerprint.h - A hash of a training step -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A run's folder belongs to the program that trains in it. But a user exports
// and compiles the same program many times, with different names of nodes and
// initial values, and for different processors. A hash of the file or of the
// machine code would differ each time. So the fingerprint here is a hash of
// what a training step computes: its ops, their attributes and constants, and
// how they are connected.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_GRAPHFINGERPRINT_H
#define INGOT_RUNTIME_CHECKPOINT_GRAPHFINGERPRINT_H

#include "runtime/Support/Expected.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ingot {

/// The collection of nodes that describe the data rather than the program, such
/// as the number of steps of an epoch. A fingerprint ignores their values.
inline constexpr std::string_view dataNodesCollection = "ingot_data";

struct GraphFingerprint {
  /// The fingerprint as text: "1-" and 16 hex digits, or "" if the graph does
  /// not define a training step. The number before the dash is the version of
  /// the hashing scheme.
  std::string text;
  /// How often each op occurs in the step and in the functions that it calls.
  std::map<std::string, int64_t> ops;
};

/// Returns the fingerprint of the training step in the serialized MetaGraphDef
/// `metaGraph`. The step consists of the ops in collection `train_op` (or else
/// the optimizers' updates), the tensor `loss`, and all ops on which these
/// depend. The walk ends at variables, inputs and tables, so initial values and
/// data do not matter; neither do names of nodes, seeds, devices and the order
/// of control inputs. Attributes with default values do matter, so callers
/// remove them first (MetaGraphExportOptions::stripDefaultAttrs). Returns
/// DataLoss if the bytes cannot be parsed.
Expected<GraphFingerprint> fingerprintOf(std::string_view metaGraph,
                                         std::string_view loss);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_GRAPHFINGERPRINT_H
