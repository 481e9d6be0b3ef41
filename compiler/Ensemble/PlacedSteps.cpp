//===- PlacedSteps.cpp - Parts of a step for several processes ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/PlacedSteps.h"

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"

using namespace mlir;

namespace ingot::ensemble {

/// Returns true if `variable` is the step counter of a member or an ensemble.
/// Every process increments all step counters, also those of members that
/// another process trains.
static bool isCounter(StringRef variable) {
  return variable.ends_with("/step");
}

/// Clones the program's step as an entry of role placed_step, which process
/// `place` of `processes` runs. The caller then reduces the clone to the
/// training for which this process is responsible. Returns the clone, or null
/// if the program has no step.
static mlir::ingot::EntryOp copyStep(graph::GraphImpl &data, int64_t place,
                                     int64_t processes) {
  mlir::ingot::EntryOp step =
      mlir::ingot::findEntry(*data.module, mlir::ingot::Role::step);
  if (!step)
    return {};
  auto copy = cast<mlir::ingot::EntryOp>(step->clone());
  data.module->insert(std::next(step->getIterator()), copy);
  copy.setSymName("place/" + std::to_string(place) + "/" +
                  std::to_string(processes));
  copy.setRole(mlir::ingot::Role::placed_step);
  copy.setPlace(ArrayRef<int32_t>{static_cast<int32_t>(place),
                                  static_cast<int32_t>(processes)});
  linkEntry(copy);
  return copy;
}

/// Erases the assignments in `entry`, except those to variables for which
/// `isOurs` returns true, and to step counters. If several members share an
/// optimizer, also keeps the assignments to this optimizer's powers of Adam's
/// beta1 and beta2, because every process computes these from the step
/// counters.
static void keepAssigns(graph::GraphImpl &data, mlir::ingot::EntryOp entry,
                        function_ref<bool(StringRef)> isOurs) {
  SmallVector<mlir::ingot::AssignOp> assigns(
      entry.getBody().front().getOps<mlir::ingot::AssignOp>());
  for (mlir::ingot::AssignOp assign : assigns)
    if (!isCounter(assign.getVariable()) &&
        !data.isOfOptimizerInstance(assign.getVariable()) &&
        !isOurs(assign.getVariable()))
      assign.erase();
}

/// Reduces `entry`, a copy of the step, to the training of `members`. Fetches
/// of other members and of ensembles return zeros. The first fetch, the loss of
/// the step, becomes the loss of the first one of `members` (AN-126).
static void placeMembers(graph::GraphImpl &data, mlir::ingot::EntryOp entry,
                         const MemberScopes &members) {
  keepAssigns(data, entry, [&](StringRef variable) {
    return llvm::any_of(members, [&](const auto &member) {
      return variable.starts_with(member.second + "/");
    });
  });
  Operation *end = entry.getBody().front().getTerminator();
  OpBuilder::InsertionGuard insertion(data.builder);
  data.builder.setInsertionPoint(end);
  Value loss;
  for (auto [fetch, operand] :
       llvm::zip(entry.getFetches().getAsValueRange<StringAttr>(),
                 end->getOpOperands())) {
    bool isOwn = llvm::any_of(members, [&](const auto &member) {
      return fetch == "subnetwork/" + member.first + "/loss";
    });
    if (isOwn && !loss)
      loss = operand.get();
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (isOwn || !type || !type.hasStaticShape())
      continue;
    operand.set(mlir::ingot::ConstantOp::create(
        data.builder, entry.getLoc(),
        DenseElementsAttr::get(
            type, data.builder.getZeroAttr(type.getElementType()))));
  }
  if (loss && end->getOperand(0).getType() == loss.getType())
    end->setOperand(0, loss);
}

void addPlacedSteps(graph::Graph &graph, const MemberScopes &members,
                    int64_t processes) {
  graph::GraphImpl &data = graph.data();
  auto isMembers = [&](StringRef variable) {
    return llvm::any_of(members, [&](const auto &member) {
      return variable.starts_with(member.second + "/");
    });
  };
  // As in AdaNet's round-robin placement, process 0 trains the ensembles, and
  // the other processes take turns in receiving the members. A process that
  // receives no member trains nothing in this iteration and has no entry
  // (AN-122, AN-123).
  for (int64_t place = processes - 1; place > 0; --place) {
    MemberScopes own;
    for (size_t i = place - 1; i < members.size(); i += processes - 1)
      own.push_back(members[i]);
    if (own.empty())
      continue;
    if (auto entry = copyStep(data, place, processes))
      placeMembers(data, entry, own);
  }
  if (auto entry = copyStep(data, 0, processes))
    keepAssigns(data, entry,
                [&](StringRef variable) { return !isMembers(variable); });
}

} // namespace ingot::ensemble
