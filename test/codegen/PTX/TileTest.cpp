//===- TileTest.cpp - Operands that go through tiles in shared memory -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiles each case for a GPU, runs it on the emulator, which finds races and
// accesses outside of buffers, and compares each element.
//
//===----------------------------------------------------------------------===//

#include "test/codegen/PTX/EmulatedKernel.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

using namespace ingot;
using namespace ingot::ptx;

namespace {

struct Case {
  std::string name;
  int64_t bits; // of an element
  std::vector<int64_t> shape;
  std::vector<size_t> order; // of the operand's dimensions in the result
  /// The operand's dimensions whose sizes the kernel does not know.
  std::vector<size_t> dynamic = {};
  /// Whether the kernel adds an operand that has the result's shape.
  bool isFused = false;
};

std::string tensorOf(const std::vector<int64_t> &shape,
                     const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

std::string loopsOf(const std::vector<size_t> &loops) {
  std::string text = "(";
  for (size_t loop : loops)
    text += (text.size() > 1 ? ", d" : "d") + std::to_string(loop);
  return text + ")";
}

/// The result's loops are in the order of its dimensions.
std::string textOf(const Case &c) {
  size_t rank = c.shape.size();
  std::vector<int64_t> from = c.shape, to;
  for (size_t dim : c.dynamic)
    from[dim] = -1;
  std::vector<size_t> loops(rank), places(rank);
  std::iota(loops.begin(), loops.end(), 0);
  for (auto [place, dim] : llvm::enumerate(c.order)) {
    to.push_back(from[dim]);
    places[dim] = place;
  }
  std::string element = "i" + std::to_string(c.bits), kinds;
  for (size_t i = 0; i < rank; ++i)
    kinds += i == 0 ? "\"parallel\"" : ", \"parallel\"";
  std::string x = tensorOf(from, element), y = tensorOf(to, element);
  std::string map = "affine_map<" + loopsOf(loops) + " -> ",
              same = map + loopsOf(loops) + ">";
  return "func.func private @ingot_kernel(%x: " + x + ", %z: " + y +
         ", %o: " + y + ") -> " + y +
         " attributes {host.kernel} {\n  %r = linalg.generic {indexing_maps = "
         "[" +
         map + loopsOf(places) + ">, " + same + ", " + same +
         "], iterator_types = [" + kinds + "]} ins(%x, %z : " + x + ", " + y +
         ") outs(%o : " + y + ") {\n  ^bb0(%a: " + element +
         ", %b: " + element + ", %c: " + element + "):\n" +
         (c.isFused ? "    %s = arith.addi %a, %b : " + element + "\n" : "") +
         "    linalg.yield " + (c.isFused ? "%s" : "%a") + " : " + element +
         "\n  } -> " + y + "\n  return %r : " + y + "\n}\n";
}

/// The kernel's table: each buffer's address, then its dynamic sizes.
void addBuffer(std::vector<uint64_t> &table, uint64_t address,
               const std::vector<int64_t> &shape,
               const std::vector<bool> &isDynamic) {
  table.push_back(address);
  for (auto [size, dynamic] : llvm::zip(shape, isDynamic))
    if (dynamic)
      table.push_back(size);
}

template <typename T> void transposes(const Case &c) {
  EmulatedKernel kernel(textOf(c), "sm_80", Precision::F32);
  ASSERT_TRUE(kernel);
  // The tile, with one element of padding after 32.
  EXPECT_NE(kernel.code.image.find("ingot_kernel_tile"), std::string::npos);
  size_t rank = c.shape.size();
  int64_t count = std::accumulate(c.shape.begin(), c.shape.end(), int64_t(1),
                                  std::multiplies<>());
  std::vector<T> x(count), z(count);
  for (int64_t i = 0; i < count; ++i) {
    x[i] = static_cast<T>(i * 2654435761u);
    if (c.bits == 1)
      x[i] = i % 3 == 0;
    z[i] = static_cast<T>(i + 7);
  }
  std::vector<int64_t> to;
  std::vector<bool> isDynamic(rank), isDynamicTo;
  for (size_t dim : c.dynamic)
    isDynamic[dim] = true;
  for (size_t dim : c.order) {
    to.push_back(c.shape[dim]);
    isDynamicTo.push_back(isDynamic[dim]);
  }
  std::vector<T> expected(count);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> index(rank);
    int64_t rest = i, from = 0;
    for (size_t place = rank; place-- > 0; rest /= to[place])
      index[c.order[place]] = rest % to[place];
    for (size_t dim = 0; dim < rank; ++dim)
      from = from * c.shape[dim] + index[dim];
    expected[i] = x[from] + (c.isFused ? z[i] : 0);
  }
  for (bool reversed : {false, true}) {
    DeviceArray<T> deviceX(x), deviceZ(z), deviceO(std::vector<T>(count, 99));
    std::vector<uint64_t> table;
    addBuffer(table, deviceX.address(), c.shape, isDynamic);
    addBuffer(table, deviceZ.address(), to, isDynamicTo);
    addBuffer(table, deviceO.address(), to, isDynamicTo);
    EXPECT_EQ(kernel.run(table, reversed), "");
    EXPECT_EQ(deviceO.values(), expected);
  }
}

class Transposes : public testing::TestWithParam<Case> {};

TEST_P(Transposes, EachElementIsInItsPlace) {
  switch (GetParam().bits) {
  case 1:
  case 8:
    return transposes<uint8_t>(GetParam());
  case 16:
    return transposes<uint16_t>(GetParam());
  case 32:
    return transposes<uint32_t>(GetParam());
  default:
    return transposes<uint64_t>(GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Transposes,
    testing::Values(
        Case{"Bits", 1, {128, 96}, {1, 0}}, Case{"Bytes", 8, {128, 96}, {1, 0}},
        Case{"HalfWords", 16, {128, 96}, {1, 0}},
        Case{"Words", 32, {128, 96}, {1, 0}},
        Case{"DoubleWords", 64, {128, 96}, {1, 0}},
        Case{"OddBytes", 8, {131, 97}, {1, 0}},
        Case{"OddHalfWords", 16, {131, 97}, {1, 0}},
        Case{"OddWords", 32, {131, 97}, {1, 0}},
        Case{"OddDoubleWords", 64, {131, 97}, {1, 0}},
        Case{"Large", 32, {640, 384}, {1, 0}},
        Case{"Tall", 32, {2000, 5}, {1, 0}},
        Case{"Wide", 32, {5, 2000}, {1, 0}},
        Case{"Batch", 32, {3, 70, 45}, {0, 2, 1}},
        Case{"PartOfBlock", 8, {13, 32, 40}, {0, 2, 1}},
        Case{"ChannelsFirst", 32, {2, 7, 7, 48}, {0, 3, 1, 2}},
        Case{"ChannelsLast", 32, {2, 48, 7, 7}, {0, 2, 3, 1}},
        Case{"FewChannelsFirst", 8, {2, 30, 31, 3}, {0, 3, 1, 2}},
        Case{"FewChannelsLast", 32, {2, 5, 30, 31}, {0, 2, 3, 1}},
        Case{"ThreeDimensions", 32, {13, 11, 17}, {2, 1, 0}},
        Case{"Fused", 32, {131, 97}, {1, 0}, {}, true},
        Case{"FusedChannels", 16, {2, 14, 14, 24}, {0, 3, 1, 2}, {}, true},
        Case{"DynamicRows", 32, {75, 40}, {1, 0}, {0}},
        Case{"DynamicColumns", 32, {40, 75}, {1, 0}, {1}},
        Case{"DynamicMatrix", 64, {75, 41}, {1, 0}, {0, 1}, true},
        Case{"DynamicMatrixOfOneRow", 32, {1, 3}, {1, 0}, {0, 1}},
        Case{"DynamicBatch", 8, {5, 12, 12, 20}, {0, 3, 1, 2}, {0}, true},
        Case{"DynamicImages", 32, {2, 9, 11, 20}, {0, 3, 1, 2}, {0, 1, 2}}),
    [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

//===----------------------------------------------------------------------===//
// Sums of short rows
//===----------------------------------------------------------------------===//

struct RowCase {
  std::string name;
  int64_t rows, columns;
  bool isDynamic = false;
};

class ShortRows : public testing::TestWithParam<RowCase> {};

TEST_P(ShortRows, AreSummedInOrder) {
  const RowCase &c = GetParam();
  int64_t rows = c.isDynamic ? -1 : c.rows;
  std::string x = tensorOf({rows, c.columns}, "f32"),
              y = tensorOf({rows}, "f32");
  std::string text =
      "func.func private @ingot_kernel(%x: " + x + ", %o: " + y + ") -> " + y +
      " attributes {host.kernel} {\n  %zero = arith.constant 0.0 : f32\n"
      "  %f = linalg.fill ins(%zero : f32) outs(%o : " +
      y + ") -> " + y +
      "\n  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (i)>], iterator_types = [\"parallel\", "
      "\"reduction\"]} ins(%x : " +
      x + ") outs(%f : " + y +
      ") {\n  ^bb0(%a: f32, %s: f32):\n    %0 = arith.addf %s, %a : f32\n    "
      "linalg.yield %0 : f32\n  } -> " +
      y + "\n  return %r : " + y + "\n}\n";
  EmulatedKernel kernel(text, "sm_80", Precision::F32);
  ASSERT_TRUE(kernel);
  EXPECT_NE(kernel.code.image.find("ingot_kernel_tile"), std::string::npos);
  std::vector<float> numbers(c.rows * c.columns), expected(c.rows);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    number = 1.0f / static_cast<float>(i + 1);
    expected[i / c.columns] += number;
  }
  for (bool reversed : {false, true}) {
    DeviceArray<float> deviceX(numbers),
        deviceO(std::vector<float>(c.rows, -1.0f));
    std::vector<uint64_t> table;
    addBuffer(table, deviceX.address(), {c.rows, c.columns},
              {c.isDynamic, false});
    addBuffer(table, deviceO.address(), {c.rows}, {c.isDynamic});
    EXPECT_EQ(kernel.run(table, reversed), "");
    EXPECT_EQ(deviceO.values(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShortRows,
                         testing::Values(RowCase{"Ten", 512, 10},
                                         RowCase{"Odd", 1021, 7},
                                         RowCase{"Few", 300, 32},
                                         RowCase{"Dynamic", 777, 10, true},
                                         RowCase{"DynamicFew", 3, 12, true}),
                         [](const testing::TestParamInfo<RowCase> &info) {
                           return info.param.name;
                         });

//===----------------------------------------------------------------------===//
// Small products with a transposed operand
//===----------------------------------------------------------------------===//

struct SmallProduct {
  std::string name;
  int64_t rows, columns, sum;
  bool hasDynamicSum = false;
};

class SmallProducts : public testing::TestWithParam<SmallProduct> {};

TEST_P(SmallProducts, AreChainsInAscendingK) {
  const SmallProduct &c = GetParam();
  int64_t sum = c.hasDynamicSum ? -1 : c.sum;
  std::string x = tensorOf({c.rows, sum}, "f32"),
              w = tensorOf({c.columns, sum}, "f32"),
              y = tensorOf({c.rows, c.columns}, "f32");
  std::string text =
      "func.func private @ingot_kernel(%x: " + x + ", %w: " + w + ", %o: " + y +
      ") -> " + y +
      " attributes {host.kernel} {\n  %zero = arith.constant 0.0 : f32\n"
      "  %f = linalg.fill ins(%zero : f32) outs(%o : " +
      y + ") -> " + y +
      "\n  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, "
      "k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
      "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, "
      "%w : " +
      x + ", " + w + ") outs(%f : " + y +
      ") {\n  ^bb0(%a: f32, %b: f32, %s: f32):\n    %0 = arith.mulf %a, %b : "
      "f32\n    %1 = arith.addf %s, %0 : f32\n    linalg.yield %1 : f32\n  } "
      "-> " +
      y + "\n  return %r : " + y + "\n}\n";
  EmulatedKernel kernel(text, "sm_80", Precision::F32);
  ASSERT_TRUE(kernel);
  EXPECT_NE(kernel.code.image.find("ingot_kernel_tile"), std::string::npos);
  std::vector<float> first(c.rows * c.sum), second(c.columns * c.sum),
      expected(c.rows * c.columns);
  for (auto [i, number] : llvm::enumerate(first))
    number = 1.0f / static_cast<float>(i % 61 + 1);
  for (auto [i, number] : llvm::enumerate(second))
    number = 1.0f / static_cast<float>(i % 53 + 3);
  for (int64_t m = 0; m < c.rows; ++m)
    for (int64_t n = 0; n < c.columns; ++n)
      for (int64_t k = 0; k < c.sum; ++k)
        expected[m * c.columns + n] =
            std::fma(first[m * c.sum + k], second[n * c.sum + k],
                     expected[m * c.columns + n]);
  for (bool reversed : {false, true}) {
    DeviceArray<float> deviceX(first), deviceW(second),
        deviceO(std::vector<float>(expected.size(), -1.0f));
    std::vector<uint64_t> table;
    addBuffer(table, deviceX.address(), {c.rows, c.sum},
              {false, c.hasDynamicSum});
    addBuffer(table, deviceW.address(), {c.columns, c.sum},
              {false, c.hasDynamicSum});
    addBuffer(table, deviceO.address(), {c.rows, c.columns}, {false, false});
    EXPECT_EQ(kernel.run(table, reversed), "");
    EXPECT_EQ(deviceO.values(), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallProducts,
                         testing::Values(SmallProduct{"ShortRows", 32, 64, 10},
                                         SmallProduct{"TwoParts", 16, 24, 100},
                                         SmallProduct{"FewRows", 3, 50, 300},
                                         SmallProduct{"DynamicSum", 6, 40, 77,
                                                      true},
                                         SmallProduct{"NoSum", 6, 40, 0, true}),
                         [](const testing::TestParamInfo<SmallProduct> &info) {
                           return info.param.name;
                         });

} // namespace
