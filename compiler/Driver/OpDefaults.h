//===- OpDefaults.h - Defaults of ops used in functions only ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The op list in a MetaGraphDef gives the default values of attributes for the
// graph's ops, but not for ops that occur in library functions only. A trainer
// that exports the graph with --strip-default-attrs needs the defaults of both,
// so the ops of functions are added to the op list of the embedded graph.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_OPDEFAULTS_H
#define INGOT_COMPILER_DRIVER_OPDEFAULTS_H

#include "proto/MetaGraph.pb.h"

#include <string>

namespace ingot {

/// Returns the OpDefs that are missing in the op list of `graph`: those of ops
/// that only library functions of `graph` use. They are returned as serialized
/// protobuf, which the caller appends to the serialized `graph`. Returns "" if
/// no op is missing, or if `graph` has no op list. Omits ops that TensorFlow
/// 2.15 does not have.
std::string opsOfFunctions(const proto::MetaGraphDef &graph);

} // namespace ingot

#endif // INGOT_COMPILER_DRIVER_OPDEFAULTS_H
