//===- SearchPlan.cpp - The plan of a search's trainers -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchPlan.h"

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "runtime/Support/Numeric.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::ensemble {

/// Returns the command line flags that the trainer of each iteration is run
/// with, such as "--patience=..." for the search's limits.
static json::Array trainFlags(const adanet::Search &search) {
  json::Array flags;
  auto add = [&](const std::string &flag, const std::string &value) {
    flags.push_back(flag + "=" + value);
  };
  const adanet::SearchLimits &limits = search.limits;
  if (limits.maxIterationSeconds)
    add("--max-iteration-secs", numberText(*limits.maxIterationSeconds));
  if (limits.patienceSteps)
    add("--patience", std::to_string(*limits.patienceSteps) +
                          ",min_delta=" + numberText(limits.patienceMinDelta));
  if (search.forceGrow)
    flags.push_back("--force-grow");
  flags.push_back("--drop-nan");
  flags.push_back("--end-of-input-ends-iteration");
  flags.push_back(search.restartInput ? "--restart-input" : "--continue-input");
  if (search.evaluator) {
    add("--evaluator",
        search.evaluator->metric + (search.evaluator->maximize ? ":max" : ""));
    if (search.evaluator->steps)
      add("--evaluator-steps", std::to_string(*search.evaluator->steps));
  }
  if (search.evaluator && search.evaluator->input)
    add("--evaluator-entry", evaluatorEntry);
  if (search.reports)
    flags.push_back("--reports");
  if (search.reports && search.reportInput)
    add("--report-entry", reportEntry);
  if (search.reports && !search.reportDirectory.empty())
    add("--report-dir", search.reportDirectory);
  if (!search.ensembleSummaries)
    flags.push_back("--no-ensemble-summaries");
  if (!search.subnetworkSummaries)
    flags.push_back("--no-subnetwork-summaries");
  if (search.reportSteps)
    add("--report-steps", std::to_string(*search.reportSteps));
  if (!search.replayIndices.empty()) {
    std::string indices;
    for (int64_t index : search.replayIndices)
      indices += (indices.empty() ? "" : ",") + std::to_string(index);
    add("--replay-indices", indices);
  }
  return flags;
}

std::string searchPlan(const adanet::Search &search) {
  json::Object plan;
  plan["max_iteration_steps"] = search.limits.maxIterationSteps;
  if (search.limits.maxIterations)
    plan["max_iterations"] = *search.limits.maxIterations;
  if (search.limits.maxSteps)
    plan["max_steps"] = *search.limits.maxSteps;
  plan["data_dir"] = search.dataDirectory;
  if (!search.valuesWhereMissing.empty()) {
    json::Object values;
    for (const auto &[column, value] : search.valuesWhereMissing)
      values[column] = value;
    plan["values_where_missing"] = std::move(values);
  }
  plan["reports"] = search.reports;
  if (!search.reportDirectory.empty())
    plan["report_dir"] = search.reportDirectory;
  plan["evaluates"] = search.evaluate.has_value();
  plan["train_flags"] = trainFlags(search);
  std::string text;
  raw_string_ostream(text) << formatv("{0:2}\n", json::Value(std::move(plan)));
  return text;
}

} // namespace ingot::ensemble
