//===- ExampleOps.cpp - Parsing of Examples -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/ParseExampleFeatureSpecs.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Input/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/StringOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

bool addKeys(NodeImport &node, size_t input, std::vector<std::string> &keys) {
  std::optional<std::vector<std::string>> found = node.constantStrings(input);
  if (!found) {
    node.unsupported("keys must be constants");
    return false;
  }
  llvm::append_range(keys, *found);
  return true;
}

// Reads the keys of a `ParseExampleV2`: one vector input for each of sparse,
// dense and ragged features.
static bool readVectors(NodeImport &node, ParseExampleFeatureSpecs &features) {
  features.firstDefault = 5;
  features.raggedTypes = node.attributes.getTypes("ragged_value_types");
  features.splitTypes = node.attributes.getTypes("ragged_split_types");
  return node.expectInputs(5 + features.denseTypes.size()) &&
         addKeys(node, 2, features.sparseKeys) &&
         addKeys(node, 3, features.denseKeys) &&
         addKeys(node, 4, features.raggedKeys);
}

// Reads the keys of a `ParseExample`: one scalar input per key.
static bool readScalars(NodeImport &node, ParseExampleFeatureSpecs &features) {
  size_t firstDense = 2 + features.sparseTypes.size();
  features.firstDefault = firstDense + features.denseTypes.size();
  if (!node.expectInputs(features.firstDefault + features.denseTypes.size()))
    return false;
  for (size_t input = 2; input < features.firstDefault; ++input)
    if (!addKeys(node, input,
                 input < firstDense ? features.sparseKeys : features.denseKeys))
      return false;
  return true;
}

// Reads the keys of a `ParseSingleExample`, which are attributes.
static bool readAttributes(NodeImport &node,
                           ParseExampleFeatureSpecs &features) {
  features.firstDefault = 1;
  for (auto [name, keys] : {std::pair("sparse_keys", &features.sparseKeys),
                            std::pair("dense_keys", &features.denseKeys)})
    if (const proto::AttrValue::ListValue *list = node.attributes.getList(name))
      keys->assign(list->s().begin(), list->s().end());
  return node.expectInputs(1 + features.denseTypes.size());
}

bool checkCount(NodeImport &node, StringRef kind, size_t keys, size_t types) {
  if (keys != types)
    node.malformed("has " + llvm::Twine(keys) + " keys for " +
                   llvm::Twine(types) + " " + kind + " features");
  return keys == types;
}

ArrayAttr typeList(NodeImport &node,
                   const std::vector<proto::DataType> &types) {
  SmallVector<Type> converted;
  for (proto::DataType type : types) {
    converted.push_back(convertElementType(type, node.context()));
    if (!converted.back()) {
      node.unsupported("a feature of element type " + getTypeName(type));
      return {};
    }
  }
  return Builder(node.context()).getTypeArrayAttr(converted);
}

ArrayAttr textList(NodeImport &node, const std::vector<std::string> &texts) {
  return Builder(node.context())
      .getStrArrayAttr(SmallVector<StringRef>(texts.begin(), texts.end()));
}

// Returns a dense feature's default as a constant of the feature's shape.
// TensorFlow's Python API reshapes the default by a Reshape node, which is
// folded here; if that is not possible, returns `value` unchanged.
static Value constantDefault(NodeImport &node, Value value, TensorType type) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto constant =
      reshape ? reshape.getInput().getDefiningOp<ConstantOp>() : nullptr;
  auto shaped = dyn_cast<RankedTensorType>(type);
  Attribute reshaped = constant && shaped && shaped.hasStaticShape()
                           ? reshapeConstant(constant.getValueAttr(), shaped)
                           : nullptr;
  if (!reshaped)
    return value;
  return ConstantOp::create(node.body.builder, node.loc,
                            cast<ElementsAttr>(reshaped));
}

// Creates the op that parses features of static shape and with constant
// defaults. The op's result types are static except for the number of Examples.
static Operation *createFixed(NodeImport &node, ArrayRef<Value> operands,
                              const ParseExampleFeatureSpecs &features,
                              ArrayAttr shapes) {
  auto serialized = cast<RankedTensorType>(operands[0].getType());
  SmallVector<Type> results;
  for (auto [shape, value] : llvm::zip_equal(
           shapes.getAsRange<DenseI64ArrayAttr>(), operands.drop_front())) {
    SmallVector<int64_t> dims(serialized.getShape());
    llvm::append_range(dims, shape.asArrayRef());
    results.push_back(
        RankedTensorType::get(dims, getElementTypeOrSelf(value.getType())));
  }
  return node.verified(ParseExampleOp::create(
      node.body.builder, node.loc, results, operands[0], operands.drop_front(),
      textList(node, features.denseKeys), shapes));
}

