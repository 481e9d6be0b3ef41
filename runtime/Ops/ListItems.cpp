//===- ListItems.cpp - Tensors as elements of lists -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/TensorList.h"
#include "runtime/Support/DType.h"

#include <cstring>

using namespace ingot;
using namespace ingot::ops;

static size_t numElements(Dims dims) {
  size_t count = 1;
  for (int64_t dim : dims)
    count *= static_cast<size_t>(dim);
  return count;
}

size_t TensorListItem::numBytes() const {
  return numElements(dims) * elementSize(dtype);
}

std::string ops::shapeText(const ItemShape &shape) {
  return shape ? dimsText(*shape) : "[unknown rank]";
}

bool ops::isFullyKnown(const ItemShape &shape) {
  return shape && std::all_of(shape->begin(), shape->end(),
                              [](int64_t dim) { return dim >= 0; });
}

bool ops::fits(const ItemShape &shape, Dims dims) {
  return !shape ||
         std::equal(shape->begin(), shape->end(), dims.begin(), dims.end(),
                    [](int64_t a, int64_t b) { return a < 0 || a == b; });
}

bool ops::merge(ItemShape &into, const ItemShape &other) {
  if (!into || !other) {
    if (!into)
      into = other;
    return true;
  }
  if (into->size() != other->size())
    return false;
  for (size_t i = 0; i < into->size(); ++i) {
    int64_t dim = (*other)[i];
    if ((*into)[i] < 0)
      (*into)[i] = dim;
    else if (dim >= 0 && dim != (*into)[i])
      return false;
  }
  return true;
}

ItemShape ops::shapeFrom(const OpInput &input) {
  if (input.rank() == 0)
    return std::nullopt;
  std::vector<int64_t> dims = input.integers();
  if (dims.size() == 1 && dims.front() == -2)
    return std::nullopt;
  return dims;
}

namespace {
/// Wraps a TensorListItem in a VariantObject, since a RunArena (the memory of a
/// run) can own only those.
class TensorListItemVariant final : public VariantObject {
public:
  static const char kind;
  explicit TensorListItemVariant(TensorListItem item)
      : VariantObject(&kind), item(std::move(item)) {}

  const TensorListItem item;
};
const char TensorListItemVariant::kind = 0;
} // namespace

/// Creates an item whose elements are at `data`. The memory of the current run
/// (RunArena) owns the item, and must own `data`.
static TensorListItem *hold(OpKernelContext &op, int32_t dtype, Dims dims,
                            void *data) {
  auto held = std::make_unique<TensorListItemVariant>(TensorListItem{
      dtype, std::vector<int64_t>(dims.begin(), dims.end()), data});
  auto *item = const_cast<TensorListItem *>(&held->item);
  op.memory().hold(std::move(held));
  return item;
}

static Expected<TensorListItem *> allocate(OpKernelContext &op, int32_t dtype,
                                           Dims dims) {
  auto bytes = static_cast<int64_t>(elementSize(dtype));
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      return Status(StatusCode::ResourceExhausted,
                    "an element of shape " + dimsText(dims) +
                        " is too large: it exceeds the address space");
  INGOT_ASSIGN_OR_RETURN(void *data, op.memory().allocate(bytes));
  return hold(op, dtype, dims, data);
}

Expected<const TensorListItem *>
ops::makeItem(OpKernelContext &op, int32_t dtype, Dims dims, const void *data) {
  INGOT_ASSIGN_OR_RETURN(TensorListItem * item, allocate(op, dtype, dims));
  if (size_t bytes = item->numBytes())
    std::memcpy(item->data, data, bytes);
  return static_cast<const TensorListItem *>(item);
}

Expected<const TensorListItem *> ops::makeItem(OpKernelContext &op,
                                               const OpInput &input) {
  if (!op.flag("kept"))
    return makeItem(op, input.dtype(), input.dims(), input.data());
  return hold(op, input.dtype(), input.dims(),
              const_cast<void *>(input.data()));
}

Expected<const TensorListItem *> ops::makeRows(OpKernelContext &op,
                                               const OpInput &tensor,
                                               int64_t begin,
                                               std::optional<int64_t> count) {
  std::vector<int64_t> dims(tensor.dims().begin() + (count ? 0 : 1),
                            tensor.dims().end());
  if (count)
    dims.front() = *count;
  size_t row =
      numElements(tensor.dims().subspan(1)) * elementSize(tensor.dtype());
  return makeItem(op, tensor.dtype(), dims,
                  static_cast<const char *>(tensor.data()) +
                      static_cast<size_t>(begin) * row);
}

