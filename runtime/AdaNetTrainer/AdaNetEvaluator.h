//===- AdaNetEvaluator.h - Candidates measured at an iteration's end ------===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATOR_H
#define INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATOR_H

#include "runtime/AdaNet/Selection.h"
#include "runtime/AdaNetTrainer/AdaNetFlags.h"
#include "runtime/CommandLine/TrainOptions.h"

namespace ingot {

/// AdaNet's Evaluator for --evaluator; none without that flag. It evaluates the
/// newest checkpoint in a session of its own, whose input starts at its first
/// element (AN-141).
///
/// InvalidArgument where the program evaluates nothing, where a candidate lacks
/// the metric, with those that it has (AN-140), or where no number of batches
/// is given and the input never ends (AN-142).
Expected<adanet::Evaluator> makeEvaluator(const Command &command,
                                          const TrainOptions &options,
                                          const AdaNetOptions &own);

/// AN-192, 195: writes the report of an iteration that has selected, as
/// --reports asks for it; null where it does not. InvalidArgument as above, and
/// where --report-facts names no file with facts.
Expected<std::function<Status(const adanet::Selection &)>>
makeReporter(const Command &command, const TrainOptions &options,
             const AdaNetOptions &own);

} // namespace ingot

#endif // INGOT_RUNTIME_ADANETTRAINER_ADANETEVALUATOR_H
