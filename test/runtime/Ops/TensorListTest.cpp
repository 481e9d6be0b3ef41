//===- TensorListTest.cpp - Versions of lists of tensors ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/TensorList.h"

#include <gtest/gtest.h>

#include <random>

using namespace ingot;
using namespace ingot::ops;

namespace {

using Items = std::vector<const TensorListItem *>;

Items itemsOf(const TensorList &list) {
  auto items = list.all();
  return {items.begin(), items.end()};
}

TEST(TensorListTest, EveryVersionKeepsItsElements) {
  TensorListItem a{INGOT_FLOAT, {}, nullptr}, b = a, c = a;
  TensorList none(INGOT_FLOAT, std::nullopt);
  auto one = none.pushed(&a);
  auto two = one->pushed(&b);
  auto replaced = two->replaced(0, &c);
  auto popped = replaced->popped();
  auto other = two->popped()->pushed(&c); // a second list made from `two`
  EXPECT_EQ(itemsOf(*two), (Items{&a, &b}));
  EXPECT_EQ(itemsOf(none), Items());
  EXPECT_EQ(itemsOf(*popped), Items{&c});
  EXPECT_EQ(itemsOf(*replaced), (Items{&c, &b}));
  EXPECT_EQ(itemsOf(*one), Items{&a});
  EXPECT_EQ(itemsOf(*two->resized(3)), (Items{&a, &b, nullptr}));
}

// Lists are compared with plain copies, in any order of use.
TEST(TensorListTest, VersionsAgreeWithCopies) {
  std::mt19937 random(7);
  std::vector<TensorListItem> pool(5, TensorListItem{INGOT_FLOAT, {}, nullptr});
  std::vector<std::unique_ptr<TensorList>> lists;
  std::vector<Items> copies(1);
  lists.push_back(std::make_unique<TensorList>(INGOT_FLOAT, std::nullopt));
  for (int step = 0; step < 2000; ++step) {
    size_t from = random() % lists.size();
    Items copy = copies[from];
    const TensorListItem *item = &pool[random() % pool.size()];
    unsigned what = random() % 4;
    if (what < 2 || copy.empty()) {
      lists.push_back(lists[from]->pushed(item));
      copy.push_back(item);
    } else if (what == 2) {
      lists.push_back(lists[from]->popped());
      copy.pop_back();
    } else {
      size_t place = random() % copy.size();
      lists.push_back(lists[from]->replaced(place, item));
      copy[place] = item;
    }
    copies.push_back(std::move(copy));
    size_t asked = random() % lists.size();
    ASSERT_EQ(itemsOf(*lists[asked]), copies[asked]) << step;
    ASSERT_EQ(lists[asked]->size(), copies[asked].size()) << step;
  }
}

// A run may free the versions of a list in any order.
TEST(TensorListTest, VersionsAreIndependent) {
  std::vector<TensorListItem> pool(6, TensorListItem{INGOT_FLOAT, {}, nullptr});
  auto make = [&](std::vector<std::unique_ptr<TensorList>> &lists) {
    lists.push_back(std::make_unique<TensorList>(INGOT_FLOAT, std::nullopt));
    for (const TensorListItem &item : pool)
      lists.push_back(lists.back()->pushed(&item));
    // A second list made from lists[3].
    lists.push_back(lists[3]->replaced(0, &pool[5]));
  };
  for (uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<TensorList>> lists;
    make(lists);
    // Frees all versions but one, in any order, and reads some in between.
    std::vector<size_t> left(lists.size());
    for (size_t i = 0; i < left.size(); ++i)
      left[i] = i;
    while (left.size() > 1) {
      size_t goes = random() % left.size();
      lists[left[goes]].reset();
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(goes));
      if (random() % 2)
        (void)lists[left[random() % left.size()]]->all();
    }
    Items expected;
    for (size_t i = 0; i < (left[0] == 7 ? 3 : left[0]); ++i)
      expected.push_back(left[0] == 7 && i == 0 ? &pool[5] : &pool[i]);
    EXPECT_EQ(itemsOf(*lists[left[0]]), expected) << seed;
  }
}

// As in a gradient, which replaces an element of a list with zeros.
TEST(TensorListTest, OlderVersionStaysReadable) {
  TensorListItem a{INGOT_FLOAT, {}, nullptr}, b = a, c = a;
  TensorList none(INGOT_FLOAT, std::nullopt);
  auto two = none.pushed(&a)->pushed(&b);
  auto replaced = two->replaced(1, &c);
  EXPECT_EQ((*two)[1], &b);
  EXPECT_EQ((*two)[0], &a);
  EXPECT_EQ((*replaced)[1], &c);
  auto pushed = two->pushed(&c);
  EXPECT_EQ((*two)[1], &b);
  EXPECT_EQ((*pushed)[2], &c);
  EXPECT_EQ((*replaced)[1], &c);
}

TEST(TensorListTest, NewestVersionChangesInConstantTime) {
  TensorListItem a{INGOT_FLOAT, {}, nullptr};
  std::vector<std::unique_ptr<TensorList>> lists;
  lists.push_back(
      std::make_unique<TensorList>(INGOT_FLOAT, std::nullopt, 200000));
  // Copying the whole list each time would take 300 GB.
  for (size_t i = 0; i < 200000; ++i)
    lists.push_back(lists.back()->replaced(i, &a));
  EXPECT_EQ((*lists.back())[199999], &a);
  EXPECT_EQ((*lists.front())[0], nullptr);
}

// The accumulators of a loop do: they share an empty list, and the loop appends
// to each in turn.
TEST(TensorListTest, ListsThatBeginAsOneEmptyOneGrowInConstantTime) {
  TensorListItem a{INGOT_FLOAT, {}, nullptr};
  TensorList empty(INGOT_FLOAT, std::nullopt);
  std::vector<std::vector<std::unique_ptr<TensorList>>> lists(8);
  for (int i = 0; i < 20000; ++i)
    for (auto &versions : lists)
      versions.push_back((i == 0 ? &empty : versions.back().get())->pushed(&a));
  for (auto &versions : lists)
    EXPECT_EQ(versions.back()->size(), 20000u);
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_TRUE(empty.all().empty());
}

TEST(ItemShapeTest, ShapesAreMergedDimensionByDimension) {
  ItemShape shape;
  EXPECT_TRUE(merge(shape, std::vector<int64_t>{-1, 3}));
  EXPECT_FALSE(isFullyKnown(shape));
  EXPECT_TRUE(merge(shape, std::vector<int64_t>{2, -1}));
  EXPECT_EQ(shape, (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(isFullyKnown(shape));
  EXPECT_FALSE(merge(shape, std::vector<int64_t>{2, 4}));
  EXPECT_FALSE(merge(shape, std::vector<int64_t>{2}));
}

} // namespace
