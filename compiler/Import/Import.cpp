//===- Import.cpp - Imports TensorFlow graphs -----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Import.h"

#include "compiler/Import/ConstantInit.h"
#include "compiler/Import/Entries/ChooseEntries.h"
#include "compiler/Import/Entries/Entries.h"
#include "compiler/Import/Entries/EntryFeeds.h"
#include "compiler/Import/Entries/FeedShapes.h"
#include "compiler/Import/Entries/OmittedEntryPointReporter.h"
#include "compiler/Import/Entries/StepTargets.h"
#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Graph/FeedableIterators.h"
#include "compiler/Import/Graph/ImportScope.h"
#include "compiler/Import/Graph/NodeLocations.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Saver.h"
#include "compiler/Import/Tables.h"
#include "compiler/Import/UnsupportedOpSurvey.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns the graph's savers. The first one is the saver with which sessions
// save and restore: the one that flag --saver (`asked`) names, otherwise the
// graph's SaverDef. Warns of this choice if the flag is not given and there are
// several savers. Records a problem if the graph has no saver of that name, or
// if it has several savers but neither a SaverDef nor the flag chooses one.
static std::vector<proto::SaverDef>
orderSavers(Program &program, StringRef asked, ImportErrors &problems) {
  std::vector<proto::SaverDef> savers = getSavers(program.source);
  std::string names;
  for (const proto::SaverDef &saver : savers)
    names += (names.empty() ? "'" : ", '") + scopeOf(saver).str() + "'";
  if (!asked.empty()) {
    if (!moveToFront(savers, asked))
      problems.unknownName("--saver: the graph has no saver '" + asked + "'" +
                           (names.empty() ? "" : "; it has " + names));
    return savers;
  }
  if (savers.size() < 2)
    return savers;
  if (program.source.has_saver_def())
    emitWarning(program.module.getLoc())
        << "the graph has several savers, " << names << "; using '"
        << scopeOf(savers.front())
        << "', which the graph's SaverDef describes (choose another with "
           "--saver)";
  else
    problems.unknownName("the graph has several savers and no SaverDef; choose "
                         "one with --saver: " +
                         names);
  return savers;
}

// Imports all savers and returns their entries. The entries of the first saver
// are called `save` and `restore`; the names of other savers' entries begin
// with the saver's scope. If an entry in `taken`, such as a signature of the
// model, is called `save` or `restore`, the names of the first saver's entries
// begin with the saver's scope, too.
static std::vector<EntrySpec> importSavers(Program &program,
                                           ArrayRef<EntrySpec> taken,
                                           StringRef asked,
                                           ImportErrors &problems) {
  std::vector<EntrySpec> entries;
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(
        taken, [&](const EntrySpec &entry) { return entry.name == name; });
  };
  for (const proto::SaverDef &def : orderSavers(program, asked, problems)) {
    SaverOp saver = importSaver(program, def, problems);
    if (!saver)
      continue;
    EntrySpec::FeedSpec feed;
    feed.name = def.filename_tensor_name();
    feed.type = RankedTensorType::get({}, StringType::get(program.context()));
    std::string prefix;
    if (!entries.empty() || isTaken("save") || isTaken("restore"))
      prefix = (saver.getSymName().rsplit('/').first + "/").str();
    for (Role role : {Role::save, Role::restore}) {
      EntrySpec spec;
      spec.name = prefix + stringifyRole(role).str();
      spec.role = role;
      spec.feeds = {feed};
      spec.saver = saver;
      entries.push_back(std::move(spec));
    }
  }
  return entries;
}

static void describe(ImportReport &report, const EntrySpec &spec,
                     EntryOp entry) {
  ImportReport::ImportReportEntry &described = report.entries.emplace_back();
  described.name = spec.name;
  described.role = stringifyRole(spec.role).str();
  for (const EntrySpec::FeedSpec &feed : spec.feeds)
    described.feeds.push_back(
        {feed.name, feed.type ? describeType(feed.type) : ""});
  for (const EntrySpec::FetchSpec &fetch : spec.fetches)
    described.fetches.push_back({fetch.name, ""});
  if (!entry)
    return;
  Block &block = entry.getBody().front();
  for (auto [tensor, argument] :
       llvm::zip(described.feeds, block.getArguments()))
    tensor.type = describeType(argument.getType());
  for (auto [tensor, value] :
       llvm::zip(described.fetches, block.getTerminator()->getOperands()))
    tensor.type = describeType(value.getType());
}

static void describe(ImportReport &report, ModuleOp module) {
  for (auto variable : module.getOps<VariableOp>())
    if (!variable->hasAttr(randomStateAttrName))
      report.variables.push_back(
          {variable.getSymName().str(), describeType(variable.getType()),
           variable.getDevice().str(), variable.getTrainable(),
           variable.getLocal()});
  for (auto iterator : module.getOps<IteratorOp>()) {
    auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(madeIntoAttrName);
    if (first && first.getAttr() != iterator.getSymNameAttr())
      continue;
    ImportReport::ImportReportIteratorInfo &described =
        report.iterators.emplace_back();
    described.name = iterator.getSymName().str();
    for (Attribute component : iterator.getComponents())
      described.components.push_back(
          describeType(cast<TypeAttr>(component).getValue()));
  }
  for (auto saver : module.getOps<SaverOp>())
    report.savers.push_back({saver.getSymName().str(),
                             saver.getFilename().str(), saver.getItems().size(),
                             saver.getNumShards(), saver.getSharded(),
                             static_cast<int>(saver.getMaxToKeep())});
}

