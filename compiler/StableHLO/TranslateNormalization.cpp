//===- TranslateNormalization.cpp - Batch normalization -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// JAX has no such ops; torch_xla and others do.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {

/// A batch normalization over all axes but that of the features.
struct Normalization {
  GraphBuilder &b;
  Tensor x;
  int64_t axis;
  double epsilon;
  Sizes others, row;

  /// A value of each feature, broadcast.
  Tensor wide(const Tensor &one) const {
    return b.broadcast(b.reshape(one, row), x->shape);
  }
  Tensor mean(const Tensor &one) const { return b.reduce("Mean", one, others); }
  Tensor deviation(const Tensor &variance) const {
    return b.pointwise("Rsqrt", b.add(variance, b.like(epsilon, variance)));
  }
};

} // namespace

static std::optional<Normalization> read(Translation &t, const Op &op,
                                         ArrayRef<Tensor> x) {
  const Attribute *epsilon = op.find("epsilon");
  int64_t axis = t.integer(op, "feature_index").value_or(-1);
  if (!epsilon || epsilon->kind != Attribute::Float ||
      !areAxes({axis}, x[0]->rank()) || !isFloat(x[0]->type))
    return std::nullopt;
  Normalization n{t.builder(), x[0], axis, epsilon->number, {}, {}};
  n.row.assign(x[0]->rank(), 1);
  n.row[axis] = x[0]->shape[axis];
  for (size_t one = 0; one < x[0]->rank(); ++one)
    if (static_cast<int64_t>(one) != axis)
      n.others.push_back(static_cast<int64_t>(one));
  for (const Tensor &one : x.drop_front())
    if (one->type != x[0]->type ||
        (one->shape != x[0]->shape && one->shape != Sizes{n.row[axis]}))
      return std::nullopt;
  return n;
}

static Tensors inference(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto n = read(t, op, x);
  if (!n)
    return {};
  GraphBuilder &b = t.builder();
  Tensor scale = b.mul(n->deviation(x[4]), x[1]);
  return {
      b.add(b.mul(b.sub(x[0], n->wide(x[3])), n->wide(scale)), n->wide(x[2]))};
}

static Tensors training(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto n = read(t, op, x);
  if (!n)
    return {};
  GraphBuilder &b = t.builder();
  Tensor mean = n->mean(x[0]), centered = b.sub(x[0], n->wide(mean));
  Tensor variance = n->mean(b.pointwise("Square", centered));
  Tensor scale = b.mul(n->deviation(variance), x[1]);
  return {b.add(b.mul(centered, n->wide(scale)), n->wide(x[2])), mean,
          variance};
}

// The gradients of operand, scale and offset.
static Tensors gradient(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto n = read(t, op, x);
  if (!n || x[4]->shape != x[0]->shape)
    return {};
  GraphBuilder &b = t.builder();
  Tensor deviation = n->deviation(x[3]);
  Tensor normal = b.mul(b.sub(x[0], n->wide(x[2])), n->wide(deviation));
  Tensor scaled = b.mul(x[4], normal);
  Tensor own = b.sub(b.sub(x[4], n->wide(n->mean(x[4]))),
                     b.mul(normal, n->wide(n->mean(scaled))));
  return {b.mul(n->wide(b.mul(x[1], deviation)), own),
          b.reduce("Sum", scaled, n->others), b.reduce("Sum", x[4], n->others)};
}

void addNormalizationOps(OpTable &table) {
  table["stablehlo.batch_norm_inference"] = {inference, 5, 1};
  table["stablehlo.batch_norm_training"] = {training, 3, 3};
  table["stablehlo.batch_norm_grad"] = {gradient, 5, 3};
}

} // namespace ingot::stablehlo
