//===- ShardOptimizerState.cpp - Divides optimizer state among ranks ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Stage 1 of ZeRO (Rajbhandari et al., SC 2020) as a rewrite of the step. Only
// elementwise ops may compute on a variable that is divided, so each process
// can compute its part alone.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/ShardedUpdates.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "llvm/ADT/MapVector.h"

namespace ingot::graph {
#define GEN_PASS_DEF_SHARDOPTIMIZERSTATEPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using namespace ::ingot::graph;
using ::ingot::graph::ShardedUpdates;

/// Whether entries of `role` may use a variable that is divided. They run
/// before the first step, when every process has all parts, or in commands of a
/// single process. The runtime's own saves gather the parts.
static bool hasAllParts(Role role) {
  switch (role) {
  case Role::init:
  case Role::local_init:
  case Role::ready:
  case Role::ready_for_local_init:
  case Role::save:
  case Role::restore:
    return true;
  default:
    return false;
  }
}

/// Returns why the symbol uses of `variable` rule out dividing it, apart from
/// the uses in training steps; "" if they do not.
static std::string obstacleOutside(VariableOp variable, ModuleOp program) {
  auto uses = SymbolTable::getSymbolUses(variable.getOperation(), program);
  for (const SymbolTable::SymbolUse &use : *uses) {
    Operation *user = use.getUser();
    auto entry = dyn_cast<EntryOp>(user);
    if (isa<SaverOp>(user))
      continue;
    if (!entry) {
      entry = user->getParentOfType<EntryOp>();
      if (!entry || !hasAllParts(entry.getRole()))
        return "'" + user->getName().getStringRef().str() + "' names it";
    }
    if (entry.getRole() != Role::step && !hasAllParts(entry.getRole()))
      return "entry '" + getUserName(entry).str() + "' uses it";
  }
  return "";
}

namespace {
struct ShardOptimizerState
    : ::ingot::graph::impl::ShardOptimizerStatePassBase<ShardOptimizerState> {
  using ShardOptimizerStatePassBase::ShardOptimizerStatePassBase;

  void runOnOperation() override {
    ProgramAttrFields facts = getProgramFacts(getOperation());
    unsigned count = slices ? unsigned(slices) : facts.slices;
    leastBytes = minBytes ? uint64_t(minBytes) : facts.leastShardedBytes;
    if (count < 2 || leastBytes == 0)
      return;
    SmallVector<EntryOp> steps;
    for (auto entry : getOperation().getOps<EntryOp>())
      if (entry.getRole() == Role::step &&
          !entry->hasAttr(host::oneRankOfAttrName))
        steps.push_back(entry);
    collectCandidates(count, steps);
    // A variable is divided only if this is possible in every step.
    for (EntryOp step : steps)
      for (auto &[symbol, candidate] : candidates)
        if (candidate.obstacle.empty())
          candidate.obstacle =
              ShardedUpdates::obstacleOf(step, FlatSymbolRefAttr::get(symbol));
    ShardedVariables divided;
    for (auto &[symbol, candidate] : candidates)
      if (candidate.obstacle.empty())
        divided[symbol] = candidate.parts;
    for (EntryOp step : steps) {
      ShardedUpdates updates(step, divided);
      updates.build();
      numScattered += updates.scattered();
    }
    report(divided);
  }

private:
  struct Candidate {
    VariableOp variable;
    unsigned parts;
    std::string obstacle;
    int64_t bytes;
  };

  /// Collects the variables that a step updates and that are large enough to be
  /// worth a message of their own.
  void collectCandidates(unsigned count, ArrayRef<EntryOp> steps) {
    candidates.clear();
    DenseSet<Attribute> updated;
    for (EntryOp step : steps)
      for (auto symbol : step.getUpdates().getAsRange<FlatSymbolRefAttr>())
        updated.insert(symbol.getAttr());
    for (auto variable : getOperation().getOps<VariableOp>()) {
      auto type = cast<RankedTensorType>(variable.getType());
      if (!updated.contains(variable.getSymNameAttr()) ||
          !type.getElementType().isIntOrFloat() || variable.getTrainable())
        continue;
      int64_t bytes = type.getNumElements() *
                      llvm::divideCeil(type.getElementTypeBitWidth(), 8);
      if (static_cast<uint64_t>(bytes) < leastBytes)
        continue;
      Candidate candidate{variable, 0, "", bytes};
      if (auto parts = ShardedUpdates::partsOf(type, count))
        candidate.parts = *parts;
      else
        candidate.obstacle = "its " + std::to_string(type.getNumElements()) +
                             " elements cannot be divided into " +
                             std::to_string(count) +
                             " or more equal parts that are aligned";
      if (candidate.obstacle.empty())
        candidate.obstacle = obstacleOutside(variable, getOperation());
      candidates[variable.getSymNameAttr()] = candidate;
    }
  }

  void report(const ShardedVariables &divided) {
    int64_t bytes = 0;
    for (auto &[symbol, candidate] : candidates) {
      VariableOp variable = candidate.variable;
      if (candidate.obstacle.empty()) {
        variable->setAttr(
            shardsAttrName,
            Builder(&getContext()).getI64IntegerAttr(candidate.parts));
        bytes += candidate.bytes;
        ++numVariables;
        continue;
      }
      variable.emitRemark()
          << "every process keeps all of variable '" << getUserName(variable)
          << "': " << candidate.obstacle;
    }
    if (divided.empty())
      getOperation().emitWarning(
          "no optimizer state can be divided among processes: "
          "--shard-optimizer has no effect (--remarks says why)");
    else
      getOperation().emitRemark() << "processes divide " << divided.size()
                                  << " variables of optimizers among them, of "
                                  << bytes << " bytes together";
  }

  llvm::MapVector<StringAttr, Candidate> candidates;
  uint64_t leastBytes = 0;
};
} // namespace
