//===- Places.cpp - Where the windows of gathers and scatters lie ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Places.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

std::optional<Sizes> numbersOf(const Attribute &numbers, StringRef name) {
  Sizes found;
  const Attribute *list = numbers.find(name);
  if (!list)
    return found;
  if (list->kind != Attribute::List)
    return std::nullopt;
  for (const Attribute &one : list->list) {
    if (one.kind != Attribute::Integer)
      return std::nullopt;
    found.push_back(one.integer);
  }
  return found;
}

bool Indexing::isValid(const Tensor &indices) const {
  size_t rankOfIndices = indices->rank();
  if (vectorAxis < 0 || vectorAxis > static_cast<int64_t>(rankOfIndices) ||
      sizes.size() != shape.size() || !areAxes(indexed, shape.size()) ||
      !areAxes(batching, shape.size()) || !areAxes(windowAxes, rank) ||
      !areAxes(windowed, shape.size()) || !is_sorted(windowAxes) ||
      windowAxes.size() != windowed.size() ||
      batching.size() != batchingOf.size() || isFloat(indices->type) ||
      indices->type == proto::DT_BOOL)
    return false;
  for (auto [size, whole] : zip(sizes, shape))
    if (size < 0 || size > whole)
      return false;
  bool isScalar = vectorAxis == static_cast<int64_t>(rankOfIndices);
  int64_t length = isScalar ? 1 : indices->shape[vectorAxis];
  size_t batch = rankOfIndices - !isScalar;
  Sizes batchShape;
  for (auto [axis, size] : enumerate(indices->shape))
    if (static_cast<int64_t>(axis) != vectorAxis)
      batchShape.push_back(size);
  for (auto [axis, of] : zip(batching, batchingOf)) {
    // Axes of the indices are counted with that of the vectors.
    int64_t place = of - (of > vectorAxis);
    if (of == vectorAxis || place < 0 ||
        place >= static_cast<int64_t>(batchShape.size()) ||
        batchShape[place] != shape[axis])
      return false;
  }
  return length == static_cast<int64_t>(indexed.size()) &&
         rank == batch + windowAxes.size() && numElements(shape) &&
         *numElements(shape) < int64_t(1) << 31;
}

Tensor indexVectors(GraphBuilder &b, const Tensor &indices,
                    int64_t vectorAxis) {
  Tensor found = indices;
  if (found->type != proto::DT_INT32 && found->type != proto::DT_INT64)
    found = b.cast(found,
                   bitsOf(found->type) == 64 || found->type == proto::DT_UINT32
                       ? proto::DT_INT64
                       : proto::DT_INT32);
  int64_t rank = static_cast<int64_t>(found->rank());
  if (vectorAxis == rank) {
    Sizes shape = found->shape;
    shape.push_back(1);
    return b.reshape(found, shape);
  }
  Sizes order;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != vectorAxis)
      order.push_back(axis);
  order.push_back(vectorAxis);
  return b.transpose(found, order);
}

Tensor clip(GraphBuilder &b, const Tensor &index, int64_t most) {
  return b.pointwise("Minimum",
                     {b.pointwise("Maximum", {index, b.like(0, index)}),
                      b.scalar(most, index->type)});
}

Tensor isWithin(GraphBuilder &b, const Tensor &index, int64_t most) {
  return b.pointwise(
      "LogicalAnd",
      {b.compare("GreaterEqual", index, b.like(0, index)),
       b.compare("LessEqual", index, b.scalar(most, index->type))});
}

Tensor expanded(GraphBuilder &b, const Tensor &x, ArrayRef<int64_t> axes,
                size_t rank) {
  Sizes shape(rank, 1);
  for (auto [axis, size] : zip(axes, x->shape))
    shape[axis] = size;
  return b.reshape(x, shape);
}

// The vectors' elements at `position` of the last axis.
static Tensor indexAt(GraphBuilder &b, const Tensor &vectors,
                      int64_t position) {
  Sizes begin(vectors->rank(), 0), end = vectors->shape;
  begin.back() = position;
  end.back() = position + 1;
  return b.reshape(b.slice(vectors, begin, end),
                   ArrayRef<int64_t>(vectors->shape).drop_back());
}

Places placesOf(GraphBuilder &b, const Indexing &n, const Tensor &vectors,
                bool clips) {
  Places places;
  Sizes others, strides(n.shape.size(), 1);
  for (size_t axis = 0; axis < n.rank; ++axis)
    if (!is_contained(n.windowAxes, static_cast<int64_t>(axis)))
      others.push_back(static_cast<int64_t>(axis));
  for (size_t axis = n.shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * n.shape[axis];
  auto put = [&](Tensor part, int64_t stride) {
    part = b.cast(part, proto::DT_INT32);
    if (stride != 1)
      part = b.mul(part, b.scalar(stride, proto::DT_INT32));
    places.flat = places.flat ? b.add(places.flat, part) : part;
  };
  for (auto [position, axis] : enumerate(n.indexed)) {
    Tensor index = expanded(
        b, indexAt(b, vectors, static_cast<int64_t>(position)), others, n.rank);
    int64_t most = n.shape[axis] - n.sizes[axis];
    if (!clips) {
      Tensor within = isWithin(b, index, most);
      places.within = places.within
                          ? b.pointwise("LogicalAnd", {places.within, within})
                          : within;
    }
    put(clip(b, index, most), strides[axis]);
  }
  for (auto [axis, of] : zip(n.batching, n.batchingOf)) {
    int64_t place = others[of - (of > n.vectorAxis)];
    put(expanded(b, b.iota({n.shape[axis]}, 0, proto::DT_INT32), {place},
                 n.rank),
        strides[axis]);
  }
  for (auto [place, axis] : zip(n.windowAxes, n.windowed))
    if (n.sizes[axis] > 1)
      put(expanded(b, b.iota({n.sizes[axis]}, 0, proto::DT_INT32), {place},
                   n.rank),
          strides[axis]);
  if (!places.flat)
    places.flat = b.zeros({proto::DT_INT32, Sizes(n.rank, 1), ""});
  return places;
}

Tensor scatterFlat(GraphBuilder &b, StringRef op, const Tensor &x,
                   const Tensor &places, Tensor updates, const Tensor &within) {
  int64_t size = x->size(), count = updates->size();
  Tensor flat = b.reshape(x, {size}), at = places;
  if (within) {
    // Dropped elements go to an element after the end.
    flat = b.pad(flat, b.like(0, x), {0}, {1});
    Tensor end = b.scalar(size, proto::DT_INT32);
    at = b.select(b.broadcast(within, updates->shape), at,
                  b.broadcast(end, updates->shape));
  }
  Tensor made;
  updates = b.reshape(updates, {count});
  if (op == "UnsortedSegmentProd")
    // The product of each element's updates is 1 where there are none.
    made = b.mul(flat, b.node(op,
                              {updates, b.reshape(at, {count}),
                               b.scalar(flat->size(), proto::DT_INT32)},
                              x->type, flat->shape));
  else
    made = b.node(op, {flat, b.reshape(at, {count, 1}), updates}, x->type,
                  flat->shape);
  return b.reshape(b.slice(made, {0}, {size}), x->shape);
}

} // namespace ingot::stablehlo
