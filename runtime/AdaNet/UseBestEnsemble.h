//===- UseBestEnsemble.h - Predicts with the best ensemble ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_ADANET_USEBESTENSEMBLE_H
#define INGOT_RUNTIME_ADANET_USEBESTENSEMBLE_H

#include "runtime/Session/Session.h"

#include <string>

namespace ingot::adanet {

/// Makes evaluations and predictions of `context`, which was restored from the
/// checkpoint `prefix`, use the ensemble that findBestEnsemble() returns. The
/// program selects the candidate with the lowest moving average, so this
/// function sets the moving averages of all other candidates to infinity, in
/// memory only. Does nothing if the program does not belong to an AdaNet
/// search. Returns FailedPrecondition if the program lacks the ensemble.
Status useBestEnsemble(ingot_context &context, FileSystem &fileSystem,
                       const std::string &prefix);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_USEBESTENSEMBLE_H
