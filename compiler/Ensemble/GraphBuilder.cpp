//===- GraphBuilder.cpp - Builds members from users' graphs ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A member that is a user's graph: the ops of one of the graph's entries are
// cloned into the search's program, and the variables that they read become
// variables of the member.
//
//===----------------------------------------------------------------------===//

#include "compiler/Ensemble/InlineGraph.h"
#include "ingot/adanet.h"

namespace ingot::adanet {

using namespace graph;

namespace {

/// Builds a member of the ensemble from a user's graph file.
class GraphBuilder final : public Builder {
public:
  GraphBuilder(Optimizer optimizer, GraphModel given)
      : trainedBy(std::move(optimizer)), model(std::move(given)),
        function{.file = model.file,
                 .name = model.name,
                 .feeds = {},
                 .fetches = {model.logits}} {
    for (const auto &[tensor, feature] : model.features)
      function.feeds.push_back(tensor);
    if (!model.lastLayer.empty())
      function.fetches.push_back(model.lastLayer);
  }

  std::string name() const override { return model.name; }
  Optimizer optimizer() const override { return trainedBy; }
  std::optional<Dataset> input() const override { return model.input; }
  Subnetwork build(BuildContext &context) const override;

private:
  Optimizer trainedBy;
  GraphModel model;
  ensemble::GraphFunction function;
};

} // namespace

// Returns whether two names mean the same tensor: "x" and "x:0" both name
// output 0 of node x.
static bool isTensor(StringRef name, StringRef other) {
  name.consume_back(":0");
  other.consume_back(":0");
  return name == other;
}

static std::optional<size_t> placeOf(StringRef name, ArrayAttr names) {
  for (auto [place, other] :
       llvm::enumerate(names.getAsValueRange<StringAttr>()))
    if (isTensor(name, other))
      return place;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Import of the user's graph

OwningOpRef<ModuleOp> GraphBuilder::read(GraphData &data) const {
  auto file = importer::readGraph(
      model.file, [&](const llvm::Twine &message) { data.error("", message); });
  if (failed(file))
    return {};
  DiagnosticCollector collect(data);
  if (file->kind == importer::GraphFile::MLIR)
    return parseSourceString<ModuleOp>(file->text, ParserConfig(&data.context),
                                       model.file);
  if (file->kind == importer::GraphFile::GraphDef)
    importer::addConventions(file->graph);
  importer::ImportOptions options;
  options.inputName = model.file;
  options.checkpoint = file->checkpoint;
  importer::ImportOptions::Entry entry{memberEntry.str(), {}, fetches()};
  for (const auto &[tensor, feature] : model.features)
    entry.feeds.push_back(tensor);
  options.entries.push_back(std::move(entry));
  importer::ImportReport report;
  OwningOpRef<ModuleOp> module =
      importer::importMetaGraph(file->graph, data.context, options, &report);
  for (const std::string &name : report.unknownNames)
    data.error(model.file, "has no node '" + name + "'");
  return module;
}

ModuleOp GraphBuilder::load(GraphData &data) const {
  auto [known, isNew] =
      data.imported.try_emplace(model.file + "\n" + model.name);
  if (isNew)
    known->second = read(data);
  return known->second.get();
}

/// Returns the entry of the user's graph that computes the member. For a
/// TensorFlow graph it is `memberEntry`, which the import has added. A program
/// in MLIR has no entry of that name: its first entry with all requested feeds
/// and fetches is returned.
EntryOp GraphBuilder::find(ModuleOp module) const {
  for (auto entry : module.getOps<EntryOp>()) {
    bool fits = getUserName(entry) == memberEntry;
    if (!fits) {
      fits = true;
      for (const auto &[tensor, feature] : model.features)
        fits &= placeOf(tensor, entry.getFeedsAttr()).has_value();
      for (const std::string &name : fetches())
        fits &= placeOf(name, entry.getFetchesAttr()).has_value();
    }
    if (fits)
      return entry;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Cloning values of the user's graph

// Returns the operand of a random op that holds its key, which selects a
// sequence of random numbers. Returns null for other ops.
static OpOperand *keyOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, OpOperand *>(op)
      .Case<StatelessRandomUniformIntOp, StatelessRandomUniformFullIntOp,
            StatelessRandomUniformOp, StatelessRandomNormalOp,
            StatelessTruncatedNormalOp, RandomShuffleOp, MultinomialOp>(
          [](auto draw) { return &draw.getKeyMutable(); })
      .Default(nullptr);
}

// Replaces a constant key by its XOR with `salt`. The importer derives constant
// keys from seeds; a key that the graph computes is kept.
static void saltKey(GraphData &data, OpOperand &key, uint64_t salt) {
  DenseIntElementsAttr elements;
  if (!matchPattern(key.get(), m_Constant(&elements)))
    return;
  OpBuilder::InsertionGuard guard(data.builder);
  data.builder.setInsertionPoint(key.getOwner());
  auto salted = elements.mapValues(
      elements.getElementType(), [&](const llvm::APInt &value) {
        return value ^ llvm::APInt(value.getBitWidth(), salt,
                                   /*isSigned=*/false, /*implicitTrunc=*/true);
      });
  key.set(data.constant(cast<ElementsAttr>(salted)));
}

// Clones `value` and the ops that it depends on to the insertion point of
// `data.builder`. Keys of random ops are combined with `salt`. Returns null if
// one of these ops refers to a symbol, such as a variable, or if `value`
// depends on a block argument: the search's program has neither the symbols nor
// the block arguments of the user's graph.
static Value copyValue(GraphData &data, Value value, uint64_t salt,
                       IRMapping &values) {
  if (Value known = values.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  if (!op || namesSymbol(op))
    return {};
  for (Value operand : op->getOperands())
    if (!copyValue(data, operand, salt, values))
      return {};
  Operation *copy = data.builder.clone(*op, values);
  if (OpOperand *key = keyOf(copy))
    saltKey(data, *key, salt);
  return values.lookup(value);
}

/// Returns an initializer that computes the initial value which the init entry
/// of the user's graph assigns to variable `symbol`. Random numbers depend on
/// the graph's seeds, on the seed of the search, and on the variable's name,
/// which contains the iteration: later members are no copies of earlier ones.
static Initializer initialValueOf(ModuleOp module, const std::string &symbol,
                                  const std::string &file) {
  return [=](Graph &graph, const std::string &name, DType,
             const Shape &) mutable -> Tensor {
    GraphData &data = graph.data();
    for (auto entry : module.getOps<EntryOp>()) {
      if (entry.getRole() != mlir::ingot::Role::init)
        continue;
      for (auto assign : entry.getBody().front().getOps<AssignOp>())
        if (assign.getVariable() == symbol) {
          IRMapping values;
          std::string salt =
              std::to_string(data.seed.value_or(0)) + "\n" + name;
          if (Value value = copyValue(data, assign.getValue(),
                                      llvm::xxh3_64bits(salt), values))
            return wrap(data, value);
        }
    }
    data.error(name,
               "'" + file +
                   "' has no initial value for this variable that members can "
                   "compute: the value must not depend on variables, and needs "
                   "a seed if it is random");
    return {};
  };
}

Variable EntryInliner::variable(ReadOp read) {
  auto known = module.lookupSymbol<VariableOp>(read.getVariable());
  auto type = dyn_cast<RankedTensorType>(read.getType());
  if (!known || !type)
    return {};
  return data.graph->variable(
      getUserName(known).str(), shapeOf(type), dtypeOf(type.getElementType()),
      initialValueOf(module, read.getVariable().str(), file),
      {.trainable =
           isa<FloatType>(type.getElementType()) &&
           (known.getTrainable() || !statesTrainableVariables(module))});
}

bool EntryInliner::feed(StringRef name, Tensor feature, EntryOp entry) {
  auto place = placeOf(name, entry.getFeedsAttr());
  if (!feature || !place)
    return false;
  BlockArgument argument = entry.getBody().getArgument(*place);
  Value value = unwrap(feature);
  if (!areCompatibleTypes(argument.getType(), value.getType())) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "'" << name << "' has type " << argument.getType()
        << ", but its feature has type " << value.getType();
    return fail(text);
  }
  values.map(argument, value);
  return true;
}

bool EntryInliner::run(EntryOp entry) {
  Block &body = entry.getBody().front();
  for (auto [name, argument] : llvm::zip(
           entry.getFeeds().getAsValueRange<StringAttr>(), body.getArguments()))
    if (!values.contains(argument) && !argument.use_empty())
      return fail("needs the feed '" + name +
                  "', but no feature is mapped to it");
  for (Operation &op : body.without_terminator()) {
    if (auto read = dyn_cast<ReadOp>(op)) {
      Tensor value = variable(read).read();
      if (!value)
        return false;
      values.map(read.getOutput(), unwrap(value));
      continue;
    }
    if (namesSymbol(&op)) {
      auto name = dyn_cast<NameLoc>(op.getLoc());
      return fail("'" + (name ? name.getName().str() : "an op") + "' (" +
                  op.getName().getStringRef() +
                  ") cannot be computed from the features alone");
    }
    data.builder.clone(op, values);
  }
  return true;
}

Value EntryInliner::fetch(StringRef name, EntryOp entry) {
  auto place = placeOf(name, entry.getFetchesAttr());
  if (!place)
    return {};
  return values.lookupOrNull(
      entry.getBody().front().getTerminator()->getOperand(*place));
}

Subnetwork GraphBuilder::build(BuildContext &context) const {
  GraphData &data = context.graph.data();
  ensemble::GraphInliner inliner(data, function);
  if (!inliner.isValid())
    return {};
  for (const auto &[tensor, name] : model.features) {
    auto feature = context.features.find(name);
    if (feature == context.features.end()) {
      data.error(model.file,
                 "no feature '" + name + "' for '" + tensor +
                     "': map the tensor to a feature of the search");
      return {};
    }
    if (!inliner.feed(tensor, feature->second.values))
      return {};
  }
  if (!inliner.run())
    return {};
  Subnetwork network;
  network.complexity = model.complexity;
  if (Tensor logits = inliner.fetch(model.logits))
    network.logits = network.lastLayer = logits;
  if (!model.lastLayer.empty())
    if (Tensor layer = inliner.fetch(model.lastLayer))
      network.lastLayer = layer;
  return network;
}

std::shared_ptr<const Builder> graphBuilder(Optimizer optimizer,
                                            GraphModel model) {
  return std::make_shared<GraphBuilder>(std::move(optimizer), std::move(model));
}

} // namespace ingot::adanet
