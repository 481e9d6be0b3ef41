//===- TranslateGathers.cpp - Gathers and dynamic slices ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows along one axis are GatherV2. Everything else reads elements of the flat
// array at computed places.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/Places.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

// Reads the numbers of a gather. `collapsed` are the axes of windows, of size
// 1, that the result leaves out.
static std::optional<Indexing>
readGather(Translation &t, const Op &op, ArrayRef<Tensor> x, Sizes &collapsed) {
  const Attribute *numbers = op.find("dimension_numbers");
  auto sizes = t.integers(op, "slice_sizes");
  if (!numbers || !sizes)
    return std::nullopt;
  auto offsets = numbersOf(*numbers, "offset_dims");
  auto dropped = numbersOf(*numbers, "collapsed_slice_dims");
  auto map = numbersOf(*numbers, "start_index_map");
  auto batching = numbersOf(*numbers, "operand_batching_dims");
  auto batchingOf = numbersOf(*numbers, "start_indices_batching_dims");
  if (!offsets || !dropped || !map || !batching || !batchingOf)
    return std::nullopt;
  Indexing n;
  n.shape = x[0]->shape;
  n.sizes = *sizes;
  n.indexed = *map;
  n.batching = *batching;
  n.batchingOf = *batchingOf;
  n.windowAxes = *offsets;
  n.rank = t.resultOf(op).shape.size();
  const Attribute *vector = numbers->find("index_vector_dim");
  n.vectorAxis = vector ? vector->integer : 0;
  collapsed = *dropped;
  Sizes left = *dropped;
  append_range(left, *batching);
  for (auto [axis, size] : enumerate(n.shape)) {
    int64_t number = static_cast<int64_t>(axis);
    if (!is_contained(left, number))
      n.windowed.push_back(number);
    else if (axis < n.sizes.size() && n.sizes[axis] > 1)
      return std::nullopt;
  }
  if (!areAxes(left, n.shape.size()) || !n.isValid(x[1]))
    return std::nullopt;
  for (auto [place, axis] : zip(n.windowAxes, n.windowed))
    if (t.resultOf(op).shape[place] != n.sizes[axis])
      return std::nullopt;
  // The result's other axes are those of the indices.
  Sizes batch, expected;
  for (auto [axis, size] : enumerate(t.resultOf(op).shape))
    if (!is_contained(n.windowAxes, static_cast<int64_t>(axis)))
      batch.push_back(size);
  for (auto [axis, size] : enumerate(x[1]->shape))
    if (static_cast<int64_t>(axis) != n.vectorAxis)
      expected.push_back(size);
  return batch == expected ? std::optional(n) : std::nullopt;
}

// If one axis is indexed, others are taken whole, and results lie as GatherV2
// has them, returns the rows; otherwise null.
static Tensor gatherRows(GraphBuilder &b, const Tensor &x, const Indexing &n,
                         const Tensor &vectors, ArrayRef<int64_t> collapsed) {
  if (n.indexed.size() != 1 || !n.batching.empty() ||
      collapsed != ArrayRef<int64_t>(n.indexed))
    return nullptr;
  int64_t axis = n.indexed[0];
  int64_t batch = static_cast<int64_t>(vectors->rank()) - 1;
  for (auto [one, size] : enumerate(n.sizes))
    if (size != (static_cast<int64_t>(one) == axis ? 1 : n.shape[one]))
      return nullptr;
  for (auto [place, at] : enumerate(n.windowAxes)) {
    int64_t expected = static_cast<int64_t>(place);
    if (at != (expected < axis ? expected : expected + batch))
      return nullptr;
  }
  Tensor index =
      b.reshape(vectors, ArrayRef<int64_t>(vectors->shape).drop_back());
  return b.gather(x, clip(b, index, n.shape[axis] - 1), axis);
}

static Tensors gather(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  Sizes collapsed;
  auto n = readGather(t, op, x, collapsed);
  const TensorType &type = t.resultOf(op);
  if (!n)
    return t.refuse("its dimension numbers do not fit its operands, or the "
                    "array has 2^31 elements or more");
  if (!*numElements(type.shape))
    return {b.zeros(type)};
  Tensor vectors = indexVectors(b, x[1], n->vectorAxis);
  if (Tensor rows = gatherRows(b, x[0], *n, vectors, collapsed))
    return {rows};
  Places places = placesOf(b, *n, vectors, /*clips=*/true);
  return {b.gather(b.reshape(x[0], {x[0]->size()}),
                   b.broadcast(places.flat, type.shape), 0)};
}

// Where a window begins on each axis, such that it lies in the array.
static std::optional<Tensors> startsOf(GraphBuilder &b, const Tensor &x,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<Tensor> starts) {
  if (sizes.size() != x->rank() || starts.size() != x->rank())
    return std::nullopt;
  Tensors clipped;
  for (auto [start, size, whole] : zip(starts, sizes, x->shape)) {
    if (start->rank() || size < 0 || size > whole || isFloat(start->type) ||
        start->type == proto::DT_BOOL || whole >= int64_t(1) << 31)
      return std::nullopt;
    Tensor index = start;
    if (isUnsigned(index->type))
      index = b.cast(index, proto::DT_INT64);
    if (bitsOf(index->type) < 32)
      index = b.cast(index, proto::DT_INT32);
    clipped.push_back(b.cast(clip(b, index, whole - size), proto::DT_INT32));
  }
  return clipped;
}

