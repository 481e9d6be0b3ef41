//===- RecurrentCellOps.cpp - Fused cells of recurrent networks -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports LSTMBlockCell and its gradient as matrix products and elementwise
// ops. TensorFlow 1 computes each of the two in a single kernel.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/NodeDecomposition.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Ops/ShapeChecks.h"
#include "dialects/Ingot/IR/ActivationOps.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {

/// The arithmetic of an LSTM cell. Each function returns null if an operand is
/// null.
struct LSTMCellArithmetic {
  NodeDecomposition &parts;

  Value add(Value a, Value b) { return parts.make<AddOp>({a, b}); }
  Value multiply(Value a, Value b) { return parts.make<MulOp>({a, b}); }
  Value number(Value like, float value) {
    auto type = RankedTensorType::get({}, getElementTypeOrSelf(like.getType()));
    return createConstant(
        parts.builder, parts.node.loc,
        DenseElementsAttr::get(
            type, FloatAttr::get(type.getElementType(), value).getValue()));
  }
  /// Joins matrices side by side.
  Value join(ArrayRef<Value> matrices) {
    SmallVector<Value> operands = {parts.i32(1)};
    llvm::append_range(operands, matrices);
    return parts.make<ConcatOp>(operands);
  }
  /// Splits a matrix into four matrices of equal width. Returns an empty vector
  /// if `matrix` is null.
  SmallVector<Value> quarters(Value matrix) {
    if (!matrix)
      return {};
    Operation *split = parts.node.create<SplitOp>({parts.i32(1), matrix},
                                                  {parts.integer("count", 4)});
    return split ? SmallVector<Value>(split->getResults())
                 : SmallVector<Value>();
  }
  /// Multiplies two matrices elementwise, and sums each column of the result.
  Value sumOfProducts(Value a, Value b) {
    return parts.make<SumOp>({multiply(a, b), parts.i32(0)});
  }
};

} // namespace

// Checks the sizes of the inputs that LSTMBlockCell and its gradient share, and
// that each tensor in `states` has the shape of the old state.
static void checkSizes(NodeDecomposition &parts, ArrayRef<Value> states) {
  NodeImport &node = parts.node;
  ArrayRef<Value> in = parts.inputs;
  checkSameShape(node, in[0], in[1],
                 "x and cs_prev must have one batch size: {} vs. {}", {1});
  for (Value state : states)
    checkSameShape(
        node, state, in[1],
        "states and gates must have the shape of cs_prev: {} vs. {}");
  Type i32 = parts.builder.getI32Type();
  auto shape = [&](Value value) {
    return parts.make<ShapeOp>(value,
                               node.named("output_type", TypeAttr::get(i32)));
  };
  auto width = [&](Value matrix) {
    return parts.make<SliceOp>(
        {shape(matrix), parts.vector({1}, i32), parts.vector({1}, i32)});
  };
  Value cells = width(in[1]);
  Value rows = parts.make<AddOp>({width(in[0]), cells});
  Value columns = parts.make<MulOp>({cells, parts.i32(4)});
  Value weights = parts.make<ConcatOp>({parts.i32(0), rows, columns});
  if (!weights)
    return;
  checkSameSizes(node, shape(in[3]), weights,
                 "w must have input_size + cell_size rows and 4 * cell_size "
                 "columns: {} vs. {}");
  checkSameSizes(node, shape(in[7]), columns,
                 "b must have 4 * cell_size elements: {} vs. {}");
  if (node.attributes.getBool("use_peephole", false))
    for (unsigned i = 4; i < 7; ++i)
      checkSameSizes(node, shape(in[i]), cells,
                     "weights of peepholes must have cell_size elements: {} "
                     "vs. {}");
}

