//===- Import.cpp - From TensorFlow's graphs to an ingot module -----------===//

#include "compiler/Import/Import.h"

#include "compiler/Import/Collections.h"
#include "compiler/Import/Entries.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Saver.h"
#include "compiler/Import/Types.h"
#include "dialects/Ingot/RandomOps.h"
#include "mlir/IR/Verifier.h"
#include <google/protobuf/stubs/logging.h>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// The entries of all savers: `save` and `restore` for the first, those of the
// others called after their scopes.
static std::vector<EntrySpec> importSavers(Program &program,
                                           Problems &problems) {
  std::vector<EntrySpec> entries;
  for (const proto::SaverDef &def : getSavers(program.source)) {
    SaverOp saver = importSaver(program, def, problems);
    if (!saver)
      continue;
    EntrySpec::Feed feed;
    feed.name = def.filename_tensor_name();
    feed.type = RankedTensorType::get({}, StringType::get(program.context()));
    std::string prefix;
    if (!entries.empty())
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

static void describe(Report &report, const EntrySpec &spec, EntryOp entry) {
  Report::Entry &described = report.entries.emplace_back();
  described.name = spec.name;
  described.role = stringifyRole(spec.role).str();
  for (const EntrySpec::Feed &feed : spec.feeds)
    described.feeds.push_back(
        {feed.name, feed.type ? describeType(feed.type) : ""});
  for (const EntrySpec::Fetch &fetch : spec.fetches)
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

static void describe(Report &report, ModuleOp module) {
  for (auto variable : module.getOps<VariableOp>())
    if (!variable->hasAttr(randomStateAttrName))
      report.variables.push_back(
          {variable.getSymName().str(), describeType(variable.getType()),
           variable.getDevice().str(), variable.getTrainable(),
           variable.getLocal()});
  for (auto iterator : module.getOps<IteratorOp>()) {
    Report::Iterator &described = report.iterators.emplace_back();
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

static void importEntries(Program &program, const ImportOptions &options,
                          Problems &problems, Report &report) {
  std::vector<EntrySpec> entries = findEntries(program, options, problems);
  llvm::append_range(entries, importSavers(program, problems));
  for (EntrySpec &spec : entries) {
    EntryOp entry = importEntry(program, spec, problems);
    if (entry && spec.role == Role::step) {
      size_t before = spec.fetches.size();
      addObservable(program, spec, findObservable(program));
      if (spec.fetches.size() != before) {
        program.remove(entry);
        entry = importEntry(program, spec, problems);
      }
    }
    describe(report, spec, entry);
  }
}

static void setAttributes(Program &program, const ImportOptions &options) {
  Builder builder(program.context());
  ModuleOp module = program.module;
  auto setString = [&](StringRef name, StringRef value) {
    if (!value.empty())
      module->setAttr(name, builder.getStringAttr(value));
  };
  setString("ingot.source", options.inputName);
  setString("ingot.loss", findLoss(program));
  setString("ingot.tensorflow_version",
            program.source.meta_info_def().tensorflow_version());
  if (VariableOp step = findGlobalStep(program))
    module->setAttr("ingot.global_step",
                    FlatSymbolRefAttr::get(step.getSymNameAttr()));
}

OwningOpRef<ModuleOp> importMetaGraph(const proto::MetaGraphDef &source,
                                      MLIRContext &context,
                                      const ImportOptions &options,
                                      Report *report) {
  context.loadDialect<IngotDialect, func::FuncDialect>();
  Report discarded;
  Report &found = report ? *report : discarded;
  Location loc = UnknownLoc::get(&context);
  if (!options.inputName.empty())
    loc = NameLoc::get(StringAttr::get(&context, options.inputName));

  Problems problems;
  // What it prints of collections that do not parse is said by messages.
  google::protobuf::LogSilencer silencer;
  checkCollections(source, problems);
  Graph graph = Graph::index(source.graph_def(), problems);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  Program program(*module, source, graph);
  importEntries(program, options, problems, found);
  program.arrange();
  setAttributes(program, options);
  describe(found, *module);
  if (!problems.empty()) {
    problems.emit(loc);
    problems.moveTo(found);
    return {};
  }
  if (failed(verify(*module)))
    return {};
  return module;
}

} // namespace ingot::importer
