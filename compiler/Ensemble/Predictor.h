//===- Predictor.h - Exports the best ensemble ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
#define INGOT_COMPILER_ENSEMBLE_PREDICTOR_H

#include "ingot/adanet.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::ensemble {

/// The entries that a program for prediction has in addition to `predict`
/// (AN-223).
struct PredictionSignatures {
  /// Whether the program has Estimator's entries `classification` and
  /// `regression`, whose only feed is a vector of serialized tf.Examples.
  bool head = false;
  /// Whether the program has the entries `subnetwork_last_layer` and
  /// `subnetwork_logits`. They return the outputs of each member that the
  /// checkpoint's iteration has added, each named after the member's builder.
  bool lastLayers = false, logits = false;

  /// Parses a list such as "head,last_layer,logits". Returns std::nullopt if it
  /// is malformed.
  static std::optional<PredictionSignatures> parse(llvm::StringRef list);
};

/// Returns the MLIR text of a program that only predicts: it computes features
/// from the columns, and from these the predictions of the best ensemble in
/// `modelDirectory` (see runtime/AdaNet/BestEnsemble.h). The variables' values
/// in the newest checkpoint become their initial values in the program. `found`
/// receives the names of the ensemble and its members. Returns std::nullopt on
/// failure, after reporting each problem; `name` is used in messages.
std::optional<std::string> buildPredictorProgram(
    const adanet::Search &search, const std::string &name,
    const std::string &modelDirectory, const PredictionSignatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
