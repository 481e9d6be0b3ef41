//===- ComputeOps.cpp - Imports ops that compute tensors ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports nodes as the rows of the op table (OneToOneOps.cpp) describe, and a
// few ops that need more than a row.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Graph/Constants.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// Translates the attribute of a node that `spec` describes and appends it to
// `result`. Returns false after a problem.
static bool translate(NodeImport &node, const AttributeSpec &spec,
                      SmallVectorImpl<NamedAttribute> &result) {
  Builder builder(node.context());
  NodeAttributes &attributes = node.attributes;
  switch (spec.kind) {
  case Kind::Implied:
    return true;
  case Kind::MustBeFalse:
    if (!attributes.getBool(spec.name, false))
      return true;
    node.unsupported(spec.name + " = true, expected false");
    return false;
  case Kind::ElementType: {
    proto::DataType dtype = attributes.getType(spec.name, spec.typeByDefault);
    Type type = convertElementType(dtype, node.context());
    if (!type) {
      if (attributes.has(spec.name) || spec.typeByDefault)
        node.unsupported("element type " + getTypeName(dtype));
      else
        node.malformed("attribute '" + spec.name + "' is missing");
      return false;
    }
    result.push_back(node.named(spec.ours, TypeAttr::get(type)));
    return true;
  }
  // An absent attribute of one of the following types is not translated: the
  // default of the ingot op applies, which equals TensorFlow's.
  case Kind::Bool:
    if (attributes.has(spec.name))
      result.push_back(node.named(
          spec.ours,
          builder.getBoolAttr(attributes.getBool(spec.name, false))));
    return true;
  case Kind::Ints:
    if (attributes.has(spec.name))
      result.push_back(node.named(
          spec.ours,
          builder.getDenseI64ArrayAttr(attributes.getInts(spec.name))));
    return true;
  case Kind::Int:
    if (attributes.has(spec.name))
      result.push_back(node.named(
          spec.ours,
          builder.getI64IntegerAttr(attributes.getInt(spec.name, 0))));
    return true;
  case Kind::Float:
    if (attributes.has(spec.name))
      result.push_back(node.named(
          spec.ours,
          builder.getF32FloatAttr(attributes.getFloat(spec.name, 0))));
    return true;
  case Kind::String:
    if (attributes.has(spec.name))
      result.push_back(node.named(
          spec.ours,
          builder.getStringAttr(attributes.getString(spec.name, ""))));
    return true;
  }
  return false;
}

// Since TensorFlow 2.16, gathers and scatters have an attribute that says what
// happens for indices out of bounds. Returns whether attribute `name` is this
// attribute and makes such indices an error, as they are in older versions and
// in the ingot dialect.
static bool isAsBefore(StringRef name, const proto::AttrValue &value) {
  return name == "bad_indices_policy" &&
         (value.s().empty() || value.s() == "DEFAULT" || value.s() == "ERROR");
}

// Rejects a node that has an attribute besides `known`, as an attribute of a
// newer TensorFlow may change what the op computes.
static bool checkKnown(NodeImport &node, ArrayRef<AttributeSpec> known) {
  std::vector<std::string> unknown;
  for (const auto &[name, value] : node.node.def->attr())
    if (!StringRef(name).starts_with("_") && name != "T" &&
        !isAsBefore(name, value) &&
        llvm::none_of(known, [&, &name = name](const AttributeSpec &spec) {
          return spec.name == name;
        }))
      unknown.push_back(name);
  if (unknown.empty())
    return true;
  node.unsupported("unknown attribute '" + *llvm::min_element(unknown) + "'");
  return false;
}

std::optional<SmallVector<NamedAttribute>>
translateAttributes(NodeImport &node, const OneToOneOpSpec &spec) {
  SmallVector<NamedAttribute> attributes;
  if (!checkKnown(node, spec.attributes))
    return std::nullopt;
  for (const AttributeSpec &attribute : spec.attributes)
    if (!translate(node, attribute, attributes))
      return std::nullopt;
  return attributes;
}

void importCompute(NodeImport &node) {
  const OneToOneOpSpec &spec = *node.info.compute;
  size_t least = spec.inputs == anyNumberOfInputs ? 0 : 1;
  if (spec.inputs < 0 ? !node.expectAtLeastInputs(least)
                      : !node.expectInputs(spec.inputs))
    return;
  auto attributes = translateAttributes(node, spec);
  if (!attributes)
    return;
  SmallVector<Value> operands = node.tensors(0, node.numInputs());
  if (node.hasFailed() || !node.attributes.error().empty())
    return;
  if (Operation *op = node.create(spec.ours, operands, *attributes))
    for (auto [port, result] : llvm::enumerate(op->getResults()))
      node.setOutput(port, result);
}