// Reads the types and keys of a node's features; `Read` reads the keys. Returns
// false, with a recorded problem, if the numbers of keys and types differ.
template <bool (*Read)(NodeImport &, ParseExampleFeatureSpecs &)>
static bool readFeatures(NodeImport &node, ParseExampleFeatureSpecs &features) {
  features.sparseTypes = node.attributes.getTypes("sparse_types");
  features.denseTypes = node.attributes.getTypes("Tdense");
  return Read(node, features) &&
         checkCount(node, "sparse", features.sparseKeys.size(),
                    features.sparseTypes.size()) &&
         checkCount(node, "dense", features.denseKeys.size(),
                    features.denseTypes.size()) &&
         checkCount(node, "ragged", features.raggedKeys.size(),
                    features.raggedTypes.size());
}

Operation *createParse(NodeImport &node,
                       const ParseExampleFeatureSpecs &features,
                       SmallVector<Value> operands) {
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList(features.denseShapes);
  size_t numShapes = shapes ? static_cast<size_t>(shapes->shape_size()) : 0;
  if (numShapes != features.denseTypes.size()) {
    node.malformed("attribute '" + features.denseShapes + "' has " +
                   Twine(numShapes) + " shapes for " +
                   Twine(features.denseTypes.size()) + " dense features");
    return nullptr;
  }
  Builder builder(node.context());
  SmallVector<Attribute> denseShapes;
  bool isFixed = features.sparseKeys.empty() && features.raggedKeys.empty();
  for (auto [index, dtype] : llvm::enumerate(features.denseTypes)) {
    std::string error;
    TensorType type = convertTensorType(
        dtype, &shapes->shape(static_cast<int>(index)), node.context(), error);
    if (!type) {
      node.unsupported(error);
      return nullptr;
    }
    if (!type.hasRank()) {
      node.malformed("feature '" + features.denseKeys[index] +
                     "' has a shape of unknown rank");
      return nullptr;
    }
    if (type.getElementType() != getElementTypeOrSelf(operands[index + 1])) {
      node.malformed("feature '" + features.denseKeys[index] + "' is " +
                     describeType(type) + ", but its default is " +
                     describeType(operands[index + 1].getType()));
      return nullptr;
    }
    SmallVector<int64_t> dims;
    for (int64_t dim : type.getShape())
      dims.push_back(ShapedType::isDynamic(dim) ? -1 : dim);
    denseShapes.push_back(builder.getDenseI64ArrayAttr(dims));
    operands[index + 1] = constantDefault(node, operands[index + 1], type);
    isFixed &= type.hasStaticShape() &&
               isa_and_nonnull<ConstantOp>(operands[index + 1].getDefiningOp());
  }
  ArrayAttr denseShapeList = builder.getArrayAttr(denseShapes);
  auto serialized = cast<TensorType>(operands[0].getType());
  if (isFixed && serialized.hasRank() && serialized.getRank() <= 1)
    return createFixed(node, operands, features, denseShapeList);
  ArrayAttr sparse = typeList(node, features.sparseTypes);
  ArrayAttr ragged = typeList(node, features.raggedTypes);
  ArrayAttr splits = typeList(node, features.splitTypes);
  if (!sparse || !ragged || !splits)
    return nullptr;
  return node.create<ParseFeaturesOp>(
      operands,
      {node.named("sparse_keys", textList(node, features.sparseKeys)),
       node.named("sparse_types", sparse),
       node.named("dense_keys", textList(node, features.denseKeys)),
       node.named("dense_shapes", denseShapeList),
       node.named("ragged_keys", textList(node, features.raggedKeys)),
       node.named("ragged_types", ragged), node.named("split_types", splits)});
}

template <bool (*Read)(NodeImport &, ParseExampleFeatureSpecs &)>
static void importParse(NodeImport &node) {
  ParseExampleFeatureSpecs features;
  if (!readFeatures<Read>(node, features))
    return;
  SmallVector<Value> operands = {node.tensor(0)};
  llvm::append_range(operands,
                     node.tensors(features.firstDefault, node.numInputs()));
  Operation *op =
      node.hasFailed() ? nullptr : createParse(node, features, operands);
  if (!op)
    return;
  for (auto [port, result] : llvm::enumerate(op->getResults()))
    node.setOutput(static_cast<int>(port), result);
}

