//===- SequenceExampleOps.cpp - Parsing of SequenceExamples ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The context of a SequenceExample has the same field number as the features of
// an Example. So the ops that parse Examples also parse the context; they skip
// the feature lists. A separate op parses the feature lists.
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ParseExampleFeatureSpecs.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/StringOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// The features that a ParseSequenceExample node parses: those of the context,
/// and feature lists. The latter have no defaults.
struct SequenceFeatures {
  ParseExampleFeatureSpecs context, lists;
  /// For each dense list, whether examples may lack it.
  Value assumedEmpty;
};

} // namespace

static void readTexts(NodeImport &node, StringRef attribute,
                      std::vector<std::string> &texts) {
  if (const proto::AttrValue::ListValue *list =
          node.attributes.getList(attribute))
    texts.assign(list->s().begin(), list->s().end());
}

static Value boolConstant(NodeImport &node, ArrayRef<bool> flags) {
  auto type = RankedTensorType::get({static_cast<int64_t>(flags.size())},
                                    IntegerType::get(node.context(), 1));
  return createConstant(node.body.builder, node.loc,
                        DenseElementsAttr::get(type, flags));
}

// Reads the keys of a `ParseSequenceExample`, which are attributes.
static bool readSequenceKeys(NodeImport &node, SequenceFeatures &features) {
  ParseExampleFeatureSpecs &context = features.context, &lists = features.lists;
  context.firstDefault = 2;
  if (!node.expectInputs(2 + context.denseTypes.size()))
    return false;
  readTexts(node, "context_sparse_keys", context.sparseKeys);
  readTexts(node, "context_dense_keys", context.denseKeys);
  readTexts(node, "feature_list_sparse_keys", lists.sparseKeys);
  readTexts(node, "feature_list_dense_keys", lists.denseKeys);
  std::vector<std::string> missing;
  readTexts(node, "feature_list_dense_missing_assumed_empty", missing);
  SmallVector<bool> flags;
  for (const std::string &key : lists.denseKeys)
    flags.push_back(llvm::is_contained(missing, key));
  features.assumedEmpty = boolConstant(node, flags);
  return true;
}

// Reads the keys of a `ParseSequenceExampleV2`, which are inputs.
static bool readSequenceInputs(NodeImport &node, SequenceFeatures &features) {
  ParseExampleFeatureSpecs &context = features.context, &lists = features.lists;
  context.firstDefault = 9;
  if (!node.expectInputs(9 + context.denseTypes.size()) ||
      !addKeys(node, 2, context.sparseKeys) ||
      !addKeys(node, 3, context.denseKeys) ||
      !addKeys(node, 4, context.raggedKeys) ||
      !addKeys(node, 5, lists.sparseKeys) ||
      !addKeys(node, 6, lists.denseKeys) || !addKeys(node, 7, lists.raggedKeys))
    return false;
  features.assumedEmpty = node.tensor(8);
  return bool(features.assumedEmpty);
}

static bool checkCounts(NodeImport &node, StringRef kind,
                        const ParseExampleFeatureSpecs &features) {
  return checkCount(node, (kind + " sparse").str(), features.sparseKeys.size(),
                    features.sparseTypes.size()) &&
         checkCount(node, (kind + " dense").str(), features.denseKeys.size(),
                    features.denseTypes.size()) &&
         checkCount(node, (kind + " ragged").str(), features.raggedKeys.size(),
                    features.raggedTypes.size());
}

static void readTypes(NodeImport &node, SequenceFeatures &features) {
  ParseExampleFeatureSpecs &context = features.context, &lists = features.lists;
  context.denseShapes = "context_dense_shapes";
  context.sparseTypes = node.attributes.getTypes("context_sparse_types");
  context.denseTypes = node.attributes.getTypes("Tcontext_dense");
  context.raggedTypes = node.attributes.getTypes("context_ragged_value_types");
  context.splitTypes = node.attributes.getTypes("context_ragged_split_types");
  lists.denseShapes = "feature_list_dense_shapes";
  lists.sparseTypes = node.attributes.getTypes("feature_list_sparse_types");
  lists.denseTypes = node.attributes.getTypes("feature_list_dense_types");
  lists.raggedTypes =
      node.attributes.getTypes("feature_list_ragged_value_types");
  lists.splitTypes =
      node.attributes.getTypes("feature_list_ragged_split_types");
}

