//===- Kinds.cpp - The kinds of nodes of random graphs --------------------===//
//
// Each has numbers that it is drawn with, the shape that it computes, and how
// it is built. Adding one is adding a row to the table at the end.
//
//===----------------------------------------------------------------------===//

#include "Kinds.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::fuzz {

using Values = std::vector<Value>;
using Numbers = std::vector<int64_t>;
using Tensors = std::vector<Tensor>;
using Result = std::optional<Value>;

int64_t elementsOf(const Sizes &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements;
}

static Numbers noNumbers(Random &, const Values &) { return {}; }

static Result sameShape(const Values &in, const Numbers &) {
  return in[0].isIds ? Result() : in[0];
}

static int64_t rankOf(const Values &in) {
  return static_cast<int64_t>(in[0].shape.size());
}

/// The tensor's own sizes, with an unknown batch.
static Shape withBatch(const Sizes &shape) {
  Shape all = {unknown};
  all.insert(all.end(), shape.begin(), shape.end());
  return all;
}

static Tensor ints(Build &b, const std::vector<int32_t> &values) {
  return b.graph.constant(Array(values));
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

static Tensor activate(Tensor x, int64_t which) {
  switch (which) {
  case 0:
    return x;
  case 1:
    return relu(x);
  case 2:
    return tanh(x);
  case 3:
    return sigmoid(x);
  case 4:
    return elu(x);
  case 5:
    return softplus(x);
  case 6:
    return leakyRelu(x);
  case 7:
    return selu(x);
  case 8:
    return relu6(x);
  case 9:
    return abs(x);
  case 10:
    return square(tanh(x));
  case 11:
    return exp(minimum(x, scalarLike(x, 1)));
  case 12:
    return log1p(abs(x));
  case 13:
    return sqrt(abs(x) + 0.5);
  case 14:
    return rsqrt(square(x) + 1.0);
  default:
    return x * sigmoid(x);
  }
}
static constexpr int64_t numActivations = 16;

static Numbers drawDense(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 5, 8, 10, 16, 17, 32, 33, 64}),
          random.below(numActivations), random.below(2),
          random.oneIn(4) ? 1 + random.below(2) : 0};
}
static Result inferDense(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.empty())
    return {};
  Value value = in[0];
  value.shape.back() = n[0];
  return value;
}
static Tensor buildDense(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  int64_t depth = values[0].shape.back();
  Tensor kernel = b.variable("kernel", {depth, n[0]},
                             1 / std::max<double>(1, depth / 4.0), 0, n[3]);
  Sizes shape = values[0].shape;
  Tensor x = shape.size() == 1 ? in[0] : reshape(in[0], Shape{unknown, depth});
  Tensor y = matmul(x, kernel);
  if (n[2])
    y = biasAdd(y, b.variable("bias", {n[0]}, 0.1));
  y = activate(y, n[1]);
  shape.back() = n[0];
  return shape.size() == 1 ? y : reshape(y, withBatch(shape));
}

static Numbers drawConv(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 8, 16}),
          1 + random.below(3),
          1 + random.below(2),
          random.below(2),
          random.below(numActivations),
          random.below(2)};
}
/// What a window of `size` moved by `stride` gives along `length`.
static int64_t windows(int64_t length, int64_t size, int64_t stride,
                       bool same) {
  return same            ? (length + stride - 1) / stride
         : length < size ? 0
                         : (length - size) / stride + 1;
}
static Result inferWindow(const Value &in, int64_t size, int64_t stride,
                          bool same, int64_t channels) {
  if (in.isIds || in.shape.size() != 3)
    return {};
  int64_t height = windows(in.shape[0], size, stride, same);
  int64_t width = windows(in.shape[1], size, stride, same);
  if (height < 1 || width < 1)
    return {};
  return Value{{height, width, channels}};
}
static Result inferConv(const Values &in, const Numbers &n) {
  return inferWindow(in[0], n[1], n[2], n[3], n[0]);
}
static Tensor buildConv(Build &b, const Tensors &in, const Values &values,
                        const Numbers &n) {
  int64_t channels = values[0].shape[2];
  double scale = 1 / std::max(1.0, n[1] * n[1] * channels / 4.0);
  Tensor filter = b.variable("filter", {n[1], n[1], channels, n[0]}, scale);
  Tensor y = conv2d(in[0], filter, n[2], n[3] ? Padding::Same : Padding::Valid);
  if (n[5])
    y = biasAdd(y, b.variable("bias", {n[0]}, 0.1));
  return activate(y, n[4]);
}

