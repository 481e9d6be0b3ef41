//===- Predictor.h - The best ensemble by itself ----------------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
#define INGOT_COMPILER_ENSEMBLE_PREDICTOR_H

#include "ingot/adanet.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::ensemble {

/// What a program that predicts has beside its entry `predict` (AN-223).
struct Signatures {
  /// Estimator's `classification` and `regression`, of serialized tf.Examples.
  bool head = false;
  /// `subnetwork_last_layer`, `subnetwork_logits`: of members that the
  /// checkpoint's iteration has brought, by their builders' names.
  bool lastLayers = false, logits = false;

  /// Of a list "head,last_layer,logits"; nothing where it is none.
  static std::optional<Signatures> parse(llvm::StringRef list);
};

/// The program, as text, that only predicts: what networks see of the columns,
/// and the best ensemble in `modelDirectory`'s newest checkpoint, whose numbers
/// its variables start with. The best is the one that the checkpoint's
/// iteration has selected, else the one with the lowest moving average of the
/// AdaNet loss. `found` is told which it is, and its members. Nothing where
/// something is wrong, with each problem reported; `name` stands in messages.
std::optional<std::string> buildPredictorProgram(
    const adanet::Search &search, const std::string &name,
    const std::string &modelDirectory, const Signatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
