//===- AdaNetEvaluation.h - Results as AdaNet calls them --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H

#include "runtime/CommandLine/Evaluation.h"

namespace ingot {

/// Turns the results of an AdaNet graph's evaluation into those that AdaNet
/// gives: `iteration`, `best_ensemble_index_<i>`, the members of the best
/// ensemble. The results of each candidate and member are moved from
/// `evaluation` to event files below `modelDirectory`, in
/// `ensemble/NAME/FOLDER` and `subnetwork/NAME/FOLDER`. Does nothing to the
/// results of another entry.
/// A failure to write is in `evaluation.written`.
/// InvalidArgument where candidates lack the metric of --select-by.
Status finishAdaNetEvaluation(const Command &command,
                              const std::string &modelDirectory,
                              const std::string &folder,
                              Evaluation &evaluation);

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H
