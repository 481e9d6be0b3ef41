//===- FakeQuantOps.cpp - Fake quantization -------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Ops/NodeDecomposition.h"

#include "dialects/Ingot/IR/FakeQuant.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// Reads a fake quantization node. Depending on the kind of the node's op, the
/// quantization bounds are attributes ("args"), scalar inputs ("vars"), or
/// vector inputs with a number per channel ("channels").
class FakeQuantNode {
public:
  explicit FakeQuantNode(NodeImport &node) : parts(node) {
    if (!parts)
      return;
    if (node.node.op().contains("Args"))
      kind = "args";
    else if (node.node.op().contains("PerChannel"))
      kind = "channels";
    bits = node.attributes.getInt("num_bits", 8);
    if (bits < 2 || bits > 16)
      node.malformed("num_bits must be between 2 and 16, inclusive, but is " +
                     Twine(bits));
    else if (kind == "args")
      readBounds();
  }
  explicit operator bool() const { return bool(parts); }

  SmallVector<NamedAttribute> attributes() {
    bool isNarrow = parts.node.attributes.getBool("narrow_range", false);
    return {
        parts.integer("num_bits", bits),
        parts.node.named("narrow_range", parts.builder.getBoolAttr(isNarrow))};
  }
  /// Creates an op and returns its result, or null if an operand is null.
  template <typename OpTy> Value make(ValueRange operands) {
    return parts.make<OpTy>(operands);
  }
  Value number(double value) {
    auto type = RankedTensorType::get({}, parts.builder.getF32Type());
    auto constant = DenseElementsAttr::get(type, static_cast<float>(value));
    return createConstant(parts.builder, parts.node.loc, constant);
  }
  /// Returns the gradient of a bound: the sum of `gradient`, the gradient of
  /// the elements that the bound clamps. The sum is over all dimensions or, if
  /// each channel has a bound of its own, over all but the channels.
  Value total(Value gradient) {
    Shape shape = getTensorShape(parts.inputs[1].getType());
    if (!shape) {
      parts.node.unsupported(
          "input has unknown rank; state its shape, as with tf.ensure_shape");
      return {};
    }
    int64_t axes = shape->size();
    if (kind == "channels" && axes == 0) {
      parts.node.malformed("inputs should be at least rank 1");
      return {};
    }
    auto list = llvm::to_vector(
        llvm::seq<int64_t>(0, kind == "channels" ? axes - 1 : axes));
    return parts.make<SumOp>(
        {gradient, parts.vector(list, parts.builder.getI32Type())});
  }

  NodeDecomposition parts;
  StringRef kind = "vars";
  int64_t bits = 8;

private:
  void readBounds() {
    float least = parts.node.attributes.getFloat("min", -6);
    float most = parts.node.attributes.getFloat("max", 6);
    if (!(least < most))
      return parts.node.malformed(
          llvm::formatv("min has to be smaller than max, was: {0:e} >= {1:e}",
                        least, most)
              .str());
    parts.inputs.append({number(least), number(most)});
  }
};
} // namespace

static void importFakeQuant(NodeImport &node) {
  FakeQuantNode quant(node);
  if (!quant)
    return;
  SmallVector<NamedAttribute> attributes = quant.attributes();
  attributes.push_back(quant.parts.text("kind", quant.kind));
  quant.parts.finish(
      quant.parts.make<FakeQuantOp>(quant.parts.inputs, attributes));
}

// Imports the gradient of a fake quantization. Output 0 is the gradient of the
// input. If the bounds are inputs, outputs 1 and 2 are their gradients.
static void importFakeQuantGradient(NodeImport &node) {
  FakeQuantNode quant(node);
  if (!quant)
    return;
  ArrayRef<Value> inputs = quant.parts.inputs;
  FakeQuantGradients gradients(quant, inputs[0], inputs[1], inputs[2],
                               inputs[3], quant.bits,
                               node.attributes.getBool("narrow_range", false));
  quant.parts.finish(gradients.ofInput());
  if (quant.kind == "args")
    return;
  if (Value sum = quant.total(gradients.ofMin()))
    node.setOutput(1, sum);
  if (Value sum = quant.total(gradients.ofMax()))
    node.setOutput(2, sum);
}

void addFakeQuantOps(OpTable &table) {
  static const std::vector<AttributeSpec> ofVars = {{"num_bits"},
                                                    {"narrow_range"}};
  static const std::vector<AttributeSpec> ofArgs = {
      {"num_bits"}, {"narrow_range"}, {"min"}, {"max"}};
  static const std::vector<ImportedOp> functions = {
      {{"FakeQuantWithMinMaxArgs", 1, "", ofArgs}, importFakeQuant},
      {{"FakeQuantWithMinMaxVars", 3, "", ofVars}, importFakeQuant},
      {{"FakeQuantWithMinMaxVarsPerChannel", 3, "", ofVars}, importFakeQuant},
      {{"FakeQuantWithMinMaxArgsGradient", 2, "", ofArgs},
       importFakeQuantGradient},
      {{"FakeQuantWithMinMaxVarsGradient", 4, "", ofVars},
       importFakeQuantGradient},
      {{"FakeQuantWithMinMaxVarsPerChannelGradient", 4, "", ofVars},
       importFakeQuantGradient}};
  addImportedOps(table, functions);
  for (StringRef name : {"FakeQuantWithMinMaxVarsGradient",
                         "FakeQuantWithMinMaxVarsPerChannelGradient"})
    table[name].outputs = {"backprops_wrt_input", "backprop_wrt_min",
                           "backprop_wrt_max"};
}

} // namespace ingot::importer