static Numbers drawPool(Random &random, const Values &) {
  return {1 + random.below(3), 1 + random.below(2), random.below(2),
          random.below(2)};
}
static Result inferPool(const Values &in, const Numbers &n) {
  return in[0].shape.size() == 3
             ? inferWindow(in[0], n[0], n[1], n[2], in[0].shape[2])
             : Result();
}
static Tensor buildPool(Build &, const Tensors &in, const Values &,
                        const Numbers &n) {
  Padding padding = n[2] ? Padding::Same : Padding::Valid;
  return n[3] ? maxPool(in[0], n[0], n[1], padding)
              : avgPool(in[0], n[0], n[1], padding);
}

static Result inferNorm(const Values &in, const Numbers &) {
  return in[0].isIds || in[0].shape.empty() ? Result() : in[0];
}
static Tensor buildBatchNorm(Build &, const Tensors &in, const Values &,
                             const Numbers &) {
  return layers::batchNorm(in[0], /*training=*/true);
}
static Tensor buildLayerNorm(Build &, const Tensors &in, const Values &,
                             const Numbers &) {
  return layers::layerNorm(in[0]);
}

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

/// A rate in tenths, and one of a few seeds: some draws are equal.
static Numbers drawDropout(Random &random, const Values &) {
  return {1 + random.below(6), random.below(5)};
}
static Tensor buildDropout(Build &b, const Tensors &in, const Values &,
                           const Numbers &n) {
  double rate = static_cast<double>(n[0]) / 10;
  if (n[1] == 4)
    return layers::dropout(in[0], rate, /*training=*/true);
  Tensor keeps = greaterEqual(b.draw(in[0], n[1]), scalarLike(in[0], rate));
  return select(keeps, in[0] * (1 / (1 - rate)), scalarLike(in[0], 0));
}
static Tensor buildNoise(Build &b, const Tensors &in, const Values &,
                         const Numbers &n) {
  return in[0] + b.draw(in[0], n[1]) * (static_cast<double>(n[0]) / 20);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static Numbers drawActivation(Random &random, const Values &) {
  return {1 + random.below(numActivations - 1)};
}
static Tensor buildActivation(Build &, const Tensors &in, const Values &,
                              const Numbers &n) {
  return activate(in[0], n[0]);
}

static Numbers drawBinary(Random &random, const Values &) {
  return {random.below(9)};
}
static Result inferBinary(const Values &in, const Numbers &) {
  return in[0] == in[1] && !in[0].isIds ? in[0] : Result();
}
static Tensor combine(Tensor a, Tensor c, int64_t which) {
  switch (which) {
  case 0:
    return a + c;
  case 1:
    return a - c;
  case 2:
    return a * tanh(c);
  case 3:
    return maximum(a, c);
  case 4:
    return minimum(a, c);
  case 5:
    return squaredDifference(tanh(a), tanh(c));
  case 6:
    return a / (abs(c) + 1.0);
  case 7:
    return select(greater(a, c), a, c * 0.5);
  default:
    return select(less(a, scalarLike(a, 0)), tanh(c), a);
  }
}
static Tensor buildBinary(Build &, const Tensors &in, const Values &,
                          const Numbers &n) {
  return combine(in[0], in[1], n[0]);
}

/// Which dimensions the variable has, as bits, and the function.
static Numbers drawScale(Random &random, const Values &in) {
  return {random.below(int64_t(1) << rankOf(in)), random.below(9),
          random.oneIn(3) ? 1 : 0};
}
static Tensor buildScale(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  Sizes shape = values[0].shape;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (!(n[0] >> dim & 1))
      shape[dim] = 1;
  Tensor variable = b.variable("scale", shape, 0.5, 0.7, n[2]);
  // With the batch in front: broadcast by trailing dimensions.
  return combine(in[0], variable, n[1] % 7);
}

static Numbers drawCast(Random &random, const Values &) {
  return {random.below(3), random.below(3)};
}
static Tensor buildCast(Build &, const Tensors &in, const Values &,
                        const Numbers &n) {
  constexpr DType types[] = {DType::BFloat16, DType::Float16, DType::Float64};
  Tensor x = cast(tanh(in[0]), types[n[0]]);
  x = n[1] == 0 ? x * scalarLike(x, 0.5) : n[1] == 1 ? square(x) : x + x;
  return cast(x, DType::Float32);
}

static Tensor buildStop(Build &b, const Tensors &in, const Values &,
                        const Numbers &) {
  return b.graph.create("stop_gradient", {in[0]});
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static Result inferFlatten(const Values &in, const Numbers &) {
  return in[0].isIds ? Result() : Value{{elementsOf(in[0].shape)}};
}
static Tensor buildFlatten(Build &, const Tensors &in, const Values &values,
                           const Numbers &) {
  return reshape(in[0], Shape{unknown, elementsOf(values[0].shape)});
}

/// A divisor of the last dimension becomes a dimension of its own.
static Numbers drawSplitDim(Random &random, const Values &in) {
  int64_t last = in[0].shape.empty() ? 1 : in[0].shape.back();
  std::vector<int64_t> divisors;
  for (int64_t size = 1; size <= last; ++size)
    if (last % size == 0)
      divisors.push_back(size);
  return {random.pick(divisors)};
}
static Result inferSplitDim(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.empty() || in[0].shape.size() > 3 ||
      in[0].shape.back() % n[0] != 0)
    return {};
  Value value = in[0];
  value.shape.back() = n[0];
  value.shape.push_back(in[0].shape.back() / n[0]);
  return value;
}
static Tensor buildSplitDim(Build &, const Tensors &in, const Values &values,
                            const Numbers &n) {
  return reshape(in[0], withBatch(inferSplitDim(values, n)->shape));
}

static Numbers drawTranspose(Random &random, const Values &in) {
  Numbers order;
  for (int64_t dim = 0; dim < rankOf(in); ++dim)
    order.insert(order.begin() + random.below(dim + 1), dim);
  return order;
}
static Result inferTranspose(const Values &in, const Numbers &n) {
  if (in[0].isIds || n.size() != in[0].shape.size() || n.size() < 2)
    return {};
  Value value = in[0];
  for (size_t dim = 0; dim < n.size(); ++dim)
    value.shape[dim] = in[0].shape[n[dim]];
  return value;
}
static Tensor buildTranspose(Build &, const Tensors &in, const Values &,
                             const Numbers &n) {
  std::vector<int64_t> order = {0};
  for (int64_t dim : n)
    order.push_back(dim + 1);
  return transpose(in[0], order);
}

/// Dimension, begin, stride; and whether one element is taken.
static Numbers drawSlice(Random &random, const Values &in) {
  int64_t dim = random.below(std::max<int64_t>(1, rankOf(in)));
  int64_t size = in[0].shape.empty() ? 1 : in[0].shape[dim];
  return {dim, random.below(size), 1 + random.below(3), random.oneIn(3),
          random.below(2)};
}
static Result inferSlice(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >= rankOf(in) || n[1] >= in[0].shape[n[0]])
    return {};
  Value value = in[0];
  int64_t rest = in[0].shape[n[0]] - n[1];
  if (n[3])
    value.shape.erase(value.shape.begin() + n[0]);
  else
    value.shape[n[0]] = n[4] ? rest : (rest + n[2] - 1) / n[2];
  return value;
}
static Tensor buildSlice(Build &b, const Tensors &in, const Values &values,
                         const Numbers &n) {
  size_t rank = values[0].shape.size() + 1;
  if (n[4] && !n[3]) {
    std::vector<int64_t> begin(rank, 0), size(rank, -1);
    begin[n[0] + 1] = n[1];
    return slice(in[0], begin, size);
  }
  std::vector<int32_t> begin(rank, 0), end(rank, 0), strides(rank, 1);
  int64_t dim = n[0] + 1, all = (int64_t(1) << rank) - 1;
  begin[dim] = static_cast<int32_t>(n[1]);
  end[dim] = static_cast<int32_t>(n[1] + 1);
  strides[dim] = n[3] ? 1 : static_cast<int32_t>(n[2]);
  int64_t others = all & ~(int64_t(1) << dim);
  return b.graph.create(
      "strided_slice", {in[0], ints(b, begin), ints(b, end), ints(b, strides)},
      {{"begin_mask", others},
       {"end_mask", n[3] ? others : all},
       {"shrink_axis_mask", n[3] ? int64_t(1) << dim : int64_t(0)}});
}

