//===- TranslateProducts.cpp - dot_general in all its forms ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// MatMul and BatchMatMul where the operands lie so, Einsum otherwise.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

namespace {
/// The axes of a product, and its result's type.
struct Product {
  Sizes contractA, contractB, batchA, batchB;
  TensorType type;
};
} // namespace

static std::optional<Sizes> axesOf(const Attribute &numbers, StringRef name) {
  Sizes axes;
  const Attribute *list = numbers.find(name);
  if (!list)
    return axes;
  if (list->kind != Attribute::List)
    return std::nullopt;
  for (const Attribute &one : list->list)
    axes.push_back(one.kind == Attribute::Integer ? one.integer : -1);
  return axes;
}

// Whether the axes exist, go together, and give the result's shape.
static bool isValid(const Product &p, const Tensor &a, const Tensor &b) {
  Sizes usedA = p.batchA, usedB = p.batchB;
  append_range(usedA, p.contractA);
  append_range(usedB, p.contractB);
  if (p.batchA.size() != p.batchB.size() || usedA.size() != usedB.size() ||
      !areAxes(usedA, a->rank()) || !areAxes(usedB, b->rank()))
    return false;
  for (auto [one, other] : zip(usedA, usedB))
    if (a->shape[one] != b->shape[other])
      return false;
  Sizes shape;
  for (int64_t axis : p.batchA)
    shape.push_back(a->shape[axis]);
  for (auto [axis, size] : enumerate(a->shape))
    if (!is_contained(usedA, static_cast<int64_t>(axis)))
      shape.push_back(size);
  for (auto [axis, size] : enumerate(b->shape))
    if (!is_contained(usedB, static_cast<int64_t>(axis)))
      shape.push_back(size);
  return shape == p.type.shape && a->rank() + b->rank() <= 52;
}

// A product of matrices, or of batches of them, each perhaps transposed; null
// if it is neither.
static Tensor asMatMul(GraphBuilder &g, const Tensor &a, const Tensor &b,
                       const Product &p) {
  int64_t count = static_cast<int64_t>(p.batchA.size());
  if (p.contractA.size() != 1 || !is_sorted(p.batchA) ||
      (count && (p.batchA.back() != count - 1 || p.batchB != p.batchA)))
    return nullptr;
  int64_t rankA = static_cast<int64_t>(a->rank());
  // If only the last axis of `a` is contracted, all others merge into one: a
  // dense layer on sequences is one GEMM.
  if (!count && b->rank() == 2 && rankA > 2 && p.contractA[0] == rankA - 1) {
    int64_t depth = a->shape.back();
    Tensor rows = g.reshape(
        a, {numElements(ArrayRef<int64_t>(a->shape).drop_back()).value_or(0),
            depth});
    Product flat = p;
    flat.contractA = {1};
    flat.type.shape = {rows->shape[0], p.type.shape.back()};
    return g.reshape(asMatMul(g, rows, b, flat), p.type.shape);
  }
  if (rankA != count + 2 || static_cast<int64_t>(b->rank()) != count + 2)
    return nullptr;
  bool turnsA = p.contractA[0] == count, turnsB = p.contractB[0] == count + 1;
  StringRef op = count ? "BatchMatMulV2" : "MatMul";
  return g.node(op, {a, b}, a->type, p.type.shape,
                {{count ? "adj_x" : "transpose_a", exporter::boolean(turnsA)},
                 {count ? "adj_y" : "transpose_b", exporter::boolean(turnsB)}});
}

static Tensor asEinsum(GraphBuilder &g, const Tensor &a, const Tensor &b,
                       const Product &p) {
  std::string namesA(a->rank(), 0), namesB(b->rank(), 0), result;
  int next = 0;
  auto letter = [&] {
    int index = next++;
    return static_cast<char>(index < 26 ? 'a' + index : 'A' + index - 26);
  };
  for (auto [one, other] : zip(p.batchA, p.batchB))
    result += namesA[one] = namesB[other] = letter();
  for (auto [one, other] : zip(p.contractA, p.contractB))
    namesA[one] = namesB[other] = letter();
  for (std::string *names : {&namesA, &namesB})
    for (char &name : *names)
      if (!name)
        result += name = letter();
  return g.node(
      "Einsum", {a, b}, a->type, p.type.shape,
      {{"equation", exporter::text(namesA + "," + namesB + "->" + result)}});
}

static Tensors product(Translation &t, const Tensor &a, const Tensor &b,
                       Product p) {
  GraphBuilder &g = t.builder();
  if (a->type == proto::DT_BOOL || b->type == proto::DT_BOOL ||
      p.type.element == proto::DT_BOOL)
    return t.refuse("products of booleans are not supported");
  if (!isValid(p, a, b))
    return {};
  Tensor left = g.cast(a, p.type.element), right = g.cast(b, p.type.element);
  Tensor made = asMatMul(g, left, right, p);
  return {made ? made : asEinsum(g, left, right, p)};
}

static Tensors dotGeneral(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  const Attribute *numbers = op.find("dot_dimension_numbers");
  if (!numbers)
    return {};
  auto contractA = axesOf(*numbers, "lhs_contracting_dimensions");
  auto contractB = axesOf(*numbers, "rhs_contracting_dimensions");
  auto batchA = axesOf(*numbers, "lhs_batching_dimensions");
  auto batchB = axesOf(*numbers, "rhs_batching_dimensions");
  if (!contractA || !contractB || !batchA || !batchB)
    return {};
  return product(t, x[0], x[1],
                 {*contractA, *contractB, *batchA, *batchB, t.resultOf(op)});
}

// The last axis of the first operand by the first one of the second.
static Tensors dot(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  if (!x[0]->rank() || !x[1]->rank())
    return {};
  int64_t last = static_cast<int64_t>(x[0]->rank()) - 1;
  return product(t, x[0], x[1], {{last}, {0}, {}, {}, t.resultOf(op)});
}

void addProductOps(OpTable &table) {
  table["stablehlo.dot_general"] = {dotGeneral, 2, 1};
  table["stablehlo.dot"] = {dot, 2, 1};
}

} // namespace ingot::stablehlo
