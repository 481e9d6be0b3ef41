//===- ConvolutionTest.cpp - Products that make their patches -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Tests kernels that compute a convolution, or the gradient of its filter, as a
// product with a matrix of patches that is not in global memory. The results
// are compared with sums in double precision.
//
//===----------------------------------------------------------------------===//

#include "test/codegen/PTX/EmulatedKernel.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ingot::ptx;

namespace {

constexpr int64_t images = 3, height = 7, width = 9, taps = 9;

/// A window of 3 by 3 over padded images.
struct Convolution {
  int64_t channels, filters;
  bool isGradient; // the gradient of the filter
  Precision precision;
  bool hasDynamicImages = false;
  int64_t parts = 1; // parts of K, each with a result of its own

  int64_t depth() const { return taps * channels; }
  int64_t positions() const { return images * height * width; }
  int64_t rows() const { return isGradient ? depth() : positions(); }
  int64_t sum() const { return isGradient ? positions() : depth(); }
};

/// The convolution as MLIR text, in the form in which compiler/Lower passes a
/// kernel to codegen.
std::string textOf(const Convolution &c) {
  std::string n = c.hasDynamicImages ? "?" : std::to_string(images);
  std::string rows = c.hasDynamicImages ? "?" : std::to_string(c.positions());
  std::string image = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", n, height,
                                    width, c.channels);
  std::string patches = llvm::formatv("tensor<{0}x{1}x{2}x{3}x{4}xf32>", n,
                                      height, width, taps, c.channels);
  std::string matrix = llvm::formatv("tensor<{0}x{1}xf32>", rows, c.depth());
  std::string filter =
      llvm::formatv("tensor<{0}x{1}xf32>", c.depth(), c.filters);
  std::string result = llvm::formatv("tensor<{0}x{1}xf32>", rows, c.filters);
  std::string other = c.isGradient ? result : filter;
  std::string output = c.isGradient ? filter : result;
  std::string op = R"(affine_map<(m, n, k) -> (m, n)>], iterator_types = [)",
              factor = "%w", factorType = other, maps, split;
  int64_t part = c.sum() / c.parts;
  if (c.parts == 1) {
    maps = llvm::formatv("affine_map<(m, n, k) -> ({0})>, "
                         "affine_map<(m, n, k) -> (k, n)>, ",
                         c.isGradient ? "k, m" : "m, k");
  } else {
    output =
        llvm::formatv("tensor<{0}x{1}x{2}xf32>", c.parts, c.rows(), c.filters);
    factorType =
        llvm::formatv("tensor<{0}x{1}x{2}xf32>", c.parts, part, c.filters);
    split = llvm::formatv("  %wide = tensor.expand_shape %w [[0, 1], [2]] "
                          "output_shape [{0}, {1}, {2}] : {3} into {4}\n",
                          c.parts, part, c.filters, other, factorType);
    factor = "%wide";
    std::string sum = llvm::formatv("s * {0} + k", part);
    maps = llvm::formatv("affine_map<(s, m, n, k) -> ({0})>, "
                         "affine_map<(s, m, n, k) -> (s, k, n)>, ",
                         c.isGradient ? sum + ", m" : "m, " + sum);
    op =
        R"(affine_map<(s, m, n, k) -> (s, m, n)>], iterator_types = ["parallel", )";
  }
  std::string view =
      c.hasDynamicImages
          ? llvm::formatv(
                "  %positions = arith.muli %n, %cells : index\n"
                "  %shape = tensor.from_elements %positions, %depth : "
                "tensor<2xindex>\n  %a = tensor.reshape %p(%shape) : ({0}, "
                "tensor<2xindex>) -> {1}\n",
                patches, matrix)
                .str()
          : llvm::formatv("  %a = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] "
                          ": {0} into {1}\n",
                          patches, matrix)
                .str();
  return llvm::formatv(
      R"(
#five = affine_map<(a, b, c, d, e) -> (a, b, c, d, e)>
func.func private @ingot_kernel(%x: {0}, %w: {1}, %o: {2}) -> {2} attributes {{host.kernel} {{
  %cst = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %cells = arith.constant {3} : index
  %depth = arith.constant {4} : index
  %h = arith.constant {5} : index
  %v = arith.constant {6} : index
  %n = tensor.dim %x, %c0 : {0}
  %e = tensor.empty({7}) : {8}
  %p = linalg.generic {{indexing_maps = [#five], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : {8}) {{
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %r = linalg.index 1 : index
    %s = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %kr = arith.divui %t, %c3 : index
    %ks = arith.remui %t, %c3 : index
    %r1 = arith.addi %r, %kr : index
    %r2 = arith.subi %r1, %c1 : index
    %inr = arith.cmpi ult, %r2, %h : index
    %r3 = arith.select %inr, %r2, %c0 : index
    %s1 = arith.addi %s, %ks : index
    %s2 = arith.subi %s1, %c1 : index
    %ins = arith.cmpi ult, %s2, %v : index
    %s3 = arith.select %ins, %s2, %c0 : index
    %in = arith.andi %inr, %ins : i1
    %value = tensor.extract %x[%i, %r3, %s3, %ch] : {0}
    %y = arith.select %in, %value, %cst : f32
    linalg.yield %y : f32
  } -> {8}
{9}  %f = linalg.fill ins(%cst : f32) outs(%o : {2}) -> {2}
{12}  %q = linalg.generic {{indexing_maps = [{10}{13}"parallel", "parallel", "reduction"]} ins(%a, {14} : {11}, {15}) outs(%f : {2}) {{
  ^bb0(%in: f32, %in2: f32, %out: f32):
    %0 = arith.mulf %in, %in2 : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> {2}
  return %q : {2}
}
)",
      image, other, output, height * width, c.depth(), height, width,
      c.hasDynamicImages ? "%n" : "", patches, view, maps, matrix, split, op,
      factor, factorType);
}

std::vector<float> numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> range(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = range(random);
  return values;
}

/// Element (`position`, `k`) of the matrix of patches.
double patchAt(const Convolution &c, const std::vector<float> &x,
               int64_t position, int64_t k) {
  int64_t tap = k / c.channels, channel = k % c.channels;
  int64_t row = position / width % height + tap / 3 - 1,
          column = position % width + tap % 3 - 1;
  if (row < 0 || row >= height || column < 0 || column >= width)
    return 0;
  int64_t image = position / (width * height);
  return x[((image * height + row) * width + column) * c.channels + channel];
}

void check(const Convolution &c) {
  SCOPED_TRACE(llvm::formatv("{0} channels, {1} filters, gradient {2}, {3}",
                             c.channels, c.filters, c.isGradient,
                             nameOf(c.precision))
                   .str());
  EmulatedKernel kernel(textOf(c), "sm_80", c.precision);
  ASSERT_TRUE(kernel);
  // The patches exist in shared memory only: the kernel needs no scratch
  // memory.
  EXPECT_EQ(kernel.code.facts.scratchBytes, 0);
  EXPECT_GT(kernel.code.facts.sharedBytes, 0);
  int64_t rows = c.rows(), sum = c.sum(), part = sum / c.parts;
  std::vector<float> x = numbers(images * height * width * c.channels, 1),
                     w = numbers(sum * c.filters, 2);
  DeviceArray<float> image(x), other(w),
      output(std::vector<float>(c.parts * rows * c.filters, NAN));
  std::vector<uint64_t> table;
  auto give = [&](DeviceArray<float> &array, bool isDynamic, uint64_t size) {
    table.push_back(array.address());
    if (isDynamic)
      table.push_back(size);
  };
  give(image, c.hasDynamicImages, images);
  give(other, c.hasDynamicImages && c.isGradient, c.positions());
  give(output, c.hasDynamicImages && !c.isGradient, c.positions());
  ASSERT_EQ(kernel.run(table), "");
  std::vector<float> found = output.values();
  double unit = c.precision == Precision::F32    ? 0
                : c.precision == Precision::BF16 ? 0x1.02p-7
                                                 : 0x1.02p-10;
  for (int64_t line = 0; line < c.parts * rows; ++line)
    for (int64_t column = 0; column < c.filters; column += 3) {
      double value = 0, size = 0;
      int64_t row = line % rows, first = line / rows * part;
      for (int64_t k = first; k < first + part; ++k) {
        double patch =
            c.isGradient ? patchAt(c, x, k, row) : patchAt(c, x, row, k);
        value += patch * w[k * c.filters + column];
        size += std::fabs(patch * w[k * c.filters + column]);
      }
      ASSERT_NEAR(found[line * c.filters + column], value,
                  size * (unit + (sum + 2) * 0x1p-24) + 0x1p-24)
          << line << ", " << column;
    }
}

void checkAll(Precision precision) {
  for (bool isGradient : {false, true})
    for (int64_t channels : {3, 4, 16})
      check({channels, channels == 3 ? 5 : 32, isGradient, precision});
  check({8, 16, false, precision, true});
  check({8, 16, true, precision, true});
  // Split along K: parts of 27 and of 63 positions, and of 36 and 18 elements
  // of a patch. A part of 18 elements begins within a group of four channels.
  check({16, 32, true, precision, false, 7});
  check({3, 5, true, precision, false, 3});
  check({16, 32, false, precision, false, 4});
  check({4, 32, false, precision, false, 2});
}

TEST(ConvolutionTest, OfFloatsIsExact) { checkAll(Precision::F32); }
TEST(ConvolutionTest, OfRoundedTF32IsWithinItsBounds) {
  checkAll(Precision::TF32);
}
TEST(ConvolutionTest, OfRoundedBF16IsWithinItsBounds) {
  checkAll(Precision::BF16);
}

} // namespace