static Numbers drawConcat(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in)))};
}
static Result inferConcat(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[1].isIds || in[0].shape.size() != in[1].shape.size() ||
      n[0] >= rankOf(in))
    return {};
  Value value = in[0];
  for (size_t dim = 0; dim < value.shape.size(); ++dim)
    if (static_cast<int64_t>(dim) == n[0])
      value.shape[dim] += in[1].shape[dim];
    else if (value.shape[dim] != in[1].shape[dim])
      return {};
  return value;
}
static Tensor buildConcat(Build &, const Tensors &in, const Values &,
                          const Numbers &n) {
  return concat({in[0], in[1]}, n[0] + 1);
}

static Numbers drawPad(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in))), random.below(3),
          random.below(3)};
}
static Result inferPad(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >= rankOf(in))
    return {};
  Value value = in[0];
  value.shape[n[0]] += n[1] + n[2];
  return value;
}
static Tensor buildPad(Build &b, const Tensors &in, const Values &values,
                       const Numbers &n) {
  int64_t rank = static_cast<int64_t>(values[0].shape.size()) + 1;
  std::vector<int32_t> paddings(2 * rank, 0);
  paddings[2 * (n[0] + 1)] = static_cast<int32_t>(n[1]);
  paddings[2 * (n[0] + 1) + 1] = static_cast<int32_t>(n[2]);
  return b.graph.create("pad",
                        {in[0], b.graph.constant(Array(paddings, {rank, 2})),
                         scalarLike(in[0], 0.25)});
}

