//===- GlobalNormalizationOps.cpp - TF1's first batch normalization -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports BatchNormWithGlobalNormalization, the batch normalization of
// TensorFlow's first graphs, whose mean and variance are inputs of the node.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ArithmeticDecomposition.h"

#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// Reads a BatchNormWithGlobalNormalization node or a node of its gradient op.
/// The first three inputs are the images, the mean and the variance. `vectors`
/// lists the indices and names of the inputs that must be vectors with one
/// element per channel.
class BatchNormWithGlobalNormalizationNode : public ArithmeticDecomposition {
public:
  BatchNormWithGlobalNormalizationNode(
      NodeImport &node, ArrayRef<std::pair<unsigned, StringRef>> vectors)
      : ArithmeticDecomposition(node),
        isScaled(node.attributes.getBool("scale_after_normalization", false)) {
    if (!*this || !requireRank(inputs[0], 4, "input must be 4-dimensional"))
      return;
    Value depth = expanded(size(inputs[0], 3), 0);
    for (auto [index, name] : vectors) {
      if (!requireRank(inputs[index], 1,
                       (name + " must be 1-dimensional").str()))
        return;
      checkSameSizes(node, sizes(inputs[index]), depth,
                     name + " must have a number for each channel: {} vs. {}");
    }
    type = getElementTypeOrSelf(inputs[0]);
    variance =
        add(inputs[2],
            number(type, node.attributes.getFloat("variance_epsilon", 0)));
    rsqrt = make<RsqrtOp>({variance});
  }

  /// Multiplies `x`, a vector, by gamma if the node has
  /// scale_after_normalization.
  Value scaled(Value x, Value gamma) { return isScaled ? mul(x, gamma) : x; }
  Value centered() { return sub(inputs[0], inputs[1]); }
  /// Sums over all dimensions but the channels.
  Value total(Value images) {
    return make<SumOp>({images, vector({0, 1, 2}, builder.getI32Type())});
  }

  bool isScaled;
  Type type;
  Value variance; // plus epsilon
  Value rsqrt;    // its reciprocal square root
};

} // namespace

static void importNormalization(NodeImport &node) {
  BatchNormWithGlobalNormalizationNode parts(
      node, {{1, "mean"}, {2, "var"}, {3, "beta"}, {4, "gamma"}});
  if (!parts)
    return;
  Value scale = parts.scaled(parts.rsqrt, parts.inputs[4]);
  parts.finish(parts.add(parts.mul(parts.centered(), scale), parts.inputs[3]));
}

// Imports BatchNormWithGlobalNormalizationGrad, which returns the gradients of
// images, mean, variance, beta and gamma. The order of operations is that of
// TensorFlow's kernel.
static void importNormalizationGradient(NodeImport &node) {
  BatchNormWithGlobalNormalizationNode parts(
      node, {{1, "mean"}, {2, "var"}, {3, "gamma"}});
  if (!parts)
    return;
  Value gamma = parts.inputs[3], gradient = parts.inputs[4];
  checkSameShape(node, parts.inputs[0], gradient,
                 "input and backprop must have the same shape: {} vs. {}");
  Value scale = parts.scaled(parts.rsqrt, gamma);
  Value ofBeta = parts.total(gradient);
  Value products = parts.total(parts.mul(gradient, parts.centered()));
  Value power = parts.div(
      parts.mul(parts.rsqrt, parts.number(parts.type, -0.5)), parts.variance);
  Value outputs[] = {parts.mul(gradient, scale),
                     parts.mul(parts.make<NegOp>({ofBeta}), scale),
                     parts.mul(products, parts.scaled(power, gamma)), ofBeta,
                     parts.isScaled ? parts.mul(products, parts.rsqrt)
                                    : parts.make<ZerosLikeOp>({gamma})};
  for (auto [port, value] : llvm::enumerate(outputs))
    if (value)
      node.setOutput(port, value);
}

void addGlobalNormalizationOps(OpTable &table) {
  static const std::vector<AttributeSpec> attributes = {
      {"variance_epsilon"}, {"scale_after_normalization"}};
  static const std::vector<ImportedOp> functions = {
      {{"BatchNormWithGlobalNormalization", 5, "", attributes},
       importNormalization},
      {{"BatchNormWithGlobalNormalizationGrad", 5, "", attributes},
       importNormalizationGradient}};
  addImportedOps(table, functions);
  table["BatchNormWithGlobalNormalizationGrad"].outputs = {"dx", "dm", "dv",
                                                           "db", "dg"};
}

} // namespace ingot::importer