static void importConst(NodeImport &node) {
  const proto::TensorProto *tensor = node.attributes.getTensor("value");
  if (!tensor)
    return node.malformed("attribute 'value' is missing");
  if (node.attributes.getType("dtype", tensor->dtype()) != tensor->dtype())
    return node.malformed(
        "attribute 'dtype' differs from the type of 'value': " +
        getTypeName(node.attributes.getType("dtype", tensor->dtype())) +
        " and " + getTypeName(tensor->dtype()));
  if (!convertElementType(tensor->dtype(), node.context()))
    return node.unsupported("element type " + getTypeName(tensor->dtype()));
  std::string error;
  ElementsAttr value = convertTensor(*tensor, node.context(), error);
  if (!value)
    return node.malformed("invalid value: " + error);
  node.setOutput(0, createConstant(node.body.builder, node.loc, value));
}

// Imports Identity and IdentityN by forwarding tensors and datasets. Resource
// handles need no import, since BlockImport::handle() looks through Identity
// nodes.
static void importIdentity(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  for (size_t port = 0; port < node.numInputs(); ++port)
    if (Value value = node.value(port))
      node.setOutput(port, value);
}

// Imports StopGradient and PreventGradient. A tensor of integers is forwarded
// without an op because it has no gradient.
static void importStopGradient(NodeImport &node) {
  Value value = node.expectInputs(1) ? node.value(0) : Value();
  if (!value)
    return;
  SmallVector<NamedAttribute> attributes;
  if (node.node.op() == "PreventGradient") {
    Builder builder(value.getContext());
    std::string message = node.attributes.getString("message", "");
    attributes.push_back(builder.getNamedAttr(
        "refusal",
        builder.getStringAttr(
            message.empty() ? "the op exists to prevent gradients" : message)));
  }
  auto type = dyn_cast<ShapedType>(value.getType());
  if (type && isa<FloatType, ComplexType>(type.getElementType()))
    if (Operation *op = node.create<StopGradientOp>(value, attributes))
      value = op->getResult(0);
  node.setOutput(0, value);
}

// Imports ops that need no ops of the dialect: NoOp, which only orders other
// nodes, and `_Arg`, an argument of a function, whose value is known already.
static void importNothing(NodeImport &) {}

// Imports Select. With a vector as condition, Select selects whole rows, while
// `ingot.select` broadcasts like SelectV2. The vector is reshaped to have
// trailing dimensions of size 1, so that broadcasting selects rows.
static void importSelect(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  SmallVector<Value> operands = node.tensors(0, 3);
  if (node.hasFailed())
    return;
  auto condition = cast<TensorType>(operands[0].getType());
  auto thenType = cast<TensorType>(operands[1].getType());
  auto elseType = cast<TensorType>(operands[2].getType());
  TensorType value = refineType(thenType, elseType);
  bool isScalar = condition.hasRank() && condition.getRank() == 0;
  if (!isScalar && (!condition.hasRank() || !value.hasRank()))
    return node.unsupported("condition or values have unknown rank");
  if (!isScalar && condition.getRank() != value.getRank()) {
    if (condition.getRank() != 1)
      return node.malformed("condition is neither a scalar, a vector nor of "
                            "the shape of the values: " +
                            node.describeInputs());
    OpBuilder &builder = node.body.builder;
    SmallVector<int64_t> shape(value.getRank(), 1);
    if (!shape.empty())
      shape.front() = -1;
    Value dims =
        createConstant(builder, node.loc, builder.getI64TensorAttr(shape));
    Operation *reshape = node.create<ReshapeOp>({operands[0], dims});
    if (!reshape)
      return;
    operands[0] = reshape->getResult(0);
    checkSameShape(node, operands[1], operands[0],
                   "Number of batches of 'then' must match size of 'cond', but "
                   "saw: {} vs. {}",
                   llvm::to_vector(llvm::seq<int64_t>(1, value.getRank())));
  } else if (!isScalar) {
    checkSameShape(node, operands[0], operands[1],
                   "Inputs must have the same size and shape.  Input 0: {} != "
                   "input 1: {}");
  }
  if (Operation *op = node.create<SelectOp>(operands))
    node.setOutput(0, op->getResult(0));
}

static void importPlaceholder(NodeImport &node) {
  node.malformed("placeholder is never fed");
}

void addComputeOps(OpTable &table) {
  for (StringRef op :
       {"Identity", "IdentityN", "Snapshot", "PlaceholderWithDefault"})
    table[op] = {Effect::Pure, importIdentity};
  for (StringRef op : {"StopGradient", "PreventGradient"})
    table[op] = {Effect::Pure, importStopGradient};
  table["Const"] = {Effect::Pure, importConst};
  table["NoOp"] = {Effect::Pure, importNothing};
  table["_Arg"] = {Effect::Pure, importNothing};
  table["Select"] = {Effect::Pure, importSelect};
  table["Placeholder"] = {Effect::Pure, importPlaceholder};
}

} // namespace ingot::importer
