//===- TranslateShapes.cpp - Ops on the shapes of tensors -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

static Tensors constant(Translation &t, const Op &op, ArrayRef<Tensor>) {
  const Attribute *value = op.find("value");
  if (!value || value->kind != Attribute::Dense)
    return t.refuse("constants of this kind are not supported");
  return {t.builder().constant(value->elements)};
}

static Tensors iota(Translation &t, const Op &op, ArrayRef<Tensor>) {
  auto axis = t.integer(op, "iota_dimension");
  const TensorType &type = t.resultOf(op);
  if (!axis || !areAxes({*axis}, type.shape.size()) ||
      type.element == proto::DT_BOOL)
    return {};
  return {t.builder().iota(type.shape, *axis, type.element)};
}

// Sizes of 1 stretch, and dimensions may come in another order.
static Tensors broadcastInDim(Translation &t, const Op &op,
                              ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  auto dims = t.integers(op, "broadcast_dimensions");
  const Sizes &shape = t.resultOf(op).shape;
  if (!dims || dims->size() != x[0]->rank() || !areAxes(*dims, shape.size()))
    return {};
  for (auto [axis, size] : zip(*dims, x[0]->shape))
    if (size != 1 && size != shape[axis])
      return {};
  Tensor thin = thinOf(x[0]);
  if (!thin->rank())
    return {shape.empty() ? thin : b.broadcast(thin, shape)};
  // The operand's dimensions in the result's order.
  Sizes order(dims->size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  sort(order, [&](int64_t one, int64_t other) {
    return (*dims)[one] < (*dims)[other];
  });
  Sizes expanded(shape.size(), 1);
  for (auto [axis, size] : zip(*dims, thin->shape))
    expanded[axis] = size;
  return {b.broadcast(b.reshape(b.transpose(thin, order), expanded), shape)};
}

static Tensors reshape(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  const Sizes &shape = t.resultOf(op).shape;
  if (numElements(shape) != numElements(x[0]->shape))
    return {};
  return {t.builder().reshape(x[0], shape)};
}

static Tensors transpose(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto order = t.integers(op, "permutation");
  if (!order || order->size() != x[0]->rank() || !areAxes(*order, x[0]->rank()))
    return {};
  return {t.builder().transpose(x[0], *order)};
}

static Tensors reverse(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  auto axes = t.integers(op, "dimensions");
  if (!axes || !areAxes(*axes, x[0]->rank()))
    return {};
  if (axes->empty())
    return {x[0]};
  return {b.node("ReverseV2", {x[0], b.sizes(*axes)}, x[0]->type, x[0]->shape)};
}

static Tensors concatenate(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto axis = t.integer(op, "dimension");
  if (!axis || x.empty() || !areAxes({*axis}, x[0]->rank()))
    return {};
  for (const Tensor &part : x) {
    Sizes shape = part->shape;
    if (shape.size() != x[0]->rank() || part->type != x[0]->type)
      return {};
    shape[*axis] = x[0]->shape[*axis];
    if (shape != x[0]->shape)
      return {};
  }
  return {t.builder().concat(x, *axis)};
}

static Tensors slice(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto begin = t.integers(op, "start_indices");
  auto end = t.integers(op, "limit_indices");
  auto strides = t.integers(op, "strides");
  size_t rank = x[0]->rank();
  if (!begin || !end || !strides || begin->size() != rank ||
      end->size() != rank || strides->size() != rank)
    return {};
  for (size_t axis = 0; axis < rank; ++axis)
    if ((*begin)[axis] < 0 || (*begin)[axis] > (*end)[axis] ||
        (*end)[axis] > x[0]->shape[axis] || (*strides)[axis] < 1)
      return {};
  return {t.builder().slice(x[0], *begin, *end, *strides)};
}

static Tensors pad(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  auto low = t.integers(op, "edge_padding_low");
  auto high = t.integers(op, "edge_padding_high");
  auto inner = t.integers(op, "interior_padding");
  size_t rank = x[0]->rank();
  constexpr int64_t most = int64_t(1) << 31;
  if (!low || !high || !inner || low->size() != rank || high->size() != rank ||
      inner->size() != rank || t.resultOf(op).shape.size() != rank ||
      x[1]->rank() || x[1]->type != x[0]->type)
    return {};
  for (size_t axis = 0; axis < rank; ++axis) {
    int64_t size = x[0]->shape[axis];
    if (std::abs((*low)[axis]) > most || std::abs((*high)[axis]) > most ||
        (*inner)[axis] < 0 || (*inner)[axis] > most)
      return {};
    int64_t whole = size + std::max<int64_t>(0, size - 1) * (*inner)[axis];
    if (whole + (*low)[axis] + (*high)[axis] != t.resultOf(op).shape[axis])
      return {};
  }
  return {t.builder().pad(x[0], x[1], *low, *high, *inner)};
}

static Tensors identity(Translation &, const Op &, ArrayRef<Tensor> x) {
  return Tensors(x);
}

static Tensors shardingConstraint(Translation &t, const Op &op,
                                  ArrayRef<Tensor> x) {
  if (!t.isTrivialMesh(t.text(op, "sharding")))
    return t.refuse("it divides a tensor between devices; a program runs on "
                    "one device");
  return {x[0]};
}

void addShapeOps(OpTable &table) {
  table["stablehlo.constant"] = {constant, 0, 1};
  table["chlo.constant"] = {constant, 0, 1};
  table["stablehlo.iota"] = {iota, 0, 1};
  table["stablehlo.broadcast_in_dim"] = {broadcastInDim, 1, 1};
  table["stablehlo.reshape"] = {reshape, 1, 1};
  table["stablehlo.transpose"] = {transpose, 1, 1};
  table["stablehlo.reverse"] = {reverse, 1, 1};
  table["stablehlo.concatenate"] = {concatenate, -1, 1};
  table["stablehlo.slice"] = {slice, 1, 1};
  table["stablehlo.pad"] = {pad, 2, 1};
  table["stablehlo.optimization_barrier"] = {identity, -1, -1};
  table["sdy.sharding_constraint"] = {shardingConstraint, 1, 1};
}

} // namespace ingot::stablehlo