static Numbers drawAxis(Random &random, const Values &in) {
  return {random.below(std::max<int64_t>(1, rankOf(in))), random.below(4)};
}
static Result inferAxis(const Values &in, const Numbers &n) {
  return in[0].isIds || n[0] >= rankOf(in) ? Result() : in[0];
}
static Tensor buildReverse(Build &b, const Tensors &in, const Values &,
                           const Numbers &n) {
  if (n[1] < 2)
    return b.graph.create("reverse",
                          {in[0], ints(b, {static_cast<int32_t>(n[0] + 1)})});
  return b.graph.create("roll", {in[0], ints(b, {static_cast<int32_t>(n[1])}),
                                 ints(b, {static_cast<int32_t>(n[0] + 1)})});
}
static Result inferTile(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >= rankOf(in))
    return {};
  Value value = in[0];
  value.shape[n[0]] *= 1 + n[1] % 3;
  return value;
}
static Tensor buildTile(Build &b, const Tensors &in, const Values &values,
                        const Numbers &n) {
  std::vector<int32_t> multiples(values[0].shape.size() + 1, 1);
  multiples[n[0] + 1] = static_cast<int32_t>(1 + n[1] % 3);
  return b.graph.create("tile", {in[0], ints(b, multiples)});
}

//===----------------------------------------------------------------------===//
// Reductions and products
//===----------------------------------------------------------------------===//