Expected<const TensorListItem *> ops::makeZeros(OpKernelContext &op,
                                                int32_t dtype, Dims dims) {
  if (dtype == INGOT_VARIANT)
    return op.invalid("cannot read an element that was never set: elements "
                      "that are lists have no default value");
  INGOT_ASSIGN_OR_RETURN(TensorListItem * item, allocate(op, dtype, dims));
  if (size_t bytes = item->numBytes())
    std::memset(item->data, 0, bytes);
  return static_cast<const TensorListItem *>(item);
}

static float sum(Half a, Half b) { return float(a) + float(b); }
static float sum(Bfloat16 a, Bfloat16 b) { return float(a) + float(b); }
template <typename T> static T sum(T a, T b) { return static_cast<T>(a + b); }

static void assign(Half &into, float value) { into.bits = floatToHalf(value); }
static void assign(Bfloat16 &into, float value) {
  into.bits = floatToBfloat16(value);
}
template <typename T> static void assign(T &into, T value) { into = value; }

/// Adds two serialized ragged tensors, one of which must be zero: all of its
/// strings are empty. The sum is then the other tensor.
static Expected<const TensorListItem *> addRagged(OpKernelContext &op,
                                                  const TensorListItem &a,
                                                  const TensorListItem &b) {
  for (auto [zeros, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    std::span<const ingot_string> texts(
        static_cast<const ingot_string *>(zeros->data),
        numElements(zeros->dims));
    if (std::all_of(texts.begin(), texts.end(),
                    [](const ingot_string &text) { return text.size == 0; }))
      return other;
  }
  return op.invalid("cannot add ragged tensors in lists: add their values");
}

Expected<const TensorListItem *> ops::addItems(OpKernelContext &op,
                                               const TensorListItem &a,
                                               const TensorListItem &b) {
  if (a.dtype != b.dtype || a.dims != b.dims)
    return op.invalid("elements " + dtypeName(a.dtype) + dimsText(a.dims) +
                      " and " + dtypeName(b.dtype) + dimsText(b.dims) +
                      " cannot be added: types and shapes must be equal");
  size_t count = numElements(a.dims);
  if (a.dtype == INGOT_STRING)
    return addRagged(op, a, b);
  INGOT_ASSIGN_OR_RETURN(TensorListItem * item, allocate(op, a.dtype, a.dims));
  if (a.dtype == INGOT_VARIANT) {
    for (size_t i = 0; i < count; ++i) {
      const auto *x =
          op.memory().find<TensorList>(static_cast<const int64_t *>(a.data)[i]);
      const auto *y =
          op.memory().find<TensorList>(static_cast<const int64_t *>(b.data)[i]);
      if (!x || !y)
        return op.invalid("cannot add list elements that are variants other "
                          "than TensorLists");
      INGOT_ASSIGN_OR_RETURN(auto total, addLists(op, *x, *y));
      static_cast<int64_t *>(item->data)[i] =
          op.memory().hold(std::move(total));
    }
    return static_cast<const TensorListItem *>(item);
  }
  INGOT_RETURN_IF_ERROR(visitNumbers(a.dtype, [&]<typename T>() {
    for (size_t i = 0; i < count; ++i)
      assign(static_cast<T *>(item->data)[i],
             sum(static_cast<const T *>(a.data)[i],
                 static_cast<const T *>(b.data)[i]));
    return Status::ok();
  }));
  return static_cast<const TensorListItem *>(item);
}

Status ops::writeItem(OpKernelContext &op, size_t output,
                      const TensorListItem &item) {
  if (op.outputType(output) != item.dtype)
    return op.invalid("an element has type " + dtypeName(item.dtype) +
                      ", but the op reads elements of type " +
                      dtypeName(op.outputType(output)));
  if (op.flag("lent"))
    return op.lend(output, item.dims, item.data);
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(output, item.dims));
  if (size_t bytes = item.numBytes())
    std::memcpy(data, item.data, bytes);
  return Status::ok();
}

Status ops::writeItems(OpKernelContext &op, Dims dims,
                       std::span<const TensorListItem *const> items) {
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(0, dims));
  auto *at = static_cast<char *>(data);
  for (const TensorListItem *item : items) {
    if (op.outputType(0) != item->dtype)
      return op.invalid("an element has type " + dtypeName(item->dtype) +
                        ", but the op reads elements of type " +
                        dtypeName(op.outputType(0)));
    if (size_t bytes = item->numBytes()) {
      std::memcpy(at, item->data, bytes);
      at += bytes;
    }
  }
  return Status::ok();
}