// Reads the keys of a `ParseExampleDataset`, which are attributes. Its inputs
// are a dataset, the number of parallel calls, and the defaults.
static bool readDatasetAttributes(NodeImport &node,
                                  ParseExampleFeatureSpecs &features) {
  features.firstDefault = 2;
  for (auto [name, keys] : {std::pair("sparse_keys", &features.sparseKeys),
                            std::pair("dense_keys", &features.denseKeys),
                            std::pair("ragged_keys", &features.raggedKeys)})
    if (const proto::AttrValue::ListValue *list = node.attributes.getList(name))
      keys->assign(list->s().begin(), list->s().end());
  features.raggedTypes = node.attributes.getTypes("ragged_value_types");
  return node.expectInputs(2 + features.denseTypes.size());
}

// Imports a ParseExampleDataset as a map whose function parses a batch of
// Examples. The components of the result's elements are sorted by the features'
// keys.
static void importParseDataset(NodeImport &node) {
  ParseExampleFeatureSpecs features;
  SmallVector<Type> components;
  if (!declaredComponents(node, "output_types", components) ||
      !readFeatures<readDatasetAttributes>(node, features))
    return;
  if (!features.sparseKeys.empty() || !features.raggedKeys.empty())
    return node.unsupported("sparse or ragged features; only dense features "
                            "are supported in a ParseExampleDataset");
  Value input = node.dataset(0);
  SmallVector<Value> defaults = node.tensors(2, node.numInputs());
  if (!input || node.hasFailed() || !expectTensors(node, input))
    return;
  ArrayRef<Type> given = componentsOf(input);
  if (given.size() != 1 || !isa<StringType>(getElementTypeOrSelf(given[0])))
    return node.malformed("input elements are not strings");

  Program &program = node.body.program;
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  auto function = func::FuncOp::create(builder, node.loc,
                                       program.uniqueSymbol(node.node.name()),
                                       builder.getFunctionType(given, {}));
  function.setPrivate();
  Block &block = *function.addEntryBlock();
  Operation *parse = nullptr;
  {
    OpBuilder::InsertionGuard guard(node.body.builder);
    node.body.builder.setInsertionPointToEnd(&block);
    SmallVector<Value> operands = {block.getArgument(0)};
    for (Value value : defaults)
      if (auto constant = value.getDefiningOp<ConstantOp>())
        operands.push_back(node.body.builder.clone(*constant)->getResult(0));
    if (operands.size() == defaults.size() + 1)
      parse = createParse(node, features, operands);
    else
      node.unsupported("defaults must be constants");
  }
  if (!parse) {
    function.erase();
    return node.fail();
  }
  SmallVector<size_t> order(features.denseKeys.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return features.denseKeys[a] < features.denseKeys[b];
  });
  SmallVector<Value> results;
  for (size_t index : order)
    results.push_back(parse->getResult(index));
  builder.setInsertionPointToEnd(&block);
  func::ReturnOp::create(builder, node.loc, results);
  function.setFunctionType(
      builder.getFunctionType(given, ValueRange(results).getTypes()));
  refineComponents(components, function.getResultTypes());
  createDataset(node, MapDatasetOp::getOperationName(), input, components,
                node.named("function",
                           FlatSymbolRefAttr::get(function.getSymNameAttr())));
}

// Returns the index of the node's first output that belongs to the output
// argument `argument`, which is a list of tensors. Attributes of the node state
// the lengths of all lists. Returns std::nullopt for an unknown argument.
static std::optional<int> findPort(const proto::NodeDef &node,
                                   StringRef argument) {
  auto sizeOf = [&](const char *name) {
    auto found = node.attr().find(name);
    return found == node.attr().end() ? 0 : found->second.list().type_size();
  };
  const std::pair<StringRef, int> lists[] = {
      {"sparse_indices", sizeOf("sparse_types")},
      {"sparse_values", sizeOf("sparse_types")},
      {"sparse_shapes", sizeOf("sparse_types")},
      {"dense_values", sizeOf("Tdense")},
      {"ragged_values", sizeOf("ragged_value_types")},
      {"ragged_row_splits", sizeOf("ragged_split_types")}};
  int port = 0;
  for (auto [name, size] : lists) {
    if (name == argument)
      return port;
    port += size;
  }
  return std::nullopt;
}

void addExampleOps(OpTable &table) {
  auto add = [&](StringRef op, void (*import)(NodeImport &)) {
    table[op] = {Effect::Pure, import};
    table[op].findPort = findPort;
  };
  add("ParseExample", importParse<readScalars>);
  add("ParseExampleV2", importParse<readVectors>);
  add("ParseSingleExample", importParse<readAttributes>);
  for (StringRef op : {"ParseExampleDataset", "ExperimentalParseExampleDataset",
                       "ParseExampleDatasetV2"})
    table[op] = {Effect::Pure, importParseDataset};
  addSequenceExampleOps(table);
}

} // namespace ingot::importer
