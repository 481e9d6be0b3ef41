//===- OpDefaults.h - Defaults of ops used in functions only ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The op list in a MetaGraphDef gives the default values of attributes for the
// graph's ops, but not for ops that occur in library functions only. A trainer
// that exports the graph with --strip-default-attrs needs all of them, so the
// embedded graph also gets the functions' ops.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_OPDEFAULTS_H
#define INGOT_COMPILER_DRIVER_OPDEFAULTS_H

#include "proto/MetaGraph.pb.h"

#include <string>

namespace ingot {

/// Returns definitions (OpDef) of the ops that library functions of `graph` use
/// and that the graph's op list does not contain, as the bytes of one
/// serialized field. Appended to the bytes of the serialized `graph`, they
/// become a field of it. Returns "" if no op is missing, or if `graph` has no
/// op list. Leaves out ops that TensorFlow 2.15 does not have.
std::string opsOfFunctions(const proto::MetaGraphDef &graph);

} // namespace ingot

#endif // INGOT_COMPILER_DRIVER_OPDEFAULTS_H