// Imports LSTMBlockCell. The columns of the matrix product are the four gates:
// input gate, new value, forget gate, output gate.
static void importLSTMCell(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  LSTMCellArithmetic f{parts};
  ArrayRef<Value> in = parts.inputs;
  Value x = in[0], oldState = in[1], oldOutput = in[2], weights = in[3];
  checkSizes(parts, {oldOutput});
  bool peeks = node.attributes.getBool("use_peephole", false);
  Value product = parts.make<MatMulOp>({f.join({x, oldOutput}), weights});
  SmallVector<Value> gates = f.quarters(f.add(product, in[7]));
  if (gates.empty())
    return;
  auto gate = [&](size_t index, Value state, Value peephole) {
    return peeks ? f.add(gates[index], f.multiply(state, peephole))
                 : gates[index];
  };
  Value forgetBias = f.number(x, node.attributes.getFloat("forget_bias", 1.0f));
  Value input = parts.make<SigmoidOp>(gate(0, oldState, in[4]));
  Value fresh = parts.make<TanhOp>(gates[1]);
  Value forget =
      parts.make<SigmoidOp>(f.add(gate(2, oldState, in[5]), forgetBias));
  Value state = f.add(f.multiply(fresh, input), f.multiply(forget, oldState));
  float clip = node.attributes.getFloat("cell_clip", 3.0f);
  if (clip > 0 && state)
    state = parts.make<MinimumOp>(
        {parts.make<MaximumOp>({state, f.number(x, -clip)}),
         f.number(x, clip)});
  Value output = parts.make<SigmoidOp>(gate(3, state, in[6]));
  Value shown = parts.make<TanhOp>(state);
  Value result = f.multiply(output, shown);
  if (!result)
    return;
  Value outputs[] = {input, state, forget, output, fresh, shown, result};
  for (auto [port, value] : llvm::enumerate(outputs))
    node.setOutput(static_cast<int>(port), value);
}

// Imports LSTMBlockCellGrad. Its outputs are the gradients of the old state, of
// the gates before their activation functions, and of the peephole weights.
static void importLSTMCellGrad(NodeImport &node) {
  NodeDecomposition parts(node);
  if (!parts)
    return;
  LSTMCellArithmetic f{parts};
  ArrayRef<Value> in = parts.inputs;
  Value oldState = in[1], input = in[8], state = in[9], forget = in[10];
  Value output = in[11], fresh = in[12], shown = in[13];
  Value stateGradient = in[14], resultGradient = in[15];
  checkSizes(parts, {in[2], input, state, forget, output, fresh, shown,
                     stateGradient, resultGradient});
  bool peeks = node.attributes.getBool("use_peephole", false);
  // The gradient ops of sigmoid and tanh have the function's result, not its
  // argument, as their operand.
  auto sigmoid = [&](Value y, Value gradient) {
    return parts.make<SigmoidGradOp>({y, gradient});
  };
  auto tanh = [&](Value y, Value gradient) {
    return parts.make<TanhGradOp>({y, gradient});
  };
  Value ofOutput = sigmoid(output, f.multiply(resultGradient, shown));
  Value ofState =
      f.add(tanh(shown, f.multiply(resultGradient, output)), stateGradient);
  if (peeks)
    ofState = f.add(ofState, f.multiply(ofOutput, in[6]));
  Value ofFresh = tanh(fresh, f.multiply(ofState, input));
  Value ofForget = sigmoid(forget, f.multiply(ofState, oldState));
  Value ofInput = sigmoid(input, f.multiply(ofState, fresh));
  Value ofOldState = f.multiply(ofState, forget);
  Value gates = f.join({ofInput, ofFresh, ofForget, ofOutput});
  if (!gates || !ofOldState)
    return;
  SmallVector<Value> ofPeepholes;
  for (unsigned i = 4; i < 7; ++i)
    ofPeepholes.push_back(f.multiply(in[i], f.number(in[i], 0)));
  if (peeks) {
    ofOldState = f.add(ofOldState, f.add(f.multiply(ofInput, in[4]),
                                         f.multiply(ofForget, in[5])));
    ofPeepholes = {f.sumOfProducts(ofInput, oldState),
                   f.sumOfProducts(ofForget, oldState),
                   f.sumOfProducts(ofOutput, state)};
  }
  node.setOutput(0, ofOldState);
  node.setOutput(1, gates);
  for (auto [i, value] : llvm::enumerate(ofPeepholes))
    if (value)
      node.setOutput(static_cast<int>(i) + 2, value);
}

void addRecurrentCellOps(OpTable &table) {
  static const std::vector<ImportedOp> functions = {
      {{"LSTMBlockCell",
        8,
        "",
        {{"forget_bias"}, {"cell_clip"}, {"use_peephole"}}},
       importLSTMCell},
      {{"LSTMBlockCellGrad", 16, "", {{"use_peephole"}}}, importLSTMCellGrad}};
  addImportedOps(table, functions);
  table["LSTMBlockCell"].outputs = {"i", "cs", "f", "o", "ci", "co", "h"};
  table["LSTMBlockCellGrad"].outputs = {"cs_prev_grad", "dicfo", "wci_grad",
                                        "wcf_grad", "wco_grad"};
}

} // namespace ingot::importer
