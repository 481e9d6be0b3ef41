//===- AdaNetEvaluator.h - Candidates measured at an iteration's end ------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATOR_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATOR_H

#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNetTrainer/AdaNetFlags.h"
#include "runtime/CommandLine/Verbs/TrainOptions.h"

namespace ingot {

/// Makes the evaluator that --evaluator requests, or one without `measure` if
/// the flag is not given. It evaluates the newest checkpoint in a session of
/// its own, whose input starts at the first element (AN-141).
///
/// Returns InvalidArgument if the program has nothing to evaluate, if a
/// candidate lacks the metric (the message lists its metrics, AN-140), or if
/// the input never ends and no number of batches is given (AN-142).
Expected<adanet::Evaluator> makeEvaluator(const CommandContext &command,
                                          const TrainOptions &options,
                                          const AdaNetOptions &own);

/// Makes the function that writes the report of an iteration after its
/// selection (AN-192, 195), or a null function without --reports. Returns
/// InvalidArgument if the program has nothing to evaluate, if the input never
/// ends and no number of batches is given, or if the file of --report-facts is
/// not valid.
Expected<std::function<Status(const adanet::EnsembleSelection &)>>
makeReporter(const CommandContext &command, const TrainOptions &options,
             const AdaNetOptions &own);

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATOR_H
