//===- StringOps.cpp - Ops on strings -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/StringOps.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// Returns whether the two inputs of an Equal or NotEqual are unequal because of
// their shapes alone: the node has attribute incompatible_shape_error = false,
// as for Python's `==` and `!=`, and the static shapes of its inputs cannot be
// broadcast against each other. Dynamic shapes are not compared here; they must
// broadcast at run time.
static bool areOfOtherShapes(NodeImport &node, ArrayRef<Value> inputs) {
  return !node.attributes.getBool("incompatible_shape_error", true) &&
         failed(broadcastShapes(std::nullopt,
                                getTensorShape(inputs[0].getType()),
                                getTensorShape(inputs[1].getType())));
}

// Imports Equal and NotEqual, for strings as well as for numbers.
template <bool Negated> static void importComparison(NodeImport &node) {
  SmallVector<Value> inputs;
  if (node.numInputs() == 2)
    inputs = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  if (inputs.size() == 2 && areOfOtherShapes(node, inputs)) {
    auto type = RankedTensorType::get({}, node.body.builder.getI1Type());
    return node.setOutput(
        0, createConstant(node.body.builder, node.loc,
                          makeConstant(type, ArrayRef<bool>(Negated))));
  }
  if (inputs.size() != 2 ||
      !isa<StringType>(getElementTypeOrSelf(inputs[0].getType())))
    return importCompute(node);
  if (Operation *op = node.create<StringEqualOp>(
          inputs,
          {node.named("negate", node.body.builder.getBoolAttr(Negated))}))
    node.setOutput(0, op->getResult(0));
}

// Imports Add, which adds numbers and concatenates strings.
static void importSum(NodeImport &node) {
  SmallVector<Value> inputs;
  if (node.numInputs() == 2)
    inputs = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  if (inputs.size() != 2 ||
      !isa<StringType>(getElementTypeOrSelf(inputs[0].getType())))
    return importCompute(node);
  Shape a = getTensorShape(inputs[0].getType());
  Shape b = getTensorShape(inputs[1].getType());
  if (a && b && !a->empty() && !b->empty() && !areCompatibleShapes(a, b))
    return node.unsupported("joins tensors of strings of different shapes, " +
                            toString(a) + " and " + toString(b) +
                            "; reshape them first");
  if (Operation *op = node.create<StringJoinOp>(
          inputs, node.named("separator", node.body.builder.getStringAttr(""))))
    node.setOutput(0, op->getResult(0));
}

// Imports StringToHashBucketFast, -Strong and the older StringToHashBucket.
static void importHash(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Value input = node.tensor(0);
  if (!input)
    return;
  StringRef type = node.node.op();
  StringRef method = type.ends_with("Fast")     ? "fast"
                     : type.ends_with("Strong") ? "strong"
                                                : "classic";
  Builder &builder = node.body.builder;
  SmallVector<NamedAttribute> attributes = {
      node.named("method", builder.getStringAttr(method)),
      node.named("num_buckets", builder.getI64IntegerAttr(
                                    node.attributes.getInt("num_buckets", 0)))};
  if (method == "strong")
    attributes.push_back(node.named(
        "key", builder.getDenseI64ArrayAttr(node.attributes.getInts("key"))));
  if (Operation *op = node.create<StringToHashBucketOp>(input, attributes))
    node.setOutput(0, op->getResult(0));
}

// Imports StringLower and StringUpper for ASCII. Nodes with an encoding are
// rejected: they also change letters outside ASCII, which needs Unicode's
// tables.
template <typename OpT> static void importCase(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  std::string encoding = node.attributes.getString("encoding", "");
  if (!encoding.empty())
    return node.unsupported("encoding = '" + encoding + "', expected ''");
  Value input = node.tensor(0);
  if (!input)
    return;
  if (Operation *op = node.create<OpT>(input))
    node.setOutput(0, op->getResult(0));
}

// Imports DecodeCSV. If attribute `select_cols` is empty, all columns are
// selected.
static void importDecodeCsv(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  SmallVector<Value> inputs = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  Builder &builder = node.body.builder;
  NodeAttributes &given = node.attributes;
  SmallVector<NamedAttribute> attributes = {
      node.named("field_delim",
                 builder.getStringAttr(given.getString("field_delim", ","))),
      node.named("use_quote_delim",
                 builder.getBoolAttr(given.getBool("use_quote_delim", true))),
      node.named("na_value",
                 builder.getStringAttr(given.getString("na_value", "")))};
  std::vector<int64_t> columns = given.getInts("select_cols");
  if (!columns.empty())
    attributes.push_back(
        node.named("select_cols", builder.getDenseI64ArrayAttr(columns)));
  if (!given.error().empty())
    return;
  if (Operation *op = node.create<DecodeCsvOp>(inputs, attributes))
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(port, result);
}

// Imports StaticRegexFullMatch and StaticRegexReplace, whose patterns are
// attributes, not inputs.
template <typename OpT> static void importStaticRegex(NodeImport &node) {
  if (!node.expectInputs(1))
    return;
  Value input = node.tensor(0);
  if (!input)
    return;
  OpBuilder &builder = node.body.builder;
  SmallVector<Value> operands = {input};
  SmallVector<NamedAttribute> attributes;
  auto scalar = RankedTensorType::get({}, StringType::get(node.context()));
  auto addText = [&](StringRef name) {
    std::string text = node.attributes.getString(name, "");
    operands.push_back(createConstant(
        builder, node.loc,
        cast<ElementsAttr>(
            Attribute(DenseStringElementsAttr::get(scalar, StringRef(text))))));
  };
  addText("pattern");
  if (node.attributes.has("rewrite")) {
    addText("rewrite");
    attributes.push_back(node.named(
        "replace_global",
        builder.getBoolAttr(node.attributes.getBool("replace_global", true))));
  }
  if (Operation *op = node.create<OpT>(operands, attributes))
    node.setOutput(0, op->getResult(0));
}

void addStringOps(OpTable &table) {
  for (StringRef op : {"StringToHashBucketFast", "StringToHashBucketStrong",
                       "StringToHashBucket"})
    table[op] = {Effect::Pure, importHash};
  table["StaticRegexFullMatch"] = {Effect::Pure,
                                   importStaticRegex<RegexFullMatchOp>};
  table["StaticRegexReplace"] = {Effect::Pure,
                                 importStaticRegex<RegexReplaceOp>};
  table["StringLower"] = {Effect::Pure, importCase<StringLowerOp>};
  table["StringUpper"] = {Effect::Pure, importCase<StringUpperOp>};
  table["DecodeCSV"] = {Effect::Pure, importDecodeCsv};
  // Add, Equal and NotEqual already have rows that import them for numbers
  // only. Set import functions that also import them for strings.
  table["Add"].import = importSum;
  table["Equal"].import = importComparison<false>;
  table["NotEqual"].import = importComparison<true>;
}

} // namespace ingot::importer
