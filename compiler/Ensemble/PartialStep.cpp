//===- PartialStep.cpp - A step that trains some of its members -----------===//

#include "compiler/Ensemble/IterationProgram.h"

#include "compiler/Builder/GraphData.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/StateOps.h"

using namespace mlir;

namespace ingot::ensemble {

/// Has an assignment leave the variable as it is where `trains` is false.
static void guard(graph::GraphData &data, mlir::ingot::AssignOp assign,
                  Value trains) {
  OpBuilder::InsertionGuard insertion(data.builder);
  data.builder.setInsertionPoint(assign);
  Value value = assign.getValue();
  auto old = mlir::ingot::ReadOp::create(data.builder, assign.getLoc(),
                                         value.getType(), assign.getVariable());
  Operation *chosen = data.create(assign.getLoc(), "select",
                                  {trains, value, old.getOutput()}, {});
  if (chosen)
    assign.getValueMutable().assign(chosen->getResult(0));
}

void addPartialStep(
    graph::Graph &graph,
    const std::vector<std::pair<std::string, std::string>> &owners) {
  graph::GraphData &data = graph.data();
  auto step = data.module->lookupSymbol<mlir::ingot::EntryOp>("step");
  if (!step)
    return;
  auto some = cast<mlir::ingot::EntryOp>(step->clone());
  data.module->insert(std::next(step->getIterator()), some);
  some.setSymName("step/some");
  some.setRole(mlir::ingot::Role::other);
  Block &body = some.getBody().front();
  SmallVector<Attribute> feeds;
  SmallVector<std::pair<std::string, Value>> trains;
  Type flag = RankedTensorType::get({}, data.builder.getI1Type());
  for (const auto &[name, scope] : owners) {
    feeds.push_back(data.builder.getStringAttr("trains/" + name));
    trains.emplace_back(scope + "/", body.addArgument(flag, some.getLoc()));
  }
  some.setFeedsAttr(data.builder.getArrayAttr(feeds));
  SmallVector<mlir::ingot::AssignOp> assigns(
      body.getOps<mlir::ingot::AssignOp>());
  for (mlir::ingot::AssignOp assign : assigns)
    for (const auto &[scope, value] : trains)
      if (assign.getVariable().starts_with(scope))
        guard(data, assign, value);
}

} // namespace ingot::ensemble
