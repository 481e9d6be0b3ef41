//===- AdaNetHeads.h - Evaluation figures of Estimator's heads --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ADANETHEADS_H
#define INGOT_COMPILER_IMPORT_ADANETHEADS_H

#include "compiler/Import/EvaluationNodes.h"
#include "compiler/Import/Graph.h"
#include <map>
#include <string>

namespace ingot::importer {

/// By name, the figures that Estimator's heads report for a candidate or
/// member: "average_loss", "accuracy/NAME" for a named head. Each is a tensor
/// with a number per example, or a number for the batch.
///
/// Areas under curves, precision and recall are not means of such numbers: for
/// thresholded classes there are "curve/labels" and "curve/predictions", from
/// which the runtime counts them. Weights of examples, which all figures use,
/// are "curve/weights".
using HeadFigures = std::map<std::string, std::string>;

/// Adds the figures of the heads with the loss `loss`, whose nodes are in
/// `scope`, to the nodes of `write`, with prefix `prefix`. Adds nothing if one
/// of the heads is of another kind.
HeadFigures addHeads(const Graph &graph, NodeWriter &write,
                     llvm::StringRef scope, Output loss,
                     const std::string &prefix);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETHEADS_H
