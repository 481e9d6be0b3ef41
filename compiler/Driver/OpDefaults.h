//===- OpDefaults.h - Defaults of ops used in functions only ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The op list of a MetaGraphDef has the default values of the attributes of the
// graph's ops, but lacks ops that occur in functions only. Exporters that strip
// default values need these ops, too.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_OPDEFAULTS_H
#define INGOT_COMPILER_DRIVER_OPDEFAULTS_H

#include "proto/MetaGraph.pb.h"

#include <string>

namespace ingot {

/// Returns OpDefs for ops that the functions of `graph` use and that its op
/// list lacks, serialized as a field to append to the serialized `graph`.
/// Returns "" if no op is missing, or if `graph` has no op list. Ops that
/// TensorFlow 2.15 does not know are left out.
std::string opsOfFunctions(const proto::MetaGraphDef &graph);

} // namespace ingot

#endif // INGOT_COMPILER_DRIVER_OPDEFAULTS_H
