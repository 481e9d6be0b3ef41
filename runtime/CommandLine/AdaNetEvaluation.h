//===- AdaNetEvaluation.h - Results as AdaNet calls them --------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_ADANETEVALUATION_H
#define INGOT_RUNTIME_COMMANDLINE_ADANETEVALUATION_H

#include "runtime/CommandLine/Evaluation.h"

namespace ingot {

/// Turns the results of an AdaNet graph's evaluation into those that AdaNet
/// gives: `iteration`, `best_ensemble_index_<i>`, the members of the best
/// ensemble. The results of each candidate and member are moved from
/// `evaluation` to event files below `modelDirectory`, in
/// `ensemble/NAME/FOLDER` and `subnetwork/NAME/FOLDER`. Does nothing to the
/// results of another entry. A failure to write is in `evaluation.written`.
/// InvalidArgument where candidates are to be compared by a metric that they
/// lack.
Status finishAdaNetEvaluation(const Command &command,
                              const EvaluationOptions &options,
                              const std::string &modelDirectory,
                              const std::string &folder,
                              Evaluation &evaluation);

/// Writes numbers into an event file of `directory`, where those of an earlier
/// evaluation of the step are removed.
Status writeEvaluation(FileSystem &fileSystem, const std::string &directory,
                       int64_t step,
                       std::span<const Evaluation::Metric> metrics);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_ADANETEVALUATION_H