/// Axes as bits, the function, and what becomes of the dimensions: they go,
/// stay, or are subtracted from the input.
static Numbers drawReduce(Random &random, const Values &in) {
  return {
      1 + random.below(std::max<int64_t>(1, (int64_t(1) << rankOf(in)) - 1)),
      random.below(5), random.below(3)};
}
static Axes axesOf(int64_t bits) {
  Axes axes;
  for (int64_t dim = 0; bits >> dim; ++dim)
    if (bits >> dim & 1)
      axes.push_back(dim + 1);
  return axes;
}
static Result inferReduce(const Values &in, const Numbers &n) {
  if (in[0].isIds || n[0] >> rankOf(in))
    return {};
  if (n[2] == 2)
    return in[0];
  Value value;
  for (int64_t dim = 0; dim < rankOf(in); ++dim)
    if (!(n[0] >> dim & 1))
      value.shape.push_back(in[0].shape[dim]);
    else if (n[2] == 1)
      value.shape.push_back(1);
  return value;
}
static Tensor buildReduce(Build &, const Tensors &in, const Values &,
                          const Numbers &n) {
  Axes axes = axesOf(n[0]);
  bool keeps = n[2] != 0;
  Tensor x = in[0], reduced;
  switch (n[1]) {
  case 0:
    reduced = tanh(sum(x, axes, keeps));
    break;
  case 1:
    reduced = mean(x, axes, keeps);
    break;
  case 2:
    reduced = max(x, axes, keeps);
    break;
  case 3:
    reduced = min(x, axes, keeps);
    break;
  default:
    reduced = sqrt(mean(square(x), axes, keeps) + 0.01);
  }
  return n[2] == 2 ? x - reduced : reduced;
}

static Tensor buildSoftmax(Build &, const Tensors &in, const Values &,
                           const Numbers &n) {
  return n[0] % 2 ? logSoftmax(in[0]) * 0.2 : softmax(in[0]);
}

static Numbers drawAttention(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 4, 5, 8, 16}), random.below(2)};
}
static Result inferAttention(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.size() != 2)
    return {};
  return Value{{in[0].shape[0], n[0]}};
}
static Tensor buildAttention(Build &b, const Tensors &in, const Values &values,
                             const Numbers &n) {
  int64_t length = values[0].shape[0], depth = values[0].shape[1];
  auto project = [&](const std::string &name) {
    Tensor kernel =
        b.variable(name, {depth, n[0]}, 1 / std::max(1.0, depth / 4.0));
    Tensor rows = reshape(in[0], Shape{unknown, depth});
    return reshape(matmul(rows, kernel), Shape{unknown, length, n[0]});
  };
  Tensor query = project("query"), key = project("key");
  Tensor scores =
      b.graph.create("batch_matmul", {query, key}, {{"adj_y", true}});
  Tensor weights = softmax(scores * 0.5);
  return b.graph.create("batch_matmul",
                        {weights, n[1] ? project("value") : key});
}

