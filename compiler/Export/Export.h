//===- Export.h - Exports an ingot module as a GraphDef ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The inverse of compiler/Import: an imported program becomes a graph with the
// same meaning to TensorFlow.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_EXPORT_H
#define INGOT_COMPILER_EXPORT_EXPORT_H

#include "mlir/IR/BuiltinOps.h"

#include "proto/Graph.pb.h"

namespace ingot::exporter {

/// A graph in which every entry of `module` can be run as before, by feeding
/// its feeds and fetching its fetches or its targets. Variables become resource
/// variables of the same names; control edges keep the order of side effects.
/// Nodes have the names of the ops' locations, if they have one; fetches and
/// feeds keep their names in any case. Emits errors for all ops without a
/// TensorFlow form, and fails.
mlir::FailureOr<proto::GraphDef> exportGraphDef(mlir::ModuleOp module);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_EXPORT_H