// Imports entry `init` of a program whose initial values are in a checkpoint.
// It assigns the values in the checkpoint to the variables, and runs the
// initializers of variables that are not in the checkpoint. All variables must
// have been imported.
static void importInitialValues(Program &program, EntrySpec spec,
                                StringRef checkpoint, ImportErrors &problems,
                                ImportReport &report) {
  spec.name = "init";
  spec.role = Role::init;
  spec.targets.clear();
  {
    ImportErrors::ImportErrorScope scope(problems, spec.name);
    spec.initialValues = readInitialValues(program, checkpoint, problems);
    spec.initialContents = readInitialContents(program, checkpoint, problems);
  }
  llvm::DenseSet<Operation *> known;
  for (InitialVariableValue &initial : spec.initialValues)
    known.insert(initial.variable);
  for (const proto::VariableDef &def :
       getVariables(program.source, "variables")) {
    auto handle = program.graph.findTensor(def.variable_name());
    auto initializer = program.graph.findTensor(def.initializer_name());
    if (!handle || !initializer)
      continue;
    VariableOp variable = program.findVariable(
        program.graph.skipIdentities({handle->first, 0}).first);
    if (variable && !known.contains(variable))
      spec.targets.push_back(initializer->first);
  }
  if (spec.initialValues.empty() && spec.initialContents.empty() &&
      spec.targets.empty())
    return;
  EntryOp entry = importEntry(program, spec, problems);
  if (entry)
    entry->moveBefore(*program.module.getOps<EntryOp>().begin());
  describe(report, spec, entry);
  std::rotate(report.entries.begin(), report.entries.end() - 1,
              report.entries.end());
}

// Records as a problem that the graph has no entries. The message lists nodes
// that no other node uses, as the user probably wants to run one of these.
static void reportNothingToRun(const Graph &graph, ImportErrors &problems) {
  llvm::DenseSet<int> used;
  for (int node = 0; node < graph.size(); ++node) {
    for (Output input : graph[node].inputs)
      used.insert(input.first);
    used.insert(graph[node].controls.begin(), graph[node].controls.end());
  }
  SmallVector<std::string> names;
  for (int node = 0; node < graph.size() && names.size() < 8; ++node)
    if (!used.contains(node))
      names.push_back("'" + graph.qualifiedName(node) + "'");
  problems.unknownName(
      "the graph does not say what to run; name it with --step or --entry" +
      (names.empty() ? std::string()
                     : "; unused nodes: " + llvm::join(names, ", ")));
}

static void importEntries(Program &program, const ImportOptions &options,
                          const AdaNetEntryPointNodes *adanet,
                          ImportErrors &problems, ImportReport &report) {
  std::vector<EntrySpec> entries =
      findEntries(program, options, adanet, problems);
  chooseEntries(options, entries, problems);
  llvm::append_range(entries,
                     importSavers(program, entries, options.saver, problems));
  bool hasValues = !options.checkpoint.empty();
  if (hasValues)
    llvm::erase_if(
        entries, [](const EntrySpec &spec) { return spec.role == Role::init; });
  if (entries.empty() && problems.empty())
    reportNothingToRun(program.graph, problems);
  FeedShapes shapes(program, options.shapes, problems);
  OmittedEntryPointReporter leftOut;
  bool runs = false;
  for (EntrySpec &spec : entries) {
    shapes.complete(spec);
    ImportErrors own;
    EntryOp entry = importNeeded(program, spec, own);
    if (!entry && spec.isOptional) {
      leftOut.add(spec.name, std::move(own));
      continue;
    }
    problems.merge(std::move(own));
    warnOfQueues(program, spec);
    warnOfDeadUpdates(program, spec);
    bool isAsked = spec.role == Role::other || spec.role == Role::predict ||
                   spec.role == Role::evaluate;
    runs |= entry &&
            (spec.role == Role::step || (isAsked && !spec.fetches.empty()));
    // A step, and a partial step that runs in its place, also fetch the tensors
    // that hooks may use. If there are such tensors, import the entry again
    // with these additional fetches.
    if (entry && (spec.role == Role::step || spec.role == Role::partial_step)) {
      size_t before = spec.fetches.size();
      addObservable(program, spec, findObservable(program));
      if (spec.fetches.size() != before) {
        program.remove(entry);
        entry = importEntry(program, spec, problems);
      }
    }
    describe(report, spec, entry);
    if (entry && spec.isPrediction) {
      ProgramAttrFields facts = getProgramFacts(program.module);
      facts.prediction = FlatSymbolRefAttr::get(entry.getSymNameAttr());
      setProgramFacts(program.module, facts);
    }
  }
  leftOut.report(program, runs, problems);
  shapes.reportUnused(problems);
  for (EntryOp entry : program.module.getOps<EntryOp>())
    linkEntry(entry);
  importPartsSaver(program, problems);
  if (hasValues)
    importInitialValues(program, {}, options.checkpoint, problems, report);
  if (!problems.empty())
    surveyOps(program, entries, problems);
}

