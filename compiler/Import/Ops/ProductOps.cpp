//===- ProductOps.cpp - Batched matmuls, einsum, vector products ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ProductOps.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Ops/ImageLayouts.h"
#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/CastOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

using Kind = AttributeSpec::Kind;

// Imports BatchMatMulV3. The node declares the element type of its result, to
// which operands of other types are converted first.
static void importBatchMatMulV3(NodeImport &node) {
  if (!node.expectInputs(2) ||
      !knowsAttributes(
          node, {"Ta", "Tb", "Tout", "adj_x", "adj_y", "grad_x", "grad_y"}))
    return;
  SmallVector<Value> operands = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  proto::DataType dtype = node.attributes.getType("Tout", proto::DT_INVALID);
  Type element = convertElementType(dtype, node.context());
  if (!element)
    return node.unsupported("element type " + getTypeName(dtype));
  for (Value &operand : operands) {
    if (getElementTypeOrSelf(operand.getType()) == element)
      continue;
    Operation *cast =
        node.create<CastOp>(operand, node.named("dst", TypeAttr::get(element)));
    if (!cast)
      return;
    operand = cast->getResult(0);
  }
  Builder builder(node.context());
  NamedAttribute attributes[] = {
      node.named("adj_x",
                 builder.getBoolAttr(node.attributes.getBool("adj_x", false))),
      node.named("adj_y",
                 builder.getBoolAttr(node.attributes.getBool("adj_y", false)))};
  if (!node.attributes.error().empty())
    return node.malformed("attributes 'adj_x' and 'adj_y' must be booleans");
  if (Operation *op = node.create<BatchMatMulOp>(operands, attributes))
    node.setOutput(0, op->getResult(0));
}

/// Replaces each ellipsis in an einsum equation by one digit per dimension that
/// it stands for, so that digits name the broadcast dimensions. Returns ""
/// after a problem.
static std::string expandEquation(NodeImport &node, StringRef given,
                                  ValueRange operands) {
  std::string equation;
  for (char c : given)
    if (!llvm::isSpace(c))
      equation.push_back(c);
  auto [inputs, output] = StringRef(equation).split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != operands.size()) {
    node.malformed("equation '" + given + "' has " + Twine(terms.size()) +
                   " operands, not " + Twine(operands.size()));
    return "";
  }
  StringRef free = "0123456789";
  // `expand` replaces an ellipsis by digits, one for each of its dimensions.
  // Ellipses of different operands are aligned at their last dimensions. So a
  // shorter ellipsis gets the last digits of the longest one.
  size_t longest = 0;
  auto expand = [&](StringRef term, size_t count) -> std::string {
    auto [before, after] = term.split("...");
    if (!term.contains("..."))
      return term.str();
    return (before + free.take_front(longest).take_back(count) + after).str();
  };
  SmallVector<size_t> counts;
  for (auto [term, operand] : llvm::zip(terms, operands)) {
    size_t count = 0;
    if (term.contains("...")) {
      Shape shape = getTensorShape(operand.getType());
      if (!shape) {
        node.unsupported(
            "an ellipsis in the equation stands for an operand of unknown "
            "rank; state its shape, as with tf.ensure_shape");
        return "";
      }
      size_t letters = term.size() - 3;
      count = shape->size() < letters ? 0 : shape->size() - letters;
    }
    counts.push_back(count);
    longest = std::max(longest, count);
  }
  if (longest > free.size()) {
    node.unsupported("an ellipsis in the equation stands for " +
                     Twine(longest) + " dimensions; at most ten are supported");
    return "";
  }
  SmallVector<std::string> expanded;
  for (auto [term, count] : llvm::zip(terms, counts))
    expanded.push_back(expand(term, count));
  return llvm::join(expanded, ",") + "->" + expand(output, longest);
}

static void importEinsum(NodeImport &node) {
  if (!node.expectAtLeastInputs(1) ||
      !knowsAttributes(node, {"T", "N", "equation"}))
    return;
  if (node.numInputs() > 2)
    return node.unsupported(Twine(node.numInputs()) +
                            " operands; at most two are supported");
  SmallVector<Value> operands = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  std::string given = node.attributes.getString("equation", "");
  std::string equation = expandEquation(node, given, operands);
  if (equation.empty())
    return;
  if (Operation *op = node.create<EinsumOp>(
          operands,
          node.named("equation", StringAttr::get(node.context(), equation))))
    node.setOutput(0, op->getResult(0));
}

/// Returns the three components of vectors along the last dimension.
static std::array<Value, 3> componentsOf(NodeDecomposition &parts,
                                         Value vectors) {
  Operation *split = parts.node.create<SplitOp>(
      {parts.i32(-1), vectors,
       parts.vector({1, 1, 1}, parts.builder.getI32Type())},
      {parts.integer("count", 3)});
  if (!split)
    return {};
  return {split->getResult(0), split->getResult(1), split->getResult(2)};
}

// Imports Cross, the vector product along the last dimension: component i is
// a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1], with indices modulo 3.
static void importCross(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  for (Value vectors : parts.inputs) {
    Shape shape = getTensorShape(vectors.getType());
    if (!shape)
      return node.unsupported(
          "inputs must have innermost dimension 3, but the rank of one is "
          "unknown; state its shape, as with tf.ensure_shape");
    if (shape->empty() || !areCompatibleDims(shape->back(), 3))
      return node.malformed("inputs must have innermost dimension 3: " +
                            node.describeInputs());
  }
  std::array<Value, 3> a = componentsOf(parts, parts.inputs[0]);
  std::array<Value, 3> b = componentsOf(parts, parts.inputs[1]);
  SmallVector<Value> operands = {parts.i32(-1)};
  for (int i = 0; i < 3; ++i) {
    int next = (i + 1) % 3, last = (i + 2) % 3;
    operands.push_back(
        parts.make<SubOp>({parts.make<MulOp>({a[next], b[last]}),
                           parts.make<MulOp>({a[last], b[next]})}));
  }
  parts.finish(parts.make<ConcatOp>(operands));
}

void addProductOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"Cross", 2, "", {}}, importCross},
  };
  addImportedOps(table, functions);
  table["BatchMatMulV3"] = {Effect::Pure, importBatchMatMulV3};
  table["Einsum"] = {Effect::Pure, importEinsum};
}

} // namespace ingot::importer
