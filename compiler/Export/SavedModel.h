//===- SavedModel.h - Exports predictions as a SavedModel -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_EXPORT_SAVEDMODEL_H
#define INGOT_COMPILER_EXPORT_SAVEDMODEL_H

#include "mlir/IR/BuiltinOps.h"

#include "proto/SavedModel.pb.h"

namespace ingot::exporter {

/// Returns a SavedModel with tag `serve` and a signature for each predict entry
/// of `module`. The signature has the entry's name; the first one is also
/// `serving_default`.
///
/// - Feeds and fetches called ENTRY/NAME are called NAME in the signature.
/// - An entry whose only feed is ENTRY/inputs, and whose name ends in
///   "classification" or "regression", serves TensorFlow Serving's Classify or
///   Regress calls.
/// - Constant initial values of variables become constants of the graph. So
///   there are no files with variables.
///
/// Changes `module`. If there is no predict entry, or if one depends on
/// variables with computed initial values or on input pipelines, emits errors
/// and fails.
mlir::FailureOr<proto::SavedModel> exportSavedModel(mlir::ModuleOp module);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_SAVEDMODEL_H