static void setAttributes(Program &program, const ImportOptions &options) {
  Builder builder(program.context());
  ModuleOp module = program.module;
  auto stringOrNull = [&](StringRef value) {
    return value.empty() ? nullptr : builder.getStringAttr(value);
  };
  ProgramAttrFields facts = getProgramFacts(module);
  facts.source = stringOrNull(options.inputName);
  std::string loss = findLoss(program);
  // If no collection names the loss, use the fetch "loss" of a step that was
  // made from a signature.
  if (loss.empty())
    for (EntryOp entry : program.module.getOps<EntryOp>())
      if (entry.getRole() == Role::step &&
          llvm::is_contained(entry.getFetches().getAsValueRange<StringAttr>(),
                             "loss"))
        loss = "loss";
  facts.loss = stringOrNull(loss);
  facts.tensorflowVersion =
      stringOrNull(program.source.meta_info_def().tensorflow_version());
  if (VariableOp step = findGlobalStep(program))
    facts.globalStep = FlatSymbolRefAttr::get(step.getSymNameAttr());
  setProgramFacts(module, facts);
}

// Finds the nodes of AdaNet's entries. Adds the nodes that evaluate the
// candidates to a copy of the graph: `nodes` receives the copy, and `graph`
// becomes its index. Returns std::nullopt, and changes nothing, if AdaNet did
// not make the graph.
static std::optional<AdaNetEntryPointNodes>
findAdaNetEntries(const proto::MetaGraphDef &source, Graph &graph,
                  proto::GraphDef &nodes) {
  std::optional<NodesRunByAdaNetHooks> adanet = findAdaNet(source, graph);
  if (!adanet)
    return std::nullopt;
  nodes = source.graph_def();
  AdaNetEntryPointNodes entries = {
      *adanet, addAdaNetEvaluation(source, graph, *adanet, nodes)};
  // Ignore the problems of indexing here, since they were recorded when the
  // graph was indexed for the first time.
  ImportErrors known;
  graph = Graph::index(nodes, known);
  entries.graph = *findAdaNet(source, graph);
  return entries;
}

OwningOpRef<ModuleOp> importMetaGraph(const proto::MetaGraphDef &given,
                                      MLIRContext &context,
                                      const ImportOptions &options,
                                      ImportReport *report) {
  ImportErrors problems;
  proto::MetaGraphDef changed;
  bool connects = !options.iterators.empty() || hasFeedableIterators(given);
  bool isChanged = !options.importScope.empty() || connects;
  if (isChanged)
    changed = given;
  if (!options.importScope.empty()) {
    addScopeToResources(changed, options.importScope);
    addImportScope(changed, options.importScope);
  }
  if (connects)
    connectFeedableIterators(changed, options.iterators, problems);
  const proto::MetaGraphDef &source = isChanged ? changed : given;
  context.loadDialect<IngotDialect, func::FuncDialect>();
  ImportReport discarded;
  ImportReport &found = report ? *report : discarded;
  Location loc = UnknownLoc::get(&context);
  if (!options.inputName.empty())
    loc = NameLoc::get(StringAttr::get(&context, options.inputName));

  // Silence protobuf's messages about collections that do not parse:
  // `checkCollections` reports them.
  google::protobuf::LogSilencer silencer;
  checkCollections(source, problems);
  std::vector<std::string> targets = getNames(source, "train_op");
  llvm::append_range(targets, options.step);
  for (const ImportOptions::UserDefinedEntry &entry : options.entries)
    llvm::append_range(targets, entry.fetches);
  Graph graph = Graph::index(source.graph_def(), problems, targets);
  proto::GraphDef extended;
  std::optional<AdaNetEntryPointNodes> adanet =
      findAdaNetEntries(source, graph, extended);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  Program program(*module, source, graph);
  program.upgradeSavers = options.upgradeSavers;
  for (const std::string &name : options.feeds)
    if (auto tensor = graph.findTensor(name))
      program.queues.fed.insert({tensor->first, std::max(tensor->second, 0)});
    else
      problems.unknownName("--feed: the graph has no tensor '" + name + "'");
  program.updatingRunners.find(program);
  program.queues.import(program);
  importEntries(program, options, adanet ? &*adanet : nullptr, problems, found);
  ImportedQueues::eraseUnused(*module);
  program.arrange();
  markConstantInit(*module);
  markPersistentTables(*module, problems);
  setAttributes(program, options);
  describe(found, *module);
  if (!problems.empty()) {
    NodeLocations origins(source.graph_def());
    problems.locate([&](StringRef node) { return origins.find(node); });
    problems.emit(loc);
    problems.moveTo(found);
    return {};
  }
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace ingot::importer
