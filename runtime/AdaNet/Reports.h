//===- Reports.h - report/iteration_reports.json ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The reports of each iteration's builders that AdaNet's report materializer
// writes, for the generators of later iterations and for people.
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

/// AN-196. NaN and infinite numbers are null in the file.
using ReportValue = std::variant<bool, int64_t, double, std::string>;
using ReportValues = std::vector<std::pair<std::string, ReportValue>>;

/// One builder's. AN-194: from iteration 1 on there is also one called
/// "previous_ensemble", which is never included.
struct SubnetworkReport {
  std::string name; // the builder's: "1_layer_dnn"
  ReportValues hparams, attributes, metrics;
  /// Its member was added to the ensemble that won.
  bool isIncluded = false;
};

struct IterationReport {
  int64_t iteration = 0;
  std::vector<SubnetworkReport> subnetworks;
};

/// `<modelDirectory>/report`, the default directory of reports.
std::string reportDirectory(const std::string &modelDirectory);

/// All iterations' reports, by ascending numbers; none without the file. Of
/// several for one iteration, which a crash of AdaNet's leaves (AN-199), the
/// last. DataLoss with file, offset and remedy where it is damaged.
Expected<std::vector<IterationReport>>
readReports(FileSystem &fileSystem, const std::string &directory);

/// Replaces an iteration's report in the file; all others stay. The file is
/// replaced as a whole: interrupted anywhere, it has the old contents or the
/// new ones, and repeating it changes no byte (AN-067, 200).
Status writeReport(FileSystem &fileSystem, const std::string &directory,
                   const IterationReport &report);

/// Facts of builders that training does not change, by name: hparams and
/// attributes. InvalidArgument, naming file and builder, where `path` is not a
/// JSON object `{"linear": {"hparams": {...}, "attributes": {...}}}`, or has
/// values that reports cannot hold (AN-196).
using BuilderFacts = std::map<std::string, SubnetworkReport>;
Expected<BuilderFacts> readFacts(FileSystem &fileSystem,
                                 const std::string &path);

/// The text of a file with these reports, as AdaNet writes it.
std::string printReports(const std::vector<IterationReport> &reports);

/// "0.1", "true", "null", "\"adam\"".
std::string printReportValue(const ReportValue &value);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_REPORTS_H
