//===- AdaptedBuilders.h - Options of any generator -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_ADAPTEDBUILDERS_H
#define INGOT_COMPILER_ENSEMBLE_ADAPTEDBUILDERS_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// What is different of the builders of a generator.
struct BuilderChanges {
  /// Whether the last layer is the logits, as of AdaNet's AutoEnsemble.
  bool takesLogitsAsLastLayer = false;
  /// Builder::mixtureOptimizer().
  std::optional<graph::Optimizer> mixtureOptimizer;
};

/// Returns a generator of the builders of `generator`, with changes.
std::shared_ptr<const adanet::Generator>
adaptBuilders(std::shared_ptr<const adanet::Generator> generator,
              BuilderChanges changes);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ADAPTEDBUILDERS_H
