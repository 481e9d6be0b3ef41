//===- Export.h - Exports an ingot module as a GraphDef ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports a program as a TensorFlow graph with the same meaning: the inverse of
// compiler/Import.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_EXPORT_H
#define INGOT_COMPILER_EXPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"

#include "proto/Graph.pb.h"

namespace ingot::exporter {

/// Returns a graph in which each entry of `module` can be run with the same
/// feeds, fetches and targets. Variables become resource variables of the same
/// names; control edges keep the order of side effects. A node is named after
/// its op's location, if that is a name; feeds and fetches always keep their
/// names. If an op has no TensorFlow form, emits an error for it and fails.
mlir::FailureOr<proto::GraphDef> exportGraphDef(mlir::ModuleOp module);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_EXPORT_H
