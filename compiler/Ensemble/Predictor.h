//===- Predictor.h - Exports the best ensemble ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
#define INGOT_COMPILER_ENSEMBLE_PREDICTOR_H

#include "ingot/adanet.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::ensemble {

/// Further entries of a program that predicts, besides `predict` (AN-223).
struct Signatures {
  /// Estimator's `classification` and `regression`, of serialized tf.Examples.
  bool head = false;
  /// `subnetwork_last_layer`, `subnetwork_logits`: of members that the
  /// checkpoint's iteration added, by their builders' names.
  bool lastLayers = false, logits = false;

  /// From a list "head,last_layer,logits"; nothing if it is malformed.
  static std::optional<Signatures> parse(llvm::StringRef list);
};

/// The program, as text, that only predicts: the features of the columns, and
/// the best ensemble in the newest checkpoint of `modelDirectory`, whose values
/// initialize its variables. The best ensemble is the one that the checkpoint's
/// iteration has selected, else the one with the lowest moving average of the
/// AdaNet loss. `found` receives it, with its members. Nothing on failure, with
/// each problem reported; `name` is used in messages.
std::optional<std::string> buildPredictorProgram(
    const adanet::Search &search, const std::string &name,
    const std::string &modelDirectory, const Signatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
