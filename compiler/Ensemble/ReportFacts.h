//===- ReportFacts.h - Reports of builders ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_REPORTFACTS_H
#define INGOT_COMPILER_ENSEMBLE_REPORTFACTS_H

#include "ingot/adanet.h"
#include "runtime/Support/Expected.h"

namespace ingot::ensemble {

/// The reports of earlier iterations in a model folder, for generators; none if
/// the search does not ask for them (AN-183). DataLoss if they are damaged.
Expected<std::vector<adanet::MemberReport>>
readMemberReports(const adanet::Search &search,
                  const std::string &modelDirectory);

/// Writes the hyperparameters of the builders of the iteration after
/// `finished`, by name, as JSON to `path`. False, with a message in `error`, if
/// there are none, or the write fails.
bool writeFacts(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_REPORTFACTS_H
