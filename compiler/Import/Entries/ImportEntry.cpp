//===- ImportEntry.cpp - Imports one entry --------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/ReportUninitialized.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static EntryOp createEntry(Program &program, const EntrySpec &spec,
                           ImportErrors &problems) {
  SmallVector<StringRef> feeds, fetches;
  for (const EntrySpec::FeedSpec &feed : spec.feeds)
    feeds.push_back(feed.name);
  for (const EntrySpec::FetchSpec &fetch : spec.fetches)
    fetches.push_back(fetch.name);
  OpBuilder builder(program.context());
  Location loc = NameLoc::get(builder.getStringAttr(spec.name));
  auto entry = EntryOp::create(
      builder, loc, builder.getStringAttr(spec.name),
      RoleAttr::get(builder.getContext(), spec.role),
      builder.getStrArrayAttr(feeds), builder.getStrArrayAttr(fetches),
      builder.getArrayAttr({}), builder.getArrayAttr({}), /*of=*/{},
      /*member=*/{}, /*place=*/{});
  Block &block = entry.getBody().emplaceBlock();
  for (const EntrySpec::FeedSpec &feed : spec.feeds) {
    std::string error;
    TensorType type = typeOfFeed(program, feed, error);
    if (!type) {
      problems.malformed("feed '" + feed.name +
                         "' has an unsupported type: " + error);
      type = UnrankedTensorType::get(builder.getF32Type());
    }
    block.addArgument(type, loc);
  }
  return entry;
}

static void assignConstant(OpBuilder &builder,
                           const InitialVariableValue &initial) {
  VariableOp variable = initial.variable;
  Value value = createConstant(builder, variable.getLoc(), initial.value);
  AssignOp::create(builder, variable.getLoc(), variable.getSymName(), value);
}

static void assignContents(OpBuilder &builder,
                           const InitialTableContents &initial) {
  TableOp table = initial.table;
  Location loc = table.getLoc();
  auto value = cast<RankedTensorType>(table.getValueType());
  TableInsertOp::create(
      builder, loc, TypeRange(),
      {createConstant(builder, loc, initial.keys),
       createConstant(builder, loc, initial.values)},
      {builder.getNamedAttr("table", FlatSymbolRefAttr::get(table)),
       builder.getNamedAttr("mode", builder.getStringAttr("assign")),
       builder.getNamedAttr("value_shape",
                            builder.getDenseI64ArrayAttr(value.getShape()))});
}

// Makes the assignment conditional: it writes the variable's old value, and so
// changes nothing, unless `trains` is true.
static void gateAssign(OpBuilder &builder, AssignOp assign, Value trains) {
  Location loc = assign.getLoc();
  Value next = assign.getValue();
  Value now =
      ReadOp::create(builder, loc, next.getType(), assign.getVariableAttr());
  assign.getValueMutable().assign(
      SelectOp::create(builder, loc, next.getType(), trains, next, now));
}

// Runs `op`, which changes a lookup table and has no results, only if `trains`
// is true.
static void gateTableChange(OpBuilder &builder, Operation *op, Value trains) {
  auto branch = IfOp::create(builder, op->getLoc(), TypeRange(), trains);
  for (Region *region : {&branch.getThenBranch(), &branch.getElseBranch()}) {
    builder.setInsertionPointToStart(&region->emplaceBlock());
    ResultOp::create(builder, op->getLoc(), ValueRange());
  }
  op->moveBefore(branch.getThenBranch().front().getTerminator());
}

namespace {
/// Lets nodes change variables and lookup tables only if bool feeds of the
/// entry allow it (`EntrySpec::gates`). If none of a node's feeds is true, the
/// variables and tables that it changes keep their values.
class ConditionalStateUpdates {
public:
  explicit ConditionalStateUpdates(const EntrySpec &spec) : spec(spec) {}

  /// Records the ops by which gated nodes change variables and lookup tables,
  /// as `body` imports the nodes.
  void watch(BlockImport &body) {
    if (spec.gates.empty())
      return;
    body.onImport = [this, &graph = body.graph](int node, Operation &op) {
      auto gate = spec.gates.find(graph.qualifiedName(node));
      if (gate == spec.gates.end())
        return;
      op.walk([&](Operation *inner) {
        if (isa<AssignOp>(inner) || getChangedTable(inner))
          changes.push_back({inner, gate->second});
      });
    };
  }

  void add(Block &block) const {
    for (const auto &[op, feeds] : changes) {
      OpBuilder builder(op);
      Value trains;
      for (unsigned feed : feeds) {
        Value one = block.getArgument(feed);
        trains = trains ? LogicalOrOp::create(builder, op->getLoc(),
                                              one.getType(), trains, one)
                              .getResult()
                        : one;
      }
      if (auto assign = dyn_cast<AssignOp>(op))
        gateAssign(builder, assign, trains);
      else
        gateTableChange(builder, op, trains);
    }
  }

private:
  const EntrySpec &spec;
  SmallVector<std::pair<Operation *, ArrayRef<unsigned>>> changes;
};
} // namespace