static Result inferGram(const Values &in, const Numbers &) {
  if (in[0].isIds || in[0].shape.size() != 2)
    return {};
  return Value{{in[0].shape[1], in[0].shape[1]}};
}
static Tensor buildGram(Build &b, const Tensors &in, const Values &values,
                        const Numbers &) {
  Tensor x = tanh(in[0]);
  return b.graph.create("batch_matmul", {x, x}, {{"adj_x", true}}) *
         (1.0 / static_cast<double>(values[0].shape[0]));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

constexpr int64_t vocabulary = 11;

static Numbers drawEmbedding(Random &random, const Values &) {
  return {random.pick<int64_t>({1, 2, 3, 4, 8, 16}), random.oneIn(3) ? 1 : 0};
}
static Result inferEmbedding(const Values &in, const Numbers &n) {
  if (!in[0].isIds)
    return {};
  Value value{in[0].shape};
  value.shape.push_back(n[0]);
  return value;
}
static Tensor buildEmbedding(Build &b, const Tensors &in, const Values &,
                             const Numbers &n) {
  return gather(b.variable("table", {vocabulary, n[0]}, 0.5, 0, n[1]), in[0]);
}

/// A row of a table for the place of the largest element.
static Result inferChoice(const Values &in, const Numbers &n) {
  if (in[0].isIds || in[0].shape.size() != 1 || in[0].shape[0] < 2)
    return {};
  return Value{{n[0]}};
}
static Tensor buildChoice(Build &b, const Tensors &in, const Values &values,
                          const Numbers &n) {
  Tensor table = b.variable("table", {values[0].shape[0], n[0]}, 0.5);
  return gather(table, argMax(in[0], 1));
}

static Result inferOneHot(const Values &in, const Numbers &) {
  if (!in[0].isIds)
    return {};
  Value value{in[0].shape};
  value.shape.push_back(vocabulary);
  return value;
}
static Tensor buildOneHot(Build &, const Tensors &in, const Values &,
                          const Numbers &) {
  return oneHot(in[0], vocabulary);
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

static Result inferFeatures(const Values &, const Numbers &n) {
  return Value{n};
}
static Result inferIds(const Values &, const Numbers &n) {
  return Value{n, /*isIds=*/true};
}
static Tensor buildFeatures(Build &b, const Tensors &, const Values &,
                            const Numbers &) {
  return b.batch["x"];
}
static Tensor buildIds(Build &b, const Tensors &, const Values &,
                       const Numbers &) {
  return b.batch["ids"];
}

const std::vector<Kind> &allKinds() {
  static const std::vector<Kind> kinds = {
      {"features", 0, 0, noNumbers, inferFeatures, buildFeatures},
      {"ids", 0, 0, noNumbers, inferIds, buildIds},
      {"dense", 1, 6, drawDense, inferDense, buildDense},
      {"conv", 1, 6, drawConv, inferConv, buildConv},
      {"pool", 1, 3, drawPool, inferPool, buildPool},
      {"batch_norm", 1, 3, noNumbers, inferNorm, buildBatchNorm},
      {"layer_norm", 1, 2, noNumbers, inferNorm, buildLayerNorm},
      {"dropout", 1, 10, drawDropout, sameShape, buildDropout},
      {"noise", 1, 5, drawDropout, sameShape, buildNoise},
      {"activation", 1, 4, drawActivation, sameShape, buildActivation},
      {"binary", 2, 6, drawBinary, inferBinary, buildBinary},
      {"scale", 1, 4, drawScale, sameShape, buildScale},
      {"cast", 1, 2, drawCast, sameShape, buildCast},
      {"stop", 1, 1, noNumbers, sameShape, buildStop},
      {"flatten", 1, 2, noNumbers, inferFlatten, buildFlatten},
      {"split_dim", 1, 2, drawSplitDim, inferSplitDim, buildSplitDim},
      {"transpose", 1, 2, drawTranspose, inferTranspose, buildTranspose},
      {"slice", 1, 3, drawSlice, inferSlice, buildSlice},
      {"concat", 2, 3, drawConcat, inferConcat, buildConcat},
      {"pad", 1, 2, drawPad, inferPad, buildPad},
      {"reverse", 1, 2, drawAxis, inferAxis, buildReverse},
      {"tile", 1, 1, drawAxis, inferTile, buildTile},
      {"reduce", 1, 4, drawReduce, inferReduce, buildReduce},
      {"softmax", 1, 2, drawActivation, inferNorm, buildSoftmax},
      {"attention", 1, 3, drawAttention, inferAttention, buildAttention},
      {"gram", 1, 1, noNumbers, inferGram, buildGram},
      {"embedding", 1, 4, drawEmbedding, inferEmbedding, buildEmbedding},
      {"choice", 1, 1, drawEmbedding, inferChoice, buildChoice},
      {"one_hot", 1, 2, noNumbers, inferOneHot, buildOneHot},
  };
  return kinds;
}

const Kind *findKind(const std::string &name) {
  for (const Kind &kind : allKinds())
    if (kind.name == name)
      return &kind;
  return nullptr;
}

} // namespace ingot::fuzz
