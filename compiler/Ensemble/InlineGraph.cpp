//===- InlineGraph.cpp - Inlines functions of users' graphs ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/InlineGraph.h"

#include "compiler/Import/Import.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::ensemble {

using namespace graph;

/// The name under which the user's graph is imported as an entry, so that
/// `GraphInliner::find` can look it up.
static constexpr llvm::StringLiteral inlinedEntry("ingot_inlined");

static bool namesSymbol(Operation *op) {
  bool found = false;
  op->walk([&](Operation *inner) {
    for (NamedAttribute attribute : inner->getAttrs())
      found |= isa<FlatSymbolRefAttr>(attribute.getValue());
  });
  return found;
}

// Returns whether two names refer to the same tensor: "x" and "x:0" both refer
// to output 0 of node x.
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

OwningOpRef<ModuleOp> GraphInliner::read() const {
  auto file = importer::readGraph(
      function.file, [&](const llvm::Twine &text) { data.error("", text); });
  if (failed(file))
    return {};
  DiagnosticCollector collect(data);
  if (file->kind == importer::GraphFile::MLIR)
    return parseSourceString<ModuleOp>(file->text, ParserConfig(&data.context),
                                       function.file);
  if (file->kind == importer::GraphFile::GraphDef)
    importer::addConventions(file->graph);
  importer::ImportOptions options;
  options.inputName = function.file;
  options.checkpoint = file->checkpoint;
  options.entries.push_back(
      {inlinedEntry.str(), function.feeds, function.fetches});
  importer::ImportReport report;
  OwningOpRef<ModuleOp> imported =
      importer::importMetaGraph(file->graph, data.context, options, &report);
  for (const std::string &name : report.unknownNames)
    data.error(function.file, "has no node '" + name + "'");
  return imported;
}

/// Returns the entry that computes the function. For a TensorFlow graph it is
/// `inlinedEntry`, which the import has added. If the user's graph is a program
/// in MLIR, there is no entry of that name, so this returns the first entry
/// that has all feeds and fetches of the function.
EntryOp GraphInliner::find() {
  for (auto entry : module.getOps<EntryOp>()) {
    auto has = [](ArrayAttr names) {
      return [names](const std::string &name) {
        return placeOf(name, names).has_value();
      };
    };
    if (getUserName(entry) == inlinedEntry ||
        (llvm::all_of(function.feeds, has(entry.getFeedsAttr())) &&
         llvm::all_of(function.fetches, has(entry.getFetchesAttr()))))
      return entry;
  }
  return {};
}

GraphInliner::GraphInliner(GraphImpl &data,
                           const ImportedGraphFunction &function)
    : data(data), function(function) {
  auto [known, isNew] =
      data.imported.try_emplace(function.file + "\n" + function.name);
  if (isNew)
    known->second = read();
  module = known->second.get();
  if (!module)
    return;
  entry = find();
  if (!entry)
    fail("has no entry that fetches '" + function.fetches.front() +
         "' and takes all feeds of the search");
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

// Replaces the key of a random op, if it is a constant, by its XOR with `salt`,
// so that each clone of the op draws other random numbers. The importer derives
// constant keys from seeds. A key that the graph computes is kept.
static void saltKey(GraphImpl &data, OpOperand &key, uint64_t salt) {
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
// `data.builder`. Keys of random ops are combined with `salt`, so that the
// clones draw other random numbers. Returns null if one of the ops to clone
// refers to a symbol, for example a variable, or if `value` depends on a block
// argument, because neither of these exists at the insertion point.
static Value copyValue(GraphImpl &data, Value value, uint64_t salt,
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

/// Returns an initializer that computes the same initial value for a variable
/// as the init entry of the user's graph does for variable `symbol`. Its random
/// numbers depend on the graph's seeds, the seed of the search and the
/// variable's name. This name contains the iteration, so members of different
/// iterations start with different values.
static Initializer initialValueOf(ModuleOp module, const std::string &symbol,
                                  const std::string &file) {
  return [=](Graph &graph, const std::string &name, DType,
             const Shape &) mutable -> Tensor {
    GraphImpl &data = graph.data();
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
               "cannot copy this variable's initial value from '" + file +
                   "': the value must not depend on other variables, and must "
                   "have a seed if it is random");
    return {};
  };
}

Variable GraphInliner::variable(ReadOp read) {
  auto known = module.lookupSymbol<VariableOp>(read.getVariable());
  auto type = dyn_cast<RankedTensorType>(read.getType());
  if (!known || !type)
    return {};
  return data.graph->variable(
      getUserName(known).str(), shapeOf(type), dtypeOf(type.getElementType()),
      initialValueOf(module, read.getVariable().str(), function.file),
      {.trainable =
           isa<FloatType>(type.getElementType()) &&
           (known.getTrainable() || !statesTrainableVariables(module))});
}

bool GraphInliner::feed(StringRef name, Tensor value) {
  auto place = placeOf(name, entry.getFeedsAttr());
  if (!value || !place)
    return false;
  BlockArgument argument = entry.getBody().getArgument(*place);
  Value fed = unwrap(value);
  if (!areCompatibleTypes(argument.getType(), fed.getType())) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "'" << name << "' has type " << argument.getType()
        << ", but the tensor fed to it has type " << fed.getType();
    return fail(text);
  }
  values.map(argument, fed);
  return true;
}

bool GraphInliner::run() {
  Block &body = entry.getBody().front();
  for (auto [name, argument] : llvm::zip(
           entry.getFeeds().getAsValueRange<StringAttr>(), body.getArguments()))
    if (!values.contains(argument) && !argument.use_empty())
      return fail("needs feed '" + name +
                  "', but the search feeds no tensor to it: list it in the "
                  "search");
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
                  ") uses a table, an iterator or other state, so it cannot be "
                  "computed from the feeds alone");
    }
    data.builder.clone(op, values);
  }
  return true;
}

Tensor GraphInliner::fetch(StringRef name) {
  auto place = placeOf(name, entry.getFetchesAttr());
  Value value =
      place ? values.lookupOrNull(
                  entry.getBody().front().getTerminator()->getOperand(*place))
            : Value();
  return value ? wrap(data, value) : Tensor();
}

} // namespace ingot::ensemble