static Tensor linePlaces(GraphBuilder &b, const Tensor &start, int64_t size) {
  return size == 1 ? b.reshape(start, {1})
                   : b.add(b.iota({size}, 0, proto::DT_INT32), start);
}

// If `start` is the place of the loop's counter in `x`, which a counted loop
// carries, or that place from the end, returns the index of the row, which is
// in bounds; otherwise null. `sizes` are those of a row.
static Tensor rowOfLoop(GraphBuilder &b, const Tensor &x, const Tensor &start,
                        ArrayRef<int64_t> sizes) {
  if (!x->loop || !start->perStep || sizes[0] != 1 ||
      x->shape[0] != x->loop->steps ||
      sizes.drop_front() != ArrayRef<int64_t>(x->shape).drop_front())
    return nullptr;
  bool isForward = true, isReverse = true;
  for (auto [step, value] : enumerate(*start->perStep)) {
    int64_t place = static_cast<int64_t>(step);
    isForward &= value == place;
    isReverse &= value == x->loop->steps - 1 - place;
  }
  Tensor counter = b.cast(x->loop->counter, proto::DT_INT32);
  Tensor last = b.scalar(x->loop->steps - 1, proto::DT_INT32);
  return isForward ? counter : isReverse ? b.sub(last, counter) : nullptr;
}

static Tensors dynamicSlice(Translation &t, const Op &op, ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  auto sizes = t.integers(op, "slice_sizes");
  auto starts = sizes && !x.empty() ? startsOf(b, x[0], *sizes, x.drop_front())
                                    : std::nullopt;
  if (!starts)
    return {};
  Tensor found = x[0];
  Tensor row = x[0]->loop ? rowOfLoop(b, x[0], (*starts)[0], *sizes) : nullptr;
  if (row && x[0]->loop->list) {
    ArrayRef<int64_t> element = ArrayRef<int64_t>(x[0]->shape).drop_front();
    Tensor item =
        b.node("TensorListGetItem", {x[0]->loop->list, row, b.sizes(element)},
               x[0]->type, element);
    return {b.reshape(item, *sizes)};
  }
  if (row)
    ++x[0]->loop->reads;
  for (size_t axis = 0; axis < x[0]->rank(); ++axis)
    if ((*sizes)[axis] != x[0]->shape[axis])
      found = b.gather(found, linePlaces(b, (*starts)[axis], (*sizes)[axis]),
                       static_cast<int64_t>(axis));
  return {found};
}

static Tensors dynamicUpdateSlice(Translation &t, const Op &op,
                                  ArrayRef<Tensor> x) {
  GraphBuilder &b = t.builder();
  if (x.size() < 2 || x[1]->rank() != x[0]->rank() ||
      x[1]->type != x[0]->type || x[0]->size() >= int64_t(1) << 31)
    return {};
  auto starts = startsOf(b, x[0], x[1]->shape, x.drop_front(2));
  if (!starts)
    return {};
  Tensor array = x[0], update = x[1];
  Sizes moving;
  for (size_t axis = 0; axis < array->rank(); ++axis)
    if (update->shape[axis] != array->shape[axis])
      moving.push_back(static_cast<int64_t>(axis));
  if (!update->size())
    return {array};
  if (moving.empty())
    return {update};
  proto::DataType type = array->type;
  Tensor row = array->loop && type != proto::DT_BOOL
                   ? rowOfLoop(b, array, (*starts)[0], update->shape)
                   : nullptr;
  if (row && array->loop->list) {
    Tensor item =
        b.reshape(update, ArrayRef<int64_t>(array->shape).drop_front());
    Tensor made = std::make_shared<TensorNode>(*array);
    made->loop = std::make_shared<LoopArgument>();
    made->loop->list =
        b.node("TensorListSetItem", {array->loop->list, row, item},
               proto::DT_VARIANT, {});
    return {made};
  }
  if (type == proto::DT_BOOL) {
    array = b.cast(array, proto::DT_UINT8);
    update = b.cast(update, proto::DT_UINT8);
  }
  Tensor made;
  if (moving == Sizes{0}) {
    int64_t count = update->shape[0];
    Tensor rows = b.reshape(linePlaces(b, (*starts)[0], count), {count, 1});
    made = b.node("TensorScatterUpdate", {array, rows, update}, array->type,
                  array->shape);
    if (row)
      array->loop->written = made;
  } else {
    Tensor flat;
    int64_t stride = 1;
    for (size_t axis = array->rank(); axis-- > 0;) {
      int64_t size = update->shape[axis];
      Tensor line = b.iota({size}, 0, proto::DT_INT32);
      if (is_contained(moving, static_cast<int64_t>(axis)))
        line = b.reshape(linePlaces(b, (*starts)[axis], size), {size});
      line = b.mul(line, b.scalar(stride, proto::DT_INT32));
      line = expanded(b, line, {static_cast<int64_t>(axis)}, array->rank());
      flat = flat ? b.add(flat, line) : line;
      stride *= array->shape[axis];
    }
    made = scatterFlat(b, "TensorScatterUpdate", array,
                       b.broadcast(flat, update->shape), update, nullptr);
  }
  return {b.cast(made, type)};
}

void addGatherOps(OpTable &table) {
  table["stablehlo.gather"] = {gather, 2, 1};
  table["stablehlo.dynamic_slice"] = {dynamicSlice, -1, 1};
  table["stablehlo.dynamic_update_slice"] = {dynamicUpdateSlice, -1, 1};
}

} // namespace ingot::stablehlo
