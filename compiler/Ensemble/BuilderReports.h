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

/// Writes the hyperparameters and attributes of the builders of the next
/// iteration (after those in `finished`) to the JSON file `path`, keyed by
/// builder name. The trainer makes the member reports from them. On failure,
/// returns false with a message in `error`, for example if `finished` has a
/// member for which the search has no builder.
bool writeFacts(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

/// Writes to the JSON file `path` which hook libraries the next iteration
/// (after those in `finished`) needs. Hook libraries are shared libraries with
/// user code (runtime/AdaNet/BuilderHooks.h). Those of the iteration's builders
/// come first, then those of the search's ensemblers. On failure, returns false
/// with a message in `error`.
bool writeHooks(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H
