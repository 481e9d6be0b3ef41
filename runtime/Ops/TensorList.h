//===- TensorList.h - TensorLists with shared arrays ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorLists are values: an op that changes a list makes a new list. The
// versions of a list share one array, which belongs to the version that was
// used last. Each other version refers to the next version on the way to the
// array, and stores the one change that turns the elements of the next version
// into its own elements (Baker's trick for persistent arrays). So a loop that
// uses only its newest list changes the list in constant time.
//
// The versions of a TensorList can be destroyed in any order, because they
// share ownership of what other versions need.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_TENSORLIST_H
#define INGOT_RUNTIME_OPS_TENSORLIST_H

#include "runtime/Ops/OpKernelContext.h"

#include <optional>

namespace ingot::ops {

/// A tensor that lives until the run ends (RunArena): until the compiled
/// function that has created it returns.
struct TensorListItem {
  int32_t dtype;
  std::vector<int64_t> dims;
  void *data;

  size_t numBytes() const;
};

/// The shape of an item: -1 for a dynamic dimension, std::nullopt for an
/// unknown rank.
using ItemShape = std::optional<std::vector<int64_t>>;

std::string shapeText(const ItemShape &shape);
bool isFullyKnown(const ItemShape &shape);
bool fits(const ItemShape &shape, Dims dims);
/// Replaces unknown dimensions (or the unknown rank) of `into` by those of
/// `other`. Returns false if the shapes contradict each other; `into` is then
/// unspecified.
bool merge(ItemShape &into, const ItemShape &other);
/// Returns the shape in an input, where the scalar -1 or -2 means an unknown
/// rank.
ItemShape shapeFrom(const OpInput &input);

/// Creates an item with a copy of `data`. The memory of the current run
/// (RunArena) owns it.
Expected<const TensorListItem *> makeItem(OpKernelContext &op, int32_t dtype,
                                          Dims dims, const void *data);
/// Creates an item from an input. The item is a copy, unless compiled code
/// states (`kept`) that the input's memory lives as long as the run (RunArena)
/// and is not written again.
Expected<const TensorListItem *> makeItem(OpKernelContext &op,
                                          const OpInput &input);
/// Creates an item of zeros. Fails if `dtype` is a variant, whose elements are
/// lists: a list has no zero value.
Expected<const TensorListItem *> makeZeros(OpKernelContext &op, int32_t dtype,
                                           Dims dims);
/// Returns the sum of two items. Lists are added element by element.
Expected<const TensorListItem *>
addItems(OpKernelContext &op, const TensorListItem &a, const TensorListItem &b);
/// Writes an item to an output. If possible, the output refers to the item's
/// memory; otherwise the item is copied.
Status writeItem(OpKernelContext &op, size_t output,
                 const TensorListItem &item);
/// Writes items one after the other to output 0, which has shape `dims`.
Status writeItems(OpKernelContext &op, Dims dims,
                  std::span<const TensorListItem *const> items);
/// Returns rows [begin, begin + count) of a tensor as one item; if `count` is
/// std::nullopt, row `begin` without the first dimension.
Expected<const TensorListItem *> makeRows(OpKernelContext &op,
                                          const OpInput &tensor, int64_t begin,
                                          std::optional<int64_t> count);

class TensorList final : public VariantObject {
public:
  static const char kind;

  TensorList(int32_t dtype, ItemShape shape, size_t size = 0)
      : VariantObject(&kind), dtype(dtype), shape(std::move(shape)),
        count(size), version(std::make_shared<TensorListVersionNode>(
                         std::make_unique<Items>(size))) {}

  int32_t dtype;
  ItemShape shape;
  int64_t maxSize = -1;

  size_t size() const { return count; }
  /// Returns element `i`, or null if it has no value.
  const TensorListItem *operator[](size_t i) const;
  /// Returns all elements, valid until another version of the list is used.
  std::span<const TensorListItem *const> all() const;

  /// Sets element `i`. Only for a new list that no other op has received yet.
  void set(size_t i, const TensorListItem *item) {
    (*version->items)[i] = item;
  }

  // Return a new version of the list: with one element appended, with the last
  // element removed, with element `i` replaced, or with another size.
  std::unique_ptr<TensorList> pushed(const TensorListItem *item) const;
  std::unique_ptr<TensorList> popped() const;
  std::unique_ptr<TensorList> replaced(size_t i,
                                       const TensorListItem *item) const;
  std::unique_ptr<TensorList> resized(size_t size) const;

private:
  using Items = std::vector<const TensorListItem *>;
  /// A change that turns the elements of one version of the list into those of
  /// another: sets, appends or removes an element.
  struct TensorListChange {
    enum { Set, Push, Pop } what;
    size_t place;
    const TensorListItem *item;
  };

  /// A version of a list, as a node of a linked list. The last node of every
  /// such list is the version that owns the array of elements, so there are no
  /// cycles.
  struct TensorListVersionNode {
    explicit TensorListVersionNode(std::unique_ptr<Items> items)
        : items(std::move(items)) {}
    ~TensorListVersionNode();

    std::unique_ptr<Items> items; // the array, if this version was used last
    /// If `items` is null: `next` is the next version on the way to the one
    /// that owns the array, and `change` turns the elements of `next` into
    /// those of this version.
    std::shared_ptr<TensorListVersionNode> next = {};
    TensorListChange change = {};
  };

  TensorList(const TensorList &other, std::unique_ptr<Items> items)
      : VariantObject(&kind), dtype(other.dtype), shape(other.shape),
        maxSize(other.maxSize), count(items->size()),
        version(std::make_shared<TensorListVersionNode>(std::move(items))) {}

  void takeArray() const;
  /// Applies `change` to `items`, and returns the change that undoes it.
  static TensorListChange apply(Items &items, const TensorListChange &change);
  std::unique_ptr<TensorList> next(const TensorListChange &change) const;

  size_t count;
  // Reading a list changes its versions, although it is const: it moves the
  // array to the version that is read. The elements of all lists stay the same.
  std::shared_ptr<TensorListVersionNode> version;
};

/// Returns the list that element `i` of a variant tensor refers to.
Expected<const TensorList *> listOf(OpKernelContext &op, const OpInput &input,
                                    size_t i = 0);
/// Returns the list of the sums of both lists' elements. If an element has a
/// value in one list only, the result has this value.
Expected<std::unique_ptr<TensorList>>
addLists(OpKernelContext &op, const TensorList &a, const TensorList &b);
Status setList(OpKernelContext &op, size_t output,
               std::unique_ptr<TensorList> list);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_TENSORLIST_H
