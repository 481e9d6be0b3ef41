//===- BuilderReports.cpp - Member reports and builders' hooks ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/BuilderReports.h"

#include "compiler/Ensemble/EnsembleLineage.h"
#include "runtime/AdaNet/Reports.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;

namespace ingot::ensemble {

static adanet::MemberReport toReport(int64_t iteration,
                                     const adanet::SubnetworkReport &it) {
  adanet::MemberReport report;
  report.iteration = iteration;
  report.name = it.name;
  report.isInEnsemble = it.isIncluded;
  for (const auto &[name, value] : it.hparams)
    report.hyperparameters[name] = value;
  for (const auto &[name, value] : it.metrics)
    if (const auto *number = std::get_if<double>(&value))
      report.metrics[name] = *number;
    else if (const auto *whole = std::get_if<int64_t>(&value))
      report.metrics[name] = static_cast<double>(*whole);
  return report;
}

Expected<std::vector<adanet::MemberReport>>
readMemberReports(const adanet::Search &search,
                  const std::string &modelDirectory) {
  std::vector<adanet::MemberReport> reports;
  if (!search.reports || modelDirectory.empty())
    return reports;
  INGOT_ASSIGN_OR_RETURN(
      auto iterations,
      adanet::readReports(FileSystem::posix(),
                          search.reportDirectory.empty()
                              ? adanet::reportDirectory(modelDirectory)
                              : search.reportDirectory));
  for (const adanet::IterationReport &iteration : iterations)
    for (const adanet::SubnetworkReport &one : iteration.subnetworks)
      reports.push_back(toReport(iteration.iteration, one));
  return reports;
}

static json::Value toJson(const adanet::Hyperparameter &value) {
  return std::visit([](const auto &it) { return json::Value(it); }, value);
}

static bool writeJson(json::Value value, const std::string &path,
                      std::string &error) {
  std::error_code failure;
  ToolOutputFile file(path, failure, sys::fs::OF_None);
  if (!failure) {
    file.os() << value << "\n";
    file.os().flush();
    failure = file.os().error();
    file.os().clear_error();
  }
  if (failure)
    error = "cannot write '" + path + "': " + failure.message();
  else
    file.keep();
  return !failure;
}

bool writeFacts(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error) {
  auto lineage = traceLineage(search, finished, reports, error);
  if (!lineage)
    return false;
  json::Object facts;
  for (const auto &builder : lineage->builders) {
    json::Object parameters;
    for (const auto &[name, value] : builder->hyperparameters())
      parameters[name] = toJson(value);
    json::Object attributes;
    for (const auto &[name, value] : builder->attributes())
      attributes[name] = toJson(value);
    facts[builder->name()] =
        json::Object{{"hparams", std::move(parameters)},
                     {"attributes", std::move(attributes)}};
  }
  return writeJson(std::move(facts), path, error);
}

bool writeHooks(const adanet::Search &search,
                const std::vector<adanet::FinishedIteration> &finished,
                const std::vector<adanet::MemberReport> &reports,
                const std::string &path, std::string &error) {
  auto lineage = traceLineage(search, finished, reports, error);
  if (!lineage)
    return false;
  json::Array list;
  auto add = [&](const std::vector<adanet::HookLibrary> &hooks) {
    for (const adanet::HookLibrary &hook : hooks)
      list.push_back(json::Object{{"library", hook.library},
                                  {"arguments", hook.arguments},
                                  {"chief_only", hook.chiefOnly}});
  };
  for (const auto &builder : lineage->builders)
    add(builder->hooks());
  using Own = std::shared_ptr<const adanet::UserEnsembler>;
  for (const adanet::Ensembler &ensembler : search.ensemblers)
    if (const Own *own = std::get_if<Own>(&ensembler))
      add((*own)->hooks());
  return writeJson(json::Object{{"hooks", std::move(list)}}, path, error);
}

} // namespace ingot::ensemble
