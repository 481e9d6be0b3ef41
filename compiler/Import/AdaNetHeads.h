//===- AdaNetHeads.h - What heads report of an evaluation -------*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_ADANETHEADS_H
#define INGOT_COMPILER_IMPORT_ADANETHEADS_H

#include "compiler/Import/EvaluationNodes.h"
#include "compiler/Import/Graph.h"
#include <map>
#include <string>

namespace ingot::importer {

/// By their names, the figures that Estimator's heads report of a candidate or
/// member: "average_loss", "accuracy/NAME" of a head that has a name. Each is a
/// tensor with a number for each example, or a number for the batch.
///
/// Areas under curves, precision and recall are no means of such numbers: of
/// classes that are told by a threshold there are "curve/labels" and
/// "curve/predictions", from which the runtime counts. Where examples have
/// weights, which all figures go by, those are "curve/weights".
using HeadFigures = std::map<std::string, std::string>;

/// Adds to what `write` writes, below `prefix`, what the heads with the loss
/// `loss` report, whose nodes stand in `scope`. Nothing where there is a head
/// of another kind.
HeadFigures addHeads(const Graph &graph, NodeWriter &write,
                     llvm::StringRef scope, Output loss,
                     const std::string &prefix);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETHEADS_H
