//===- AdaptedBuilders.h - Builders with changed results --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_ADAPTEDBUILDERS_H
#define INGOT_COMPILER_ENSEMBLE_ADAPTEDBUILDERS_H

#include "ingot/adanet.h"

namespace ingot::ensemble {

/// The changes that adaptBuilders() applies to each builder (of a subnetwork)
/// that a generator of an AdaNet search returns.
struct SubnetworkBuilderOverrides {
  /// If true, the last layer of each subnetwork is its logits, as in AdaNet's
  /// AutoEnsembleEstimator.
  bool takesLogitsAsLastLayer = false;
  /// If set, replaces the result of Builder::mixtureOptimizer().
  std::optional<graph::Optimizer> mixtureOptimizer;
};

/// Returns a generator that calls `generator` and applies `changes` to each
/// builder that it returns.
std::shared_ptr<const adanet::Generator>
adaptBuilders(std::shared_ptr<const adanet::Generator> generator,
              SubnetworkBuilderOverrides changes);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_ADAPTEDBUILDERS_H
