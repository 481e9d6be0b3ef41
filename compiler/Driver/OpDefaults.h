//===- OpDefaults.h - Defaults of ops that only functions use ---*- C++ -*-===//
//
// A MetaGraphDef lists the ops of its graph, with their attributes' defaults,
// but not those that appear in its functions only. Who strips default values
// needs these, too.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_OPDEFAULTS_H
#define INGOT_COMPILER_DRIVER_OPDEFAULTS_H

#include "proto/MetaGraph.pb.h"

#include <string>

namespace ingot {

/// A field, to be put behind a serialized `graph`, with the ops that are used
/// by functions of it and lack in its list of ops; "" where there are none, or
/// the graph has no list. Ops that TensorFlow 2.15 doesn't know are left out.
std::string opsOfFunctions(const proto::MetaGraphDef &graph);

} // namespace ingot

#endif // INGOT_COMPILER_DRIVER_OPDEFAULTS_H