// Returns the list of shapes in the node's attribute `attribute` as an array
// attribute. If a shape is not static, or the number of shapes is not `count`,
// records a problem and returns null.
static ArrayAttr staticShapes(NodeImport &node, StringRef attribute,
                              size_t count) {
  Builder builder(node.context());
  SmallVector<Attribute> shapes;
  if (const proto::AttrValue::ListValue *list =
          node.attributes.getList(attribute))
    for (const proto::TensorShapeProto &shape : list->shape()) {
      SmallVector<int64_t> dims;
      for (const auto &dim : shape.dim())
        dims.push_back(dim.size());
      if (shape.unknown_rank() ||
          llvm::any_of(dims, [](int64_t dim) { return dim < 0; })) {
        node.malformed("Shape of feature " + Twine(shapes.size()) + " in '" +
                       attribute + "' is not fully defined");
        return nullptr;
      }
      shapes.push_back(builder.getDenseI64ArrayAttr(dims));
    }
  if (shapes.size() != count) {
    node.malformed("attribute '" + attribute + "' has " + Twine(shapes.size()) +
                   " shapes for " + Twine(count) + " dense features");
    return nullptr;
  }
  return builder.getArrayAttr(shapes);
}

// Returns false, with a recorded problem, if context features of two kinds
// (sparse, dense, ragged) have the same key.
static bool checkKinds(NodeImport &node,
                       const ParseExampleFeatureSpecs &context) {
  llvm::StringMap<StringRef> kinds;
  for (auto [kind, keys] : {std::pair("sparse", &context.sparseKeys),
                            std::pair("dense", &context.denseKeys),
                            std::pair("ragged", &context.raggedKeys)})
    for (const std::string &key : *keys) {
      StringRef first = kinds.try_emplace(key, kind).first->second;
      if (first != kind) {
        node.malformed("Context feature " + key + " cannot be both " + kind +
                       " and " + first);
        return false;
      }
    }
  return true;
}

// Creates the op that parses the context features, and appends its results, the
// node's next outputs, to `outputs`. Returns false after a problem.
static bool parseContext(NodeImport &node,
                         const ParseExampleFeatureSpecs &context,
                         Value serialized, SmallVectorImpl<Value> &outputs) {
  if (!checkKinds(node, context) ||
      !staticShapes(node, context.denseShapes, context.denseKeys.size()))
    return false;
  size_t numKeys = context.sparseKeys.size() + context.denseKeys.size() +
                   context.raggedKeys.size();
  if (numKeys == 0)
    return true;
  SmallVector<Value> operands = {serialized};
  llvm::append_range(operands,
                     node.tensors(context.firstDefault, node.numInputs()));
  Operation *op =
      node.hasFailed() ? nullptr : createParse(node, context, operands);
  if (!op)
    return false;
  llvm::append_range(outputs, op->getResults());
  // A single Example has no row splits. In their place ParseExampleV2 returns
  // empty vectors, but ParseSequenceExampleV2 returns scalars.
  if (cast<TensorType>(serialized.getType()).getRank() == 0)
    for (Value &splits :
         MutableArrayRef<Value>(outputs).take_back(context.raggedKeys.size()))
      splits = createConstant(node.body.builder, node.loc,
                              makeZeros(RankedTensorType::get(
                                  {}, getElementTypeOrSelf(splits.getType()))));
  return true;
}

