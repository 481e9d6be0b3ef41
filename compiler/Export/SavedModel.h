//===- SavedModel.h - What a program predicts, as a SavedModel --*- C++ -*-===//
#ifndef INGOT_COMPILER_EXPORT_SAVEDMODEL_H
#define INGOT_COMPILER_EXPORT_SAVEDMODEL_H

#include "mlir/IR/BuiltinOps.h"

#include "proto/SavedModel.pb.h"

namespace ingot::exporter {

/// A SavedModel, tagged `serve`, with a signature for each entry of `module`
/// that predicts: of the entry's name, and `serving_default` for the first.
/// Feeds and fetches ENTRY/NAME of an entry are called NAME there; one called
/// `classification` or `regression`, or NAME/classification, whose only feed is
/// ENTRY/inputs answers calls of that kind.
/// What the program starts with are constants of the graph, so there are no
/// files of variables. `module` is rewritten. Emits errors, and fails, where
/// there is no such entry, or where one depends on variables that start with
/// what has to be computed, or on input.
mlir::FailureOr<proto::SavedModel> exportSavedModel(mlir::ModuleOp module);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SAVEDMODEL_H
