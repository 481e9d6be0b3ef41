//===- AdaNetHeads.h - Evaluation figures of Estimator's heads --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANET_ADANETHEADS_H
#define INGOT_COMPILER_IMPORT_ADANET_ADANETHEADS_H

#include "compiler/Import/Entries/EvaluationNodes.h"
#include "compiler/Import/Graph/Graph.h"
#include <map>
#include <string>

namespace ingot::importer {

/// The figures that Estimator's heads report for a candidate or member:
/// metrics, or tensors from which the runtime computes metrics. Maps their
/// names to tensors. A name is "average_loss" or, for a head with a name,
/// "accuracy/NAME". A tensor has one number per example, or is a scalar for the
/// batch.
///
/// Areas under curves, precision and recall are not means over examples or
/// batches. For heads that threshold predictions, the runtime computes them
/// from the figures "curve/labels" and "curve/predictions". If examples have
/// weights, the figure "curve/weights" contains them. They apply to all figures
/// of the head.
using HeadFigures = std::map<std::string, std::string>;

/// Adds nodes to `write` that compute the figures of the heads whose loss is
/// `loss` and whose nodes are in `scope`, and returns the figures. The names of
/// new nodes start with `prefix`. Returns no figures if one of the heads is not
/// of a known kind.
HeadFigures addHeads(const Graph &graph, EvaluationNodeDefBuilder &write,
                     llvm::StringRef scope, Output loss,
                     const std::string &prefix);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANET_ADANETHEADS_H