// Creates the op that parses the feature lists and, like parseContext(),
// appends its results to `outputs`. Returns false after a problem.
static bool parseLists(NodeImport &node, const SequenceFeatures &features,
                       Value serialized, SmallVectorImpl<Value> &outputs) {
  const ParseExampleFeatureSpecs &lists = features.lists;
  ArrayAttr shapes =
      staticShapes(node, lists.denseShapes, lists.denseKeys.size());
  ArrayAttr sparse = typeList(node, lists.sparseTypes);
  ArrayAttr dense = typeList(node, lists.denseTypes);
  ArrayAttr ragged = typeList(node, lists.raggedTypes);
  ArrayAttr splits = typeList(node, lists.splitTypes);
  if (!shapes || !sparse || !dense || !ragged || !splits)
    return false;
  Operation *op = node.create<ParseFeatureListsOp>(
      {serialized, features.assumedEmpty},
      {node.named("sparse_keys", textList(node, lists.sparseKeys)),
       node.named("sparse_types", sparse),
       node.named("dense_keys", textList(node, lists.denseKeys)),
       node.named("dense_types", dense), node.named("dense_shapes", shapes),
       node.named("ragged_keys", textList(node, lists.raggedKeys)),
       node.named("ragged_types", ragged), node.named("split_types", splits)});
  if (!op)
    return false;
  llvm::append_range(outputs, op->getResults());
  return true;
}

template <bool (*Read)(NodeImport &, SequenceFeatures &)>
static void importSequences(NodeImport &node) {
  SequenceFeatures features;
  readTypes(node, features);
  if (!Read(node, features) ||
      !checkCounts(node, "context", features.context) ||
      !checkCounts(node, "feature list", features.lists))
    return;
  Value serialized = node.tensor(0);
  if (!serialized)
    return;
  if (auto type = cast<TensorType>(serialized.getType());
      !type.hasRank() || type.getRank() > 1)
    return node.malformed(
        "Expected serialized to be a scalar or vector, but it has shape " +
        toString(getTensorShape(type)));
  SmallVector<Value> outputs;
  if (!parseContext(node, features.context, serialized, outputs) ||
      !parseLists(node, features, serialized, outputs))
    return;
  for (auto [port, output] : llvm::enumerate(outputs))
    node.setOutput(static_cast<int>(port), output);
}

// Returns the index of the node's first output that belongs to the output
// argument `argument`, or std::nullopt for an unknown argument.
static std::optional<int> findPort(const proto::NodeDef &node,
                                   StringRef argument) {
  auto sizeOf = [&](const char *name) {
    auto found = node.attr().find(name);
    return found == node.attr().end() ? 0 : found->second.list().type_size();
  };
  int contextSparse = sizeOf("context_sparse_types"),
      contextRagged = sizeOf("context_ragged_value_types"),
      listSparse = sizeOf("feature_list_sparse_types"),
      listDense = sizeOf("feature_list_dense_types"),
      listRagged = sizeOf("feature_list_ragged_value_types");
  const std::pair<StringRef, int> arguments[] = {
      {"context_sparse_indices", contextSparse},
      {"context_sparse_values", contextSparse},
      {"context_sparse_shapes", contextSparse},
      {"context_dense_values", sizeOf("Tcontext_dense")},
      {"context_ragged_values", contextRagged},
      {"context_ragged_row_splits", contextRagged},
      {"feature_list_sparse_indices", listSparse},
      {"feature_list_sparse_values", listSparse},
      {"feature_list_sparse_shapes", listSparse},
      {"feature_list_dense_values", listDense},
      {"feature_list_dense_lengths", listDense},
      {"feature_list_ragged_values", listRagged},
      {"feature_list_ragged_outer_splits", listRagged},
      {"feature_list_ragged_inner_splits", listRagged}};
  int port = 0;
  for (auto [name, size] : arguments) {
    if (name == argument)
      return port;
    port += size;
  }
  return std::nullopt;
}

void addSequenceExampleOps(OpTable &table) {
  auto add = [&](StringRef op, void (*import)(NodeImport &)) {
    table[op] = {Effect::Pure, import};
    table[op].findPort = findPort;
  };
  add("ParseSequenceExample", importSequences<readSequenceKeys>);
  add("ParseSequenceExampleV2", importSequences<readSequenceInputs>);
}

} // namespace ingot::importer
