//===- SavedModel.h - Exports predictions as a SavedModel -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_EXPORT_SAVEDMODEL_H
#define INGOT_COMPILER_EXPORT_SAVEDMODEL_H

#include "mlir/IR/BuiltinOps.h"

#include "proto/SavedModel.pb.h"

namespace ingot::exporter {

/// A SavedModel, tagged `serve`, with a signature for each predict entry of
/// `module`: with the entry's name, and `serving_default` for the first. Feeds
/// and fetches ENTRY/NAME of an entry are named NAME there; an entry called
/// `classification` or `regression`, or NAME/classification, whose only feed is
/// ENTRY/inputs, serves calls of that kind. Initial values become constants of
/// the graph, so there are no files of variables. `module` is rewritten. Emits
/// errors, and fails, if there is no such entry, or if one depends on variables
/// with computed initial values, or on input pipelines.
mlir::FailureOr<proto::SavedModel> exportSavedModel(mlir::ModuleOp module);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SAVEDMODEL_H
