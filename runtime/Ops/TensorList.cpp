//===- TensorList.cpp - TensorLists with shared arrays --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/TensorList.h"

using namespace ingot;
using namespace ingot::ops;

const char TensorList::kind = 0;

TensorList::TensorListChange TensorList::apply(Items &items,
                                               const TensorListChange &change) {
  switch (change.what) {
  case TensorListChange::Set: {
    const TensorListItem *old = std::exchange(items[change.place], change.item);
    return {TensorListChange::Set, change.place, old};
  }
  case TensorListChange::Push:
    items.push_back(change.item);
    return {TensorListChange::Pop, 0, nullptr};
  case TensorListChange::Pop:
    break;
  }
  const TensorListItem *last = items.back();
  items.pop_back();
  return {TensorListChange::Push, 0, last};
}

// The versions of a list form a linked list (`next`). Destroy it iteratively:
// recursion could be as deep as a loop has iterations.
TensorList::TensorListVersionNode::~TensorListVersionNode() {
  std::shared_ptr<TensorListVersionNode> last = std::move(next);
  while (last && last.use_count() == 1) {
    std::shared_ptr<TensorListVersionNode> following = std::move(last->next);
    last = std::move(following);
  }
}

void TensorList::takeArray() const {
  if (version->items)
    return;
  // All versions of a list share one array of elements. Follow the links to the
  // version that owns the array, and move the array back along them to this
  // version. Each move undoes one change.
  std::vector<std::shared_ptr<TensorListVersionNode>> path;
  for (std::shared_ptr<TensorListVersionNode> at = version; at; at = at->next)
    path.push_back(at);
  for (size_t i = path.size() - 1; i-- > 0;) {
    TensorListVersionNode &holder = *path[i + 1], &taker = *path[i];
    taker.items = std::move(holder.items);
    holder.change = apply(*taker.items, taker.change);
    holder.next = path[i];
    taker.next.reset();
  }
}

const TensorListItem *TensorList::operator[](size_t i) const {
  // If this version differs by one TensorListChange::Set from the version that
  // owns the array, read the element without moving the array. A backward pass
  // reads such an element before each update, so the array would otherwise move
  // back and forth in each iteration.
  if (const TensorListVersionNode *next = version->next.get();
      next && next->items && version->change.what == TensorListChange::Set)
    return i == version->change.place ? version->change.item
                                      : (*next->items)[i];
  takeArray();
  return (*version->items)[i];
}

std::span<const TensorListItem *const> TensorList::all() const {
  takeArray();
  return *version->items;
}

std::unique_ptr<TensorList>
TensorList::next(const TensorListChange &change) const {
  takeArray();
  TensorListChange back = apply(*version->items, change);
  std::unique_ptr<TensorList> list(
      new TensorList(*this, std::move(version->items)));
  version->next = list->version;
  version->change = back;
  return list;
}

std::unique_ptr<TensorList>
TensorList::pushed(const TensorListItem *item) const {
  // Many lists may grow from the same empty list, such as a constant. Each
  // starts an array of its own: if they shared one, each access would first
  // have to undo the changes of another list in it.
  if (count == 0)
    return std::unique_ptr<TensorList>(
        new TensorList(*this, std::make_unique<Items>(1, item)));
  return next({TensorListChange::Push, 0, item});
}

std::unique_ptr<TensorList> TensorList::popped() const {
  return next({TensorListChange::Pop, 0, nullptr});
}

std::unique_ptr<TensorList>
TensorList::replaced(size_t i, const TensorListItem *item) const {
  return next({TensorListChange::Set, i, item});
}

std::unique_ptr<TensorList> TensorList::resized(size_t size) const {
  takeArray();
  auto copy = std::make_unique<Items>(*version->items);
  copy->resize(size);
  return std::unique_ptr<TensorList>(new TensorList(*this, std::move(copy)));
}

Expected<const TensorList *> ops::listOf(OpKernelContext &op,
                                         const OpInput &input, size_t i) {
  if (const auto *list = op.memory().find<TensorList>(input.as<int64_t>()[i]))
    return list;
  return op.invalid("the input must be a TensorList that was created in this "
                    "run, but is not");
}

Status ops::setList(OpKernelContext &op, size_t output,
                    std::unique_ptr<TensorList> list) {
  INGOT_ASSIGN_OR_RETURN(auto handle, op.output<int64_t>(output, {}));
  handle[0] = op.memory().hold(std::move(list));
  return Status::ok();
}
