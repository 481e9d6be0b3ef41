//===- ReportFacts.h - What searches and reports know of builders -*- C++
//-*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_REPORTFACTS_H
#define INGOT_COMPILER_ENSEMBLE_REPORTFACTS_H

#include "ingot/adanet.h"
#include "runtime/Support/Expected.h"

namespace ingot::ensemble {

/// The reports of earlier iterations in a model folder, for generators; none
/// where the search asks for none (AN-183). DataLoss where they are damaged.
Expected<std::vector<adanet::MemberReport>>
readMemberReports(const adanet::Search &search,
                  const std::string &modelDirectory);

/// Writes the hyperparameters of the builders of the iteration that follows
/// `finished`, by their names, as JSON into `path`. False, and a message in
/// `error`, where there are none, or where they cannot be written.
bool writeFacts(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_REPORTFACTS_H