// Imports the nodes that an entry needs into its block. On failure, records
// problems and returns false.
static bool fillEntry(Program &program, const EntrySpec &spec, EntryOp entry,
                      ImportErrors &problems) {
  bool isInitializer = spec.role == Role::init || spec.role == Role::local_init;
  llvm::SaveAndRestore within(
      program.place, isInitializer ? Program::ExecutionPlace::Initializer
                                   : Program::ExecutionPlace::Entry);
  Block &block = entry.getBody().front();
  BlockImport body(program, program.graph, block, problems);
  ConditionalStateUpdates gates(spec);
  gates.watch(body);
  SmallVector<Value> results;
  bool isReady =
      spec.role == Role::ready || spec.role == Role::ready_for_local_init;
  SaverOp saver = spec.saver;
  if (saver && spec.role == Role::save) {
    SaveOp::create(body.builder, saver.getLoc(), saver.getSymName(),
                   block.getArgument(0));
  } else if (saver) {
    RestoreOp::create(body.builder, saver.getLoc(), saver.getSymName(),
                      block.getArgument(0));
  } else if (isReady && isReportUninitialized(program.graph, spec.targets)) {
    if (!importReportUninitialized(program, spec.targets, body.builder,
                                   entry.getLoc(), problems))
      return false;
  } else {
    for (const InitialVariableValue &initial : spec.initialValues)
      assignConstant(body.builder, initial);
    for (const InitialTableContents &initial : spec.initialContents)
      assignContents(body.builder, initial);
    for (auto [feed, argument] : llvm::zip(spec.feeds, block.getArguments()))
      if (feed.tensor.first >= 0)
        body.feed(feed.tensor, argument);
    SmallVector<int> targets(spec.targets.begin(), spec.targets.end());
    for (const EntrySpec::FetchSpec &fetch : spec.fetches)
      if (!body.value(fetch.tensor))
        targets.push_back(fetch.tensor.first);
    if (!isInitializer)
      program.updatingRunners.start(body, targets, entry.getLoc());
    body.import(targets);
    for (const EntrySpec::FetchSpec &fetch : spec.fetches) {
      const auto &dead = program.graph.raised().dead;
      if (auto found = dead.find(fetch.tensor.first); found != dead.end()) {
        int exit = found->second.exit;
        problems.malformed("fetch '" + fetch.name + "' of entry '" + spec.name +
                           "' is dead in TensorFlow: Exit '" +
                           program.graph.qualifiedName(exit) +
                           "', on which it depends, " +
                           whyExitIsDead(program.graph, exit));
        continue;
      }
      // If a fetch is a reference variable, `current` creates a read of it
      // here, after all other ops, so that the fetch sees the updates of this
      // run.
      Value value = body.current(fetch.tensor, entry.getLoc());
      if (value && isa<TensorType>(value.getType()))
        results.push_back(value);
      else if (problems.empty() && !body.hasFailed())
        problems.malformed("fetch '" + fetch.name + "' of entry '" + spec.name +
                           "' is not a tensor");
    }
  }
  if (!problems.empty() || body.hasFailed())
    return false;
  ReturnOp::create(body.builder, entry.getLoc(), results);
  gates.add(block);
  if (spec.role == Role::local_init)
    program.updatingRunners.keepState(entry);
  BlockImport::eraseDead(block);
  return true;
}

size_t tryImport(Program &program, const EntrySpec &spec,
                 llvm::function_ref<void(Block &)> look) {
  ImportErrors found;
  EntryOp entry = createEntry(program, spec, found);
  fillEntry(program, spec, entry, found);
  look(entry.getBody().front());
  entry.erase();
  return found.size();
}

EntryOp importEntry(Program &program, const EntrySpec &spec,
                    ImportErrors &problems) {
  ImportErrors::ImportErrorScope scope(problems, spec.name);
  // Collect the problems of this entry separately, to find out whether it has
  // any.
  ImportErrors own;
  ImportErrors::ImportErrorScope ownScope(own, spec.name);
  EntryOp entry = createEntry(program, spec, own);
  bool filled = fillEntry(program, spec, entry, own) && own.empty();
  problems.merge(std::move(own));
  if (!filled) {
    entry.erase();
    return {};
  }
  entry.setSymNameAttr(program.uniqueSymbol(spec.name));
  setUserName(entry, spec.name);
  if (!spec.targets.empty()) {
    SmallVector<std::string> targets;
    for (int node : spec.targets)
      targets.push_back(program.graph.qualifiedName(node));
    entry->setAttr(targetsAttrName,
                   OpBuilder(entry).getStrArrayAttr(
                       SmallVector<StringRef>(targets.begin(), targets.end())));
  }
  if (!spec.member.empty())
    entry.setMember(spec.member);
  program.module.push_back(entry);
  return entry;
}

void addObservable(Program &program, EntrySpec &spec,
                   ArrayRef<EntrySpec::FetchSpec> candidates) {
  const Graph &graph = program.graph;
  SmallVector<int> targets(spec.targets.begin(), spec.targets.end());
  for (const EntrySpec::FetchSpec &fetch : spec.fetches)
    targets.push_back(fetch.tensor.first);
  llvm::DenseSet<int> computed = reach(graph, targets, {});
  auto isHarmless = [&](int node) {
    const OpTableRow *info = findOp(graph[node].op());
    return computed.contains(node) ||
           (info && program.effectOf(graph, node) <= Effect::Reads);
  };
  for (const EntrySpec::FetchSpec &candidate : candidates) {
    if (llvm::any_of(spec.fetches, [&](const EntrySpec::FetchSpec &fetch) {
          return fetch.tensor == candidate.tensor;
        }))
      continue;
    if (!llvm::all_of(reach(graph, candidate.tensor.first, {}), isHarmless))
      continue;
    // As a trial, import an entry that fetches only this candidate, to find out
    // whether its nodes can be compiled. Problems of this import are not
    // reported.
    ImportErrors ignored;
    EntrySpec trial;
    trial.fetches = {candidate};
    EntryOp entry = createEntry(program, trial, ignored);
    if (fillEntry(program, trial, entry, ignored)) {
      Operation *end = entry.getBody().front().getTerminator();
      auto type = cast<TensorType>(end->getOperand(0).getType());
      if (type.getElementType().isIntOrFloat())
        spec.fetches.push_back(candidate);
    }
    entry.erase();
  }
}

} // namespace ingot::importer
