//===- BuilderReports.h - Member reports and builders' hooks ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H
#define INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H

#include "ingot/adanet.h"
#include "runtime/Support/Expected.h"

namespace ingot::ensemble {

/// Reads the reports about members of earlier iterations, which generators
/// receive. Returns an empty vector if Search::reports is false (AN-183), or
/// DataLoss if the report files are damaged.
Expected<std::vector<adanet::MemberReport>>
readMemberReports(const adanet::Search &search,
                  const std::string &modelDirectory);

/// Writes the hyperparameters and attributes of an iteration's builders to the
/// JSON file `path`, keyed by builder name; the trainer makes the member
/// reports from them. The iteration is the one that follows the iterations
/// `finished`. Returns false, with a message in `error`, on failure, such as a
/// member in `finished` that no builder of the search builds.
bool writeFacts(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

/// Writes the list of hook libraries that an iteration needs to the JSON file
/// `path` (runtime/AdaNet/BuilderHooks.h): those of the iteration's builders,
/// then those of the search's ensemblers. The iteration is the one that follows
/// the iterations `finished`. Returns false, with a message in `error`, on
/// failure.
bool writeHooks(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H
