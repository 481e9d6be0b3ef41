//===- BuilderReports.h - Reports, facts and hooks of builders --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H
#define INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H

#include "ingot/adanet.h"
#include "runtime/Support/Expected.h"

namespace ingot::ensemble {

/// Reads the reports of earlier iterations in a model directory, for
/// generators. Returns an empty vector if the search does not ask for reports
/// (AN-183), or DataLoss if the files are damaged.
Expected<std::vector<adanet::MemberReport>>
readMemberReports(const adanet::Search &search,
                  const std::string &modelDirectory);

/// Writes the hyperparameters of the builders of the iteration after `finished`
/// to the JSON file `path`, by builder name. Returns false, with a message in
/// `error`, if `finished` does not match the search or the write fails.
bool writeFacts(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

/// Writes a JSON file `path` with the hooks of two sources: the builders of the
/// iteration after `finished`, and the search's ensemblers
/// (runtime/AdaNet/BuilderHooks.h). Returns false like writeFacts().
bool writeHooks(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_BUILDERREPORTS_H
