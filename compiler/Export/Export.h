//===- Export.h - From an ingot module to a GraphDef ------------*- C++ -*-===//
//
// The way back of compiler/Import: a program as it was imported becomes a
// graph that means the same to TensorFlow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_EXPORT_H
#define INGOT_COMPILER_EXPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"

#include "proto/Graph.pb.h"

namespace ingot::exporter {

/// A graph in which every entry of `module` can be run as before, by feeding
/// its feeds and fetching its fetches or its targets. Variables become
/// resource variables of their names; what has effects keeps its order by
/// control edges. Nodes have the names of the ops' locations, where they have
/// one; fetches and feeds have theirs in any case. Emits errors for all ops
/// that have no form in a graph, and fails.
mlir::FailureOr<proto::GraphDef> exportGraphDef(mlir::ModuleOp module);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_EXPORT_H
