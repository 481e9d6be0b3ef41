//===- OpDefaults.h - Defaults of ops used in functions only ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A MetaGraphDef lists the ops of its graph, with their attributes' defaults,
// but not those that appear in its functions only. To strip default values,
// these are needed, too.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_OPDEFAULTS_H
#define INGOT_COMPILER_DRIVER_OPDEFAULTS_H

#include "proto/MetaGraph.pb.h"

#include <string>

namespace ingot {

/// A field to append to a serialized `graph`, with the ops of its functions
/// that its list of ops lacks; "" if there are none, or the graph has no list.
/// Ops that TensorFlow 2.15 does not know are left out.
std::string opsOfFunctions(const proto::MetaGraphDef &graph);

} // namespace ingot

#endif // INGOT_COMPILER_DRIVER_OPDEFAULTS_H
