//===- TranslateScatters.cpp - Scatters -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows of the first axis, such as an embedding's gradients, are scattered as
// such. Everything else goes to elements of the flat array at computed places.
// Updates of windows that are partly outside of the array are dropped.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Places.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace ingot::stablehlo {

static std::optional<Indexing> readScatter(const Op &op, ArrayRef<Tensor> x,
                                           Sizes &inserted) {
  const Attribute *numbers = op.find("scatter_dimension_numbers");
  if (!numbers)
    return std::nullopt;
  auto windows = numbersOf(*numbers, "update_window_dims");
  auto dropped = numbersOf(*numbers, "inserted_window_dims");
  auto map = numbersOf(*numbers, "scatter_dims_to_operand_dims");
  auto batching = numbersOf(*numbers, "input_batching_dims");
  auto batchingOf = numbersOf(*numbers, "scatter_indices_batching_dims");
  if (!windows || !dropped || !map || !batching || !batchingOf)
    return std::nullopt;
  Indexing n;
  n.shape = x[0]->shape;
  n.sizes.assign(n.shape.size(), 1);
  n.indexed = *map;
  n.batching = *batching;
  n.batchingOf = *batchingOf;
  n.windowAxes = *windows;
  n.rank = x[2]->rank();
  const Attribute *vector = numbers->find("index_vector_dim");
  n.vectorAxis = vector ? vector->integer : 0;
  inserted = *dropped;
  Sizes left = *dropped;
  append_range(left, *batching);
  for (size_t axis = 0; axis < n.shape.size(); ++axis)
    if (!is_contained(left, static_cast<int64_t>(axis)))
      n.windowed.push_back(static_cast<int64_t>(axis));
  if (!areAxes(n.windowAxes, n.rank) || !areAxes(left, n.shape.size()))
    return std::nullopt;
  for (auto [place, axis] : zip(n.windowAxes, n.windowed))
    n.sizes[axis] = x[2]->shape[place];
  if (!n.isValid(x[1]))
    return std::nullopt;
  // The updates' other axes are those of the indices.
  Sizes batch, expected;
  for (auto [axis, size] : enumerate(x[2]->shape))
    if (!is_contained(n.windowAxes, static_cast<int64_t>(axis)))
      batch.push_back(size);
  for (auto [axis, size] : enumerate(x[1]->shape))
    if (static_cast<int64_t>(axis) != n.vectorAxis)
      expected.push_back(size);
  return batch == expected ? std::optional(n) : std::nullopt;
}

// Adds whole rows of the first axis; null if it is something else.
static Tensor scatterRows(GraphBuilder &b, StringRef op, ArrayRef<Tensor> x,
                          const Indexing &n, const Tensor &vectors,
                          ArrayRef<int64_t> inserted) {
  int64_t batch = static_cast<int64_t>(vectors->rank()) - 1;
  if (op != "TensorScatterAdd" || n.indexed != Sizes{0} ||
      inserted != ArrayRef<int64_t>({0}) || !n.batching.empty())
    return nullptr;
  for (auto [place, axis] : enumerate(n.windowAxes))
    if (axis != batch + static_cast<int64_t>(place))
      return nullptr;
  for (size_t axis = 1; axis < n.shape.size(); ++axis)
    if (n.sizes[axis] != n.shape[axis])
      return nullptr;
  int64_t count = vectors->size();
  Tensor index = b.reshape(vectors, {count});
  Sizes shape = n.shape, column(n.shape.size(), 1);
  shape[0] = column[0] = count;
  Tensor rows = b.reshape(x[2], shape);
  Tensor within = b.reshape(isWithin(b, index, n.shape[0] - 1), column);
  rows = b.select(b.broadcast(within, shape), rows,
                  b.broadcast(b.like(0, rows), shape));
  Tensor at = b.reshape(clip(b, index, n.shape[0] - 1), {count, 1});
  return b.node(op, {x[0], at, rows}, x[0]->type, n.shape);
}

static Tensors scatter(Translation &t, const Op &op, ArrayRef<Tensor> inputs) {
  GraphBuilder &b = t.builder();
  SmallVector<Tensor, 3> x(inputs);
  if (op.regions.size() != 1 || x[2]->type != x[0]->type)
    return {};
  const Block &block = *op.regions[0];
  bool isDifference =
      block.ops.size() == 1 && block.ops[0].operands == block.arguments;
  StringRef name = StringSwitch<StringRef>(combinerOf(block))
                       .Case("second", "TensorScatterUpdate")
                       .Case("add", "TensorScatterAdd")
                       .Case("subtract", isDifference ? "TensorScatterSub" : "")
                       .Case("multiply", "UnsortedSegmentProd")
                       .Case("maximum", "TensorScatterMax")
                       .Case("minimum", "TensorScatterMin")
                       .Default("");
  bool isBool = x[0]->type == proto::DT_BOOL;
  if (name.empty() || (isBool && name != "TensorScatterUpdate"))
    return t.refuse("its region is not one that is supported: add, subtract, "
                    "multiply, maximum, minimum, or the update itself");
  Sizes inserted;
  auto n = readScatter(op, x, inserted);
  if (!n)
    return t.refuse("its dimension numbers do not fit its operands, or the "
                    "array has 2^31 elements or more");
  if (!x[0]->size() || !x[2]->size())
    return {x[0]};
  if (isBool)
    for (size_t i : {0, 2})
      x[i] = b.cast(x[i], proto::DT_UINT8);
  Tensor vectors = indexVectors(b, x[1], n->vectorAxis);
  Tensor made = scatterRows(b, name, x, *n, vectors, inserted);
  if (!made) {
    Places places = placesOf(b, *n, vectors, /*clips=*/false);
    made = scatterFlat(b, name, x[0], b.broadcast(places.flat, x[2]->shape),
                       x[2], places.within);
  }
  return {isBool ? b.cast(made, proto::DT_BOOL) : made};
}

void addScatterOps(OpTable &table) {
  table["stablehlo.scatter"] = {scatter, 3, 1};
}

} // namespace ingot::stablehlo
