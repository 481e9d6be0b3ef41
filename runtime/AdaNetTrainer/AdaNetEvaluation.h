//===- AdaNetEvaluation.h - AdaNet's names of metrics -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H

#include "runtime/CommandLine/Evaluation/Evaluation.h"

namespace ingot {

/// Adds to the evaluation of an AdaNet graph the metrics that AdaNet reports:
/// `iteration`, `best_ensemble_index_<i>`, and the members of the best
/// ensemble. The metrics of each candidate and member are moved from
/// `evaluation` to event files below `modelDirectory`, in
/// `ensemble/NAME/FOLDER` and `subnetwork/NAME/FOLDER`. Metrics of other
/// programs are left unchanged.
///
/// A failure to write is stored in `evaluation.written`. Returns
/// InvalidArgument if candidates lack the metric of --select-by.
Status finishAdaNetEvaluation(const CommandContext &command,
                              const std::string &modelDirectory,
                              const std::string &folder,
                              EvaluationResults &evaluation);

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H
