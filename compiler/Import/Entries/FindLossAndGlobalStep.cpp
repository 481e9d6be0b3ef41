//===- FindLossAndGlobalStep.cpp - Loss, global step and extra fetches ----===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/Entries.h"

#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns the first of `names` that names a tensor. Skips results of summary
// ops: these are serialized summaries, which a user's collection may also list.
static std::string firstTensor(const Program &program,
                               ArrayRef<std::string> names) {
  for (const std::string &name : names) {
    std::optional<Output> tensor = program.graph.findTensor(name);
    if (!tensor)
      continue;
    StringRef op = program.graph[tensor->first].op();
    if (!op.ends_with("Summary") && !op.ends_with("SummaryV2"))
      return program.graph.nameOf({tensor->first, std::max(tensor->second, 0)});
  }
  return "";
}

std::string findLoss(const Program &program) {
  if (std::vector<std::string> names = getNames(program.source, "loss");
      !names.empty())
    return firstTensor(program, names);
  std::vector<std::string> losses = getNames(program.source, "losses");
  std::reverse(losses.begin(), losses.end());
  return firstTensor(program, losses);
}

// Returns the variable that TensorFlow would take for the global step: the one
// in collection `global_step`, otherwise the variable called `global_step`.
static VariableOp findGlobalStepVariable(Program &program) {
  const Graph &graph = program.graph;
  std::vector<std::string> names = getNames(program.source, "global_step");
  for (const proto::VariableDef &def :
       getVariables(program.source, "global_step"))
    names.push_back(def.variable_name());
  names.push_back("global_step");
  for (const std::string &name : names) {
    std::optional<Output> tensor = graph.findTensor(name);
    if (!tensor)
      continue;
    int node = graph.skipIdentities({tensor->first, 0}).first;
    // Only variables that an entry uses have been imported into the program;
    // `findVariable` returns null for others.
    if (isVariable(graph[node].op()))
      if (VariableOp variable = program.findVariable(node))
        return variable;
  }
  return {};
}

// Whether any entry assigns `variable`, apart from the entries that initialize
// or restore variables.
static bool isAssignedInTraining(Program &program, VariableOp variable) {
  WalkResult result = program.module.walk([&](AssignOp assign) {
    if (assign.getVariable() != variable.getSymName())
      return WalkResult::advance();
    auto entry = assign->getParentOfType<EntryOp>();
    bool isInitial = entry && (entry.getRole() == Role::init ||
                               entry.getRole() == Role::local_init ||
                               entry.getRole() == Role::restore);
    return isInitial ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

VariableOp findGlobalStep(Program &program) {
  VariableOp variable = findGlobalStepVariable(program);
  auto entries = program.module.getOps<EntryOp>();
  auto step = llvm::find_if(
      entries, [](EntryOp entry) { return entry.getRole() == Role::step; });
  if (!variable || step == entries.end() ||
      isAssignedInTraining(program, variable))
    return variable;
  emitWarning(program.module.getLoc())
      << "entry '" << (*step).getSymName()
      << "' does not increment the global step, variable '"
      << variable.getSymName()
      << "'; the trainer counts the steps itself (use --step or --after-step "
         "to name the op that increments the global step)";
  return {};
}

// Chooses the signature `serving_default`, which TensorFlow's loaders serve by
// default. Without it, chooses the entry called `predict` if it has role
// predict or was added by flag `--entry predict=...`.
void choosePrediction(const ImportOptions &options,
                      std::vector<EntrySpec> &entries) {
  auto choose = [&](auto isChosen) {
    auto found = llvm::find_if(entries, isChosen);
    if (found != entries.end())
      found->isPrediction = true;
    return found != entries.end();
  };
  if (choose([](const EntrySpec &entry) {
        return entry.signature && entry.name == "serving_default";
      }))
    return;
  bool isAsked = llvm::any_of(
      options.entries, [](const ImportOptions::UserDefinedEntry &option) {
        return option.name == "predict";
      });
  choose([&](const EntrySpec &entry) {
    return entry.name == "predict" &&
           (entry.role == Role::predict || (isAsked && !entry.signature));
  });
}

std::vector<EntrySpec::FetchSpec> findObservable(const Program &program) {
  std::vector<EntrySpec::FetchSpec> fetches;
  llvm::DenseSet<Output> seen;
  for (const std::string &collection : getNodeCollections(program.source))
    for (const std::string &name : getNames(program.source, collection)) {
      std::optional<Output> tensor = program.graph.findTensor(name);
      // A name without a port names a node to run, not a tensor.
      if (tensor && tensor->second >= 0 && seen.insert(*tensor).second)
        fetches.push_back({program.graph.nameOf(*tensor), *tensor});
    }
  return fetches;
}

} // namespace ingot::importer
