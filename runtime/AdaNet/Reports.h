//===- Reports.h - AdaNet's file of reports on builders ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes the file of AdaNet's report materializer,
// report/iteration_reports.json. For each iteration, the file has the
// hyperparameters, attributes and metrics of the iteration's builders. Users
// read it, and so do the generators of later iterations.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_REPORTS_H
#define INGOT_RUNTIME_ADANET_REPORTS_H

#include "runtime/Support/FileSystem.h"

#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ingot::adanet {

/// A value that a builder reports: a hyperparameter, an attribute or a metric
/// (AN-196). NaN and infinite numbers are null in the file.
using ReportValue = std::variant<bool, int64_t, double, std::string>;
using ReportValues = std::vector<std::pair<std::string, ReportValue>>;

/// The report of one builder. From iteration 1 on there is also a report of the
/// previous ensemble, which is called "previous_ensemble" and whose
/// `isIncluded` is always false (AN-194).
struct SubnetworkReport {
  std::string name; // the builder's name, such as "1_layer_dnn"
  ReportValues hparams, attributes, metrics;
  /// True if the selected ensemble contains the builder's member.
  bool isIncluded = false;
};

/// The reports of all builders of one iteration.
struct IterationReport {
  int64_t iteration = 0;
  std::vector<SubnetworkReport> subnetworks;
};

/// Returns `<modelDirectory>/report`, the default directory of reports.
std::string reportDirectory(const std::string &modelDirectory);

/// Reads the reports of all iterations, sorted by iteration; an empty vector if
/// the file does not exist. A crash of AdaNet may leave several reports of one
/// iteration (AN-199); the last one counts. Returns DataLoss, with file, offset
/// and remedy, if the file is damaged.
Expected<std::vector<IterationReport>>
readReports(FileSystem &fileSystem, const std::string &directory);

/// Adds or replaces one iteration's report in the file; the reports of other
/// iterations stay. The file is replaced atomically: after a crash it has the
/// old or the new contents, and writing the same report again changes no byte
/// (AN-067, 200).
Status writeReport(FileSystem &fileSystem, const std::string &directory,
                   const IterationReport &report);

/// The hyperparameters and attributes of builders, keyed by the builder's name.
/// Training does not change them. readFacts() returns InvalidArgument, naming
/// file and builder, if `path` is not a JSON object like `{"linear":
/// {"hparams": {...}, "attributes": {...}}}`, or if it has values that reports
/// cannot hold (AN-196).
using BuilderFacts = std::map<std::string, SubnetworkReport>;
Expected<BuilderFacts> readFacts(FileSystem &fileSystem,
                                 const std::string &path);

/// Returns the text of a report file with these reports, byte for byte as
/// AdaNet writes it.
std::string printReports(const std::vector<IterationReport> &reports);

/// Prints a value as JSON: 0.1, true, null or "adam".
std::string printReportValue(const ReportValue &value);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_REPORTS_H
