//===- TensorList.h - Lists of tensors while a program runs -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Lists are values: changing one makes another. Versions of a list share one
// array, which belongs to the version that was used last; each other version
// knows the next one on the way there, and the one change that leads back from
// it (Baker's trick for persistent arrays). So loops that use only their newest
// list change it in constant time. A list may be destroyed before those that
// were made from it, or that it was made from: others hold the parts of it that
// they need.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_TENSORLIST_H
#define INGOT_RUNTIME_OPS_TENSORLIST_H

#include "runtime/Ops/Op.h"

#include <optional>

namespace ingot::ops {

/// A tensor that lives as long as the run.
struct Item {
  int32_t dtype;
  std::vector<int64_t> dims;
  void *data;

  size_t numBytes() const;
};

/// Dimensions, -1 where one is dynamic; nothing for an unknown rank.
using ItemShape = std::optional<std::vector<int64_t>>;

std::string shapeText(const ItemShape &shape);
bool isFullyKnown(const ItemShape &shape);
bool fits(const ItemShape &shape, Dims dims);
/// Narrows `into` to the shape that both allow; false if they contradict each
/// other, and `into` is unspecified then.
bool merge(ItemShape &into, const ItemShape &other);
/// The shape that an input says: the scalar -1, or -2, for any.
ItemShape shapeFrom(const Input &input);

/// Items are held by the run's memory.
Expected<const Item *> makeItem(Op &op, int32_t dtype, Dims dims,
                                const void *data);
/// An item for an input: a copy, unless compiled code says that its memory is
/// the run's and is not written again (`kept`).
Expected<const Item *> makeItem(Op &op, const Input &input);
/// An item of zeros; of a list of lists they cannot be made.
Expected<const Item *> makeZeros(Op &op, int32_t dtype, Dims dims);
/// The sum of two; lists are added item by item.
Expected<const Item *> addItems(Op &op, const Item &a, const Item &b);
/// Copies an item to an output, or lends it.
Status writeItem(Op &op, size_t output, const Item &item);
/// Items one after the other in output 0, of `dims`.
Status writeItems(Op &op, Dims dims, std::span<const Item *const> items);
/// The rows of a tensor, [begin, begin + count) of them as one item; without
/// the first dimension where `count` is nothing.
Expected<const Item *> makeRows(Op &op, const Input &tensor, int64_t begin,
                                std::optional<int64_t> count);

class TensorList final : public RunObject {
public:
  static const char kind;

  TensorList(int32_t dtype, ItemShape shape, size_t size = 0)
      : RunObject(&kind), dtype(dtype), shape(std::move(shape)), count(size),
        version(std::make_shared<Version>(std::make_unique<Items>(size))) {}

  int32_t dtype;
  ItemShape shape;
  int64_t maxSize = -1;

  size_t size() const { return count; }
  /// Null where the element has no value.
  const Item *operator[](size_t i) const;
  /// All of them, until another version is used.
  std::span<const Item *const> all() const;

  /// Fills a list that no op has seen yet.
  void set(size_t i, const Item *item) { (*version->items)[i] = item; }

  // The next version: with one item more, one less, another one in a place, or
  // of another size.
  std::unique_ptr<TensorList> pushed(const Item *item) const;
  std::unique_ptr<TensorList> popped() const;
  std::unique_ptr<TensorList> replaced(size_t i, const Item *item) const;
  std::unique_ptr<TensorList> resized(size_t size) const;

private:
  using Items = std::vector<const Item *>;
  /// How a version comes from the one that has the array.
  struct Change {
    enum { Set, Push, Pop } what;
    size_t place;
    const Item *item;
  };

  /// A version's place among the others. All ways lead to the array, so that
  /// none goes in a circle.
  struct Version {
    explicit Version(std::unique_ptr<Items> items) : items(std::move(items)) {}
    ~Version();

    std::unique_ptr<Items> items;       // of the one that was used last
    std::shared_ptr<Version> next = {}; // else: one step nearer to it,
    Change change = {}; // and the change that leads back from there
  };

  TensorList(const TensorList &other, std::unique_ptr<Items> items)
      : RunObject(&kind), dtype(other.dtype), shape(other.shape),
        maxSize(other.maxSize), count(items->size()),
        version(std::make_shared<Version>(std::move(items))) {}

  void takeArray() const;
  /// Makes the change, and returns the one that leads back.
  static Change apply(Items &items, const Change &change);
  std::unique_ptr<TensorList> next(const Change &change) const;

  size_t count;
  // Only the place of the elements changes, never their values.
  std::shared_ptr<Version> version;
};

/// The list that an element of a variant tensor is.
Expected<const TensorList *> listOf(Op &op, const Input &input, size_t i = 0);
/// The sums of their elements; one without a value is the other list's.
Expected<std::unique_ptr<TensorList>> addLists(Op &op, const TensorList &a,
                                               const TensorList &b);
/// Makes the list the op's output.
Status setList(Op &op, size_t output, std::unique_ptr<TensorList> list);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_TENSORLIST_H
