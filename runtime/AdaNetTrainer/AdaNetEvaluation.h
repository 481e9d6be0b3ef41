//===- AdaNetEvaluation.h - Results as AdaNet calls them --------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H

#include "runtime/CommandLine/Evaluation.h"

namespace ingot {

/// Makes of what an AdaNet graph's evaluation has given what AdaNet's would
/// give: `iteration`, `best_ensemble_index_<i>`, the members of the best
/// ensemble. The results of each candidate and member are taken out of
/// `evaluation` and go into event files below `modelDirectory`, in
/// `ensemble/NAME/FOLDER` and `subnetwork/NAME/FOLDER`. Does nothing to the
/// results of another entry.
/// What could not be written is in `evaluation.written`.
/// InvalidArgument where candidates lack the metric of --select-by.
Status finishAdaNetEvaluation(const Command &command,
                              const std::string &modelDirectory,
                              const std::string &folder,
                              Evaluation &evaluation);

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATION_H
