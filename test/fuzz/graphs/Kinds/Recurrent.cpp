//===- Recurrent.cpp - Cells that run along a sequence, unrolled ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/graphs/Kinds.h"

using namespace ingot::graph;

namespace ingot::fuzz {

namespace {

enum CellKind { Simple, Gated, LongMemory };

/// A recurrent cell (simple, GRU or LSTM) with its variables and dropout masks.
/// Its inputs have shape [batch, depth].
class Cell {
public:
  Cell(Build &b, int64_t kind, int64_t depth, int64_t units, int64_t masks,
       const std::string &name)
      : b(b), kind(kind), units(units), masks(masks) {
    int64_t width = (kind == Simple ? 1 : kind == Gated ? 3 : 4) * units;
    double scale = 1.0 / (1 + static_cast<double>(depth) / 4);
    input = b.variable(name + "_input", {depth, width}, scale);
    recurrent = b.variable(name + "_recurrent", {units, width}, 0.3);
    bias = b.variable(name + "_bias", {width}, 0.1);
  }

  /// Builds one time step on the input `x` and returns the new state. In the
  /// first time step there is no state yet, so all terms with it are left out.
  Tensor step(Tensor x) {
    x = masked(x, inputMask, 1);
    Tensor gates = biasAdd(matmul(x, input), bias), from = state;
    if (from)
      from = matmul(masked(from, stateMask, 2), recurrent);
    state = kind == Simple  ? tanh(from ? gates + from : gates)
            : kind == Gated ? gated(gates, from)
                            : longMemory(from ? gates + from : gates);
    return state;
  }

private:
  Tensor part(Tensor gates, int64_t index) {
    return slice(gates, {0, index * units}, {-1, units});
  }

  Tensor gated(Tensor x, Tensor from) {
    if (!from)
      return sigmoid(part(x, 0)) * tanh(part(x, 2));
    Tensor update = sigmoid(part(x, 0) + part(from, 0));
    Tensor reset = sigmoid(part(x, 1) + part(from, 1));
    Tensor next = tanh(part(x, 2) + reset * part(from, 2));
    return update * state + (1.0 - update) * next;
  }

  Tensor longMemory(Tensor x) {
    Tensor next = sigmoid(part(x, 0)) * tanh(part(x, 1));
    memory = memory ? memory * sigmoid(part(x, 2) + 1.0) + next : next;
    return sigmoid(part(x, 3)) * tanh(memory);
  }

  /// Multiplies `x` by `mask`, if `bit` is set in `masks`. The mask is drawn in
  /// the first time step and used in all, as in recurrent dropout.
  Tensor masked(Tensor x, Tensor &mask, int64_t bit) {
    if (!(masks & bit))
      return x;
    if (!mask) {
      Tensor draw = b.draw(x, masks + bit);
      mask = cast(greaterEqual(draw, scalarLike(draw, 0.25)), x.dtype()) *
             (1 / 0.75);
    }
    return x * mask;
  }

  Build &b;
  int64_t kind, units, masks;
  Tensor input, recurrent, bias;
  Tensor state, memory, inputMask, stateMask;
};

} // namespace

/// Draws the numbers of a recurrent layer: the number of units, the type of
/// cell, the direction (forward, backward or both), bits that say which dropout
/// masks there are, and whether the layer returns the states of all time steps
/// or only the last.
static Numbers drawRecurrent(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 8, 16}), random.below(3),
          random.below(3), random.below(4), random.below(2)};
}
static Result inferRecurrent(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.size() != 2 || in[0].shape[0] > 6)
    return {};
  int64_t units = n[2] == 2 ? 2 * n[0] : n[0];
  return n[4] ? Value{{in[0].shape[0], units}} : Value{{units}};
}
static Tensor reverseTime(Build &b, Tensor x) {
  return b.graph.create("reverse", {x, ints(b, {1})});
}
static Tensor runCell(Build &b, Tensor x, const Sizes &shape, const Numbers &n,
                      const std::string &name) {
  int64_t depth = shape[1];
  Cell cell(b, n[1], depth, n[0], n[3], name);
  std::vector<Tensor> states;
  for (int64_t time = 0; time < shape[0]; ++time) {
    Tensor row = slice(x, {0, time, 0}, {-1, 1, -1});
    states.push_back(cell.step(reshape(row, Shape{unknown, depth})));
  }
  return n[4] ? stack(states, 1) : states.back();
}
static Tensor buildRecurrent(Build &b, const Tensors &in, const Values &values,
                             const Numbers &n) {
  const Sizes &shape = values[0].shape;
  Tensor forward, back;
  if (n[2] != 1)
    forward = runCell(b, in[0], shape, n, "forward");
  if (n[2] != 0) {
    back = runCell(b, reverseTime(b, in[0]), shape, n, "back");
    if (n[4])
      back = reverseTime(b, back);
  }
  return !back      ? forward
         : !forward ? back
                    : concat({forward, back}, n[4] ? 2 : 1);
}

std::vector<Kind> recurrentKinds() {
  return {{"recurrent", 1, 4, drawRecurrent, inferRecurrent, buildRecurrent}};
}

} // namespace ingot::fuzz
