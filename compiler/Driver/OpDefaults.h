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

/// Returns definitions (OpDef) of the ops that library functions of `graph` use
/// and that the graph's op list does not contain. They are serialized as a
/// field, to be appended to the serialized `graph`. Returns "" if no op is
/// missing, or if `graph` has no op list. Leaves out ops that TensorFlow 2.15
/// does not have.
std::string opsOfFunctions(const proto::MetaGraphDef &graph);

} // namespace ingot

#endif // INGOT_COMPILER_DRIVER_OPDEFAULTS_H
