//===- ProductTest.cpp - Products on tensor cores and without -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiles each case for a GPU, runs it on the emulator, and compares the
// result with two sums in double precision: that of operands rounded to the
// kernel's precision, and, within the error bound, that of unrounded operands.
//
//===----------------------------------------------------------------------===//

#include "test/codegen/PTX/EmulatedKernel.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ingot;
using namespace ingot::ptx;

namespace {

/// The elementwise ops fused with the GEMM.
enum class Around { Nothing, BiasAndRelu, AddsToResult };

struct Case {
  std::string name;
  Precision precision;
  int64_t rows, columns, sum;
  bool transposesA = false, transposesB = false;
  int64_t batch = 0; // 0: no batch
  Around around = Around::Nothing;
  std::string element = "f32";
  bool hasDynamicRows = false;
  const char *arch = "sm_80";
  // The instruction that the image must have; null: that of the arch.
  const char *instruction = nullptr;
  /// Whether the batch consists of parts of K of one GEMM (split-K): then each
  /// operand is a view of a matrix.
  bool isSplit = false;
};

std::string tensorOf(std::vector<int64_t> sizes, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : sizes)
    text += (size < 0 ? "?" : std::to_string(size)) + "x";
  return text + element + ">";
}

/// The GEMM as MLIR text, in the form in which compiler/Lower passes a kernel
/// to codegen.
std::string textOf(const Case &c) {
  int64_t rows = c.hasDynamicRows ? -1 : c.rows;
  std::vector<int64_t> a =
      c.transposesA ? std::vector{c.sum, rows} : std::vector{rows, c.sum};
  std::vector<int64_t> b = c.transposesB ? std::vector{c.columns, c.sum}
                                         : std::vector{c.sum, c.columns};
  std::vector<int64_t> o = {rows, c.columns};
  std::string loops = "m, n, k", mapA = c.transposesA ? "k, m" : "m, k",
              mapB = c.transposesB ? "n, k" : "k, n", mapO = "m, n",
              kinds = R"("parallel", "parallel", "reduction")";
  if (c.batch) {
    for (auto *sizes : {&a, &b, &o})
      sizes->insert(sizes->begin(), c.batch);
    for (auto *text : {&loops, &mapA, &mapB, &mapO})
      *text = "s, " + *text;
    kinds = R"("parallel", )" + kinds;
  }
  std::string tensorA = tensorOf(a, c.element),
              tensorB = tensorOf(b, c.element), tensorO = tensorOf(o, "f32");
  std::string start = "%o", size, more, matrixA = tensorA, matrixB = tensorB,
              nameA = "%a", nameB = "%b";
  auto split = [&](std::string &name, std::string &matrix, bool isKMajor,
                   int64_t across) {
    matrix = tensorOf(isKMajor ? std::vector{across, c.batch * c.sum}
                               : std::vector{c.batch * c.sum, across},
                      c.element);
    const std::string &whole = isKMajor ? "[[0], [1, 2]]" : "[[0, 1], [2]]";
    std::vector<int64_t> sizes = isKMajor ? std::vector{across, c.batch, c.sum}
                                          : std::vector{c.batch, c.sum, across};
    more += llvm::formatv("  {0}s = tensor.expand_shape {0} {1} output_shape "
                          "[{2}, {3}, {4}] : {5} into {6}\n",
                          name, whole, sizes[0], sizes[1], sizes[2], matrix,
                          tensorOf(sizes, c.element));
    name += "s";
    return tensorOf(sizes, c.element);
  };
  if (c.isSplit) {
    tensorA = split(nameA, matrixA, !c.transposesA, rows);
    tensorB = split(nameB, matrixB, c.transposesB, c.columns);
    mapA = c.transposesA ? "s, k, m" : "m, s, k";
    mapB = c.transposesB ? "n, s, k" : "s, k, n";
  }
  if (c.hasDynamicRows)
    size = "  %c0 = arith.constant 0 : index\n"
           "  %d = tensor.dim %o, %c0 : " +
           tensorO + "\n";
  if (c.around != Around::AddsToResult) {
    start = "%start";
    more +=
        size + "  %zero = arith.constant 0.0 : f32\n  %empty = tensor.empty(" +
        (c.hasDynamicRows ? "%d" : "") + ") : " + tensorO +
        "\n  %start = linalg.fill ins(%zero : f32) outs(%empty : " + tensorO +
        ") -> " + tensorO + "\n";
  }
  std::string widen, x = "%x", y = "%y";
  if (c.element != "f32") {
    widen = "    %wx = arith.extf %x : " + c.element +
            " to f32\n    %wy = arith.extf %y : " + c.element + " to f32\n";
    x = "%wx", y = "%wy";
  }
  std::string text =
      "func.func private @ingot_kernel(%a: " + matrixA + ", %b: " + matrixB +
      ", %bias: tensor<" + std::to_string(c.columns) + "xf32>, %o: " + tensorO +
      ") -> " + tensorO + " attributes {host.kernel} {\n" + more +
      "  %p = linalg.generic {indexing_maps = [affine_map<(" + loops +
      ") -> (" + mapA + ")>, affine_map<(" + loops + ") -> (" + mapB +
      ")>, affine_map<(" + loops + ") -> (" + mapO + ")>], iterator_types = [" +
      kinds + "]} ins(" + nameA + ", " + nameB + " : " + tensorA + ", " +
      tensorB + ") outs(" + start + " : " + tensorO +
      ") {\n  ^bb0(%x: " + c.element + ", %y: " + c.element + ", %s: f32):\n" +
      widen + "    %0 = arith.mulf " + x + ", " + y +
      " : f32\n    %1 = arith.addf %s, %0 : f32\n    linalg.yield %1 : f32\n  "
      "} "
      "-> " +
      tensorO + "\n";
  if (c.around != Around::BiasAndRelu)
    return text + "  return %p : " + tensorO + "\n}\n";
  std::string plain = c.batch ? "s, m, n" : "m, n";
  return text + "  %r = linalg.generic {indexing_maps = [affine_map<(" + plain +
         ") -> (" + plain + ")>, affine_map<(" + plain +
         ") -> (n)>, affine_map<(" + plain + ") -> (" + plain +
         ")>], iterator_types = [" + (c.batch ? "\"parallel\", " : "") +
         "\"parallel\", \"parallel\"]} ins(%p, %bias : " + tensorO +
         ", tensor<" + std::to_string(c.columns) +
         "xf32>) outs(%o : " + tensorO +
         ") {\n  ^bb0(%x: f32, %y: f32, %s: f32):\n    %null = arith.constant "
         "0.0 : f32\n    %0 = arith.addf %x, %y : f32\n    %1 = "
         "arith.maximumf %0, %null : f32\n    linalg.yield %1 : f32\n  } -> " +
         tensorO + "\n  return %r : " + tensorO + "\n}\n";
}

/// The number of significant binary digits that a precision keeps.
int digitsOf(Precision precision) {
  return precision == Precision::F32    ? 24
         : precision == Precision::BF16 ? 8
                                        : 11;
}

/// Rounds `value` to the digits of `precision`. A tie goes away from zero for
/// TF32, and to even for other precisions.
float rounded(float value, Precision precision) {
  int exponent;
  double scaled = std::ldexp(std::frexp(value, &exponent), digitsOf(precision));
  scaled = precision == Precision::TF32 ? std::round(scaled)
                                        : std::nearbyint(scaled);
  return static_cast<float>(std::ldexp(scaled, exponent - digitsOf(precision)));
}

std::vector<float> numbers(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> range(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = range(random);
  return values;
}

/// The expected value of an element, and how far the result may be from it.
struct Expected {
  double value, distance;
};

class Run {
public:
  explicit Run(const Case &of) : c(of) {
    int64_t batch = std::max<int64_t>(c.batch, 1);
    a = numbers(batch * c.rows * c.sum, 1);
    b = numbers(batch * c.sum * c.columns, 2);
    bias = numbers(c.columns, 3);
    result = numbers(batch * c.rows * c.columns, 4);
    if (c.element != "f32")
      for (auto *values : {&a, &b})
        for (float &value : *values)
          value = rounded(value, typePrecision());
  }

  void check();

private:
  Precision typePrecision() const {
    return c.element == "bf16" ? Precision::BF16 : Precision::F16;
  }

  /// The index of an element of an operand in GEMM `s` of the batch: row or
  /// column `across` of `width`, step `k` of the sum.
  int64_t placeOf(int64_t s, int64_t across, int64_t k, int64_t width,
                  bool isKMajor) const {
    if (!isKMajor)
      return (s * c.sum + k) * width + across;
    return c.isSplit ? (across * c.batch + s) * c.sum + k
                     : (s * width + across) * c.sum + k;
  }

  /// The element (row, column) of GEMM `s`, computed in double precision from
  /// operands rounded to `precision`; `unit` is the relative error allowed for
  /// each product.
  Expected expect(int64_t s, int64_t row, int64_t column, Precision precision,
                  double unit) const {
    double start = c.around == Around::AddsToResult
                       ? result[(s * c.rows + row) * c.columns + column]
                       : 0;
    double sum = start, size = std::fabs(start);
    for (int64_t k = 0; k < c.sum; ++k) {
      double x =
          rounded(a[placeOf(s, row, k, c.rows, !c.transposesA)], precision);
      double y = rounded(b[placeOf(s, column, k, c.columns, c.transposesB)],
                         precision);
      sum += x * y;
      size += std::fabs(x * y);
    }
    if (c.around == Around::BiasAndRelu)
      sum = std::max(0., sum + bias[column]);
    return {sum, size * (unit + (c.sum + 2) * 0x1p-24) + 0x1p-24};
  }

  const Case &c;
  std::vector<float> a, b, bias, result;
};

/// The numbers as 16-bit floats of `precision`.
std::vector<uint16_t> bitsOf(const std::vector<float> &values,
                             Precision precision) {
  std::vector<uint16_t> bits;
  for (float value : values) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    if (precision == Precision::BF16)
      bits.push_back(word >> 16);
    else if (std::fabs(value) < 0x1p-14f)
      bits.push_back((word >> 31 << 15) |
                     static_cast<uint16_t>(std::fabs(value) * 0x1p24f));
    else
      bits.push_back((word >> 31 << 15) |
                     (((word & 0x7fffffff) >> 13) - (112 << 10)));
  }
  return bits;
}

void Run::check() {
  EmulatedKernel kernel(textOf(c), c.arch, c.precision);
  ASSERT_TRUE(kernel);
  Precision multiplied = c.element == "f32" ? c.precision : typePrecision();
  const char *instruction = c.instruction ? c.instruction
                            : c.arch == llvm::StringRef("sm_90a")
                                ? "wgmma.mma_async"
                                : "mma.m16n8k";
  EXPECT_EQ(kernel.code.image.find(instruction) != std::string::npos,
            multiplied != Precision::F32);
  std::vector<float> found[2];
  for (bool reversed : {false, true}) {
    DeviceArray<float> wideA(a), wideB(b), deviceBias(bias), output(result);
    DeviceArray<uint16_t> narrowA(bitsOf(a, typePrecision())),
        narrowB(bitsOf(b, typePrecision()));
    bool isWide = c.element == "f32";
    std::vector<uint64_t> table = {isWide ? wideA.address()
                                          : narrowA.address()};
    if (c.hasDynamicRows)
      table.push_back(c.rows);
    table.push_back(isWide ? wideB.address() : narrowB.address());
    table.push_back(deviceBias.address());
    table.push_back(output.address());
    if (c.hasDynamicRows)
      table.push_back(c.rows);
    ASSERT_EQ(kernel.run(table, reversed), "");
    found[reversed] = output.values();
  }
  EXPECT_EQ(found[0], found[1]);
  // The relative error of the product of two rounded operands.
  double unit = std::ldexp(2.01, -digitsOf(multiplied));
  for (int64_t s = 0; s < std::max<int64_t>(c.batch, 1); ++s)
    for (int64_t row = 0; row < c.rows; row += 7)
      for (int64_t column = 0; column < c.columns; column += 5) {
        float value = found[0][(s * c.rows + row) * c.columns + column];
        Expected near = expect(s, row, column, multiplied, 0),
                 exact = expect(s, row, column, Precision::F32, unit);
        ASSERT_NEAR(value, near.value, near.distance) << row << ", " << column;
        ASSERT_NEAR(value, exact.value, exact.distance)
            << row << ", " << column;
      }
}

/// Returns `text` with the last `from` that begins at or before `end` replaced
/// by `to`.
std::string planted(std::string text, const std::string &from,
                    const std::string &to, size_t end = std::string::npos) {
  size_t place = text.rfind(from, end);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text
                                    : text.replace(place, from.size(), to);
}

/// Returns the emulator's fault message for a GEMM whose image `change` has
/// changed; "wrong" if there is no fault but the result differs, "" if it does
/// not.
std::string faultOf(const Case &c,
                    llvm::function_ref<std::string(std::string)> change) {
  EmulatedKernel kernel(textOf(c), c.arch, c.precision);
  codegen::CompiledKernelImage changed = kernel.code;
  changed.image = change(changed.image);
  EXPECT_NE(changed.image, kernel.code.image);
  EmulatedKernel faulty(changed);
  if (!kernel || !faulty)
    return "";
  std::string faults[2];
  std::vector<float> results[2];
  for (int i : {0, 1}) {
    DeviceArray<float> a(numbers(c.rows * c.sum, 1)),
        b(numbers(c.sum * c.columns, 2)), bias(numbers(c.columns, 3)),
        output(numbers(c.rows * c.columns, 4));
    std::vector<uint64_t> table = {a.address(), b.address(), bias.address(),
                                   output.address()};
    faults[i] = (i == 0 ? kernel : faulty).run(table);
    results[i] = output.values();
  }
  EXPECT_EQ(faults[0], "");
  return faults[1].empty() && results[0] != results[1] ? "wrong" : faults[1];
}

TEST(ProductFaultTest, AMissingBarrierIsFound) {
  for (Precision precision : {Precision::TF32, Precision::BF16}) {
    std::string barrier = "call void @llvm.nvvm.barrier.cta.sync.aligned.all(";
    std::string fault =
        faultOf({"", precision, 128, 128, 96}, [&](std::string image) {
          // Removes the last barrier, which ends the loop.
          return planted(image, barrier + "i32 0)", "");
        });
    // The fault is a race, or a read of uninitialized shared memory.
    EXPECT_NE(fault.find("of shared memory, which "), std::string::npos)
        << fault;
  }
}

TEST(ProductFaultTest, ACopyThatNobodyWaitsForIsFound) {
  Case c = {"", Precision::F32, 128, 128, 96};
  c.element = "bf16";
  std::string fault = faultOf(c, [&](std::string image) {
    return planted(image, "call void @llvm.nvvm.cp.async.wait.group(i32 1)",
                   "");
  });
  EXPECT_NE(fault.find("of shared memory, which "), std::string::npos) << fault;
}

TEST(ProductFaultTest, MissingFenceBeforeWarpgroup) {
  Case c = {"", Precision::BF16, 128, 128, 96};
  c.arch = "sm_90a";
  std::string fault = faultOf(c, [&](std::string image) {
    return planted(image, "fence.proxy.async.shared::cta;",
                   "wgmma.fence.sync.aligned;");
  });
  EXPECT_NE(fault.find("without a fence.proxy.async"), std::string::npos)
      << fault;
}

/// `image` without its last line that has `text`.
std::string without(std::string image, const std::string &text) {
  size_t place = image.rfind(text);
  EXPECT_NE(place, std::string::npos) << text;
  if (place == std::string::npos)
    return image;
  size_t begin = image.rfind('\n', place), end = image.find('\n', place);
  return image.erase(begin, end - begin);
}

/// A GEMM of bf16 operands, which bulk copies load. It has many steps, and more
/// tiles than fit into tensor memory or the emulated processors have room for
/// at once.
Case bulkCase(const char *arch) {
  Case c = {"bulk", Precision::F32, 512, 128, 640};
  c.element = "bf16";
  c.arch = arch;
  return c;
}

void expectFault(const std::string &fault, const std::string &text) {
  EXPECT_NE(fault.find(text), std::string::npos) << fault;
}

constexpr const char *bulkArchs[] = {"sm_90a", "sm_100a"};

TEST(BulkFaultTest, AStageThatNobodyWaitsForIsFound) {
  for (const char *arch : bulkArchs)
    expectFault(faultOf(bulkCase(arch),
                        [](std::string image) {
                          // Where stages are full.
                          return without(image, "mbarrier.try_wait");
                        }),
                "of shared memory, which ");
}

TEST(BulkFaultTest, AWrongPhaseIsFound) {
  for (const char *arch : bulkArchs)
    for (bool isLast : {false, true}) {
      std::string fault = faultOf(bulkCase(arch), [&](std::string image) {
        std::string wait = "mbarrier.try_wait";
        size_t place = isLast ? image.rfind(wait) : image.find(wait);
        size_t parity = image.find(", i32 %", place);
        size_t end = image.find(')', parity);
        return image.replace(parity, end - parity, ", i32 0");
      });
      EXPECT_NE(fault, "") << arch;
    }
}

TEST(BulkFaultTest, AStageThatIsStillReadIsNotGivenBack) {
  expectFault(faultOf(bulkCase("sm_90a"),
                      [](std::string image) {
                        return planted(image,
                                       "wgmma.wait_group.sync.aligned 1;",
                                       "wgmma.wait_group.sync.aligned 7;");
                      }),
              "of shared memory, which thread 128 of the block has read");
}

TEST(BulkFaultTest, BytesThatNobodyExpectsAreFound) {
  for (const char *arch : bulkArchs)
    expectFault(faultOf(bulkCase(arch),
                        [](std::string image) {
                          size_t expects = image.find("expect_tx");
                          size_t bytes = image.find("i32 24576", expects);
                          EXPECT_NE(bytes, std::string::npos);
                          return image.replace(bytes, 9, "i32 24560");
                        }),
                "waits for ever at an mbarrier");
}

TEST(BulkFaultTest, BarriersThatCopiesDoNotKnowAreFound) {
  for (const char *arch : bulkArchs)
    expectFault(faultOf(bulkCase(arch),
                        [](std::string image) {
                          return without(image, "fence.mbarrier_init");
                        }),
                "without a fence.mbarrier_init");
}

/// Replaces each field that says "swizzle of 128 bytes" by one for 64 bytes.
std::string otherSwizzle(std::string image, uint64_t from, uint64_t to) {
  uint64_t rest = uint64_t(64) << 32 | 1 << 16;
  std::string was = ", " + std::to_string(int64_t(from | rest)),
              now = ", " + std::to_string(int64_t(to | rest));
  EXPECT_NE(image.find(was), std::string::npos);
  for (size_t place = 0; (place = image.find(was, place)) != std::string::npos;)
    image.replace(place, was.size(), now);
  return image;
}

TEST(BulkFaultTest, ADescriptorOfAnotherSwizzleIsFound) {
  EXPECT_NE(faultOf(bulkCase("sm_90a"),
                    [](std::string image) {
                      return otherSwizzle(image, uint64_t(1) << 62,
                                          uint64_t(2) << 62);
                    }),
            "");
  uint64_t version = uint64_t(1) << 46;
  EXPECT_NE(faultOf(bulkCase("sm_100a"),
                    [&](std::string image) {
                      return otherSwizzle(image, version | uint64_t(2) << 61,
                                          version | uint64_t(4) << 61);
                    }),
            "");
}

/// A line to remove from the kernel's code, and a part of the expected fault
/// message.
struct LeftOut {
  const char *name, *line, *said;
};

/// ctest shows parameters after the names of tests.
void PrintTo(const LeftOut &fault, std::ostream *os) { *os << fault.line; }

class TensorMemoryFaultTest : public testing::TestWithParam<LeftOut> {};

TEST_P(TensorMemoryFaultTest, IsFound) {
  expectFault(faultOf(bulkCase("sm_100a"),
                      [](std::string image) {
                        return without(image, GetParam().line);
                      }),
              GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    BulkFault, TensorMemoryFaultTest,
    testing::Values(LeftOut{"MemoryThatIsKept", "tcgen05.dealloc",
                            "ends without a tcgen05.dealloc"},
                    LeftOut{"MissingFenceAfter",
                            "tcgen05.fence::after_thread_sync",
                            "without tcgen05.fence::after_thread_sync"},
                    LeftOut{"MissingFenceBefore",
                            "tcgen05.fence::before_thread_sync",
                            "of tensor memory, which warp 4 may still read"},
                    LeftOut{"ProductsThatNobodyIsToldOf", "tcgen05.commit",
                            "waits for ever at an mbarrier"}),
    [](const auto &info) { return std::string(info.param.name); });

TEST(ProductFaultTest, AWrongSwizzleIsFound) {
  for (Precision precision : {Precision::TF32, Precision::BF16}) {
    std::string fault =
        faultOf({"", precision, 128, 128, 96}, [](std::string image) {
          size_t multiplied = image.find("@llvm.nvvm.mma.");
          return planted(image, " = xor i32 ", " = or i32 ", multiplied);
        });
    EXPECT_NE(fault, "") << "nothing was found";
  }
}

/// GEMMs of f32 operands.
std::vector<Case> casesOf(Precision precision) {
  std::vector<Case> cases = {
      // A result of many large tiles.
      {"large", precision, 1280, 1280, 16},
      {"bias_relu", precision, 130, 96, 100, false, false, 0,
       Around::BiasAndRelu},
      {"adds", precision, 128, 90, 100, true, false, 0, Around::AddsToResult},
      {"batch", precision, 64, 40, 80, false, true, 6, Around::BiasAndRelu},
      {"dynamic_rows", precision, 150, 96, 100}};
  cases.back().hasDynamicRows = true;
  // Matrices of whole tiles, and matrices whose edges cut tiles in all
  // directions, with rows that end within a group of 16 bytes.
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      cases.push_back({"whole", precision, 128, 128, 96, a, b});
      cases.push_back({"edges", precision, 132, 100, 116, a, b});
      cases.push_back({"odd", precision, 131, 101, 117, a, b});
    }
  return cases;
}

void checkAll(const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    SCOPED_TRACE(llvm::formatv("{0}, {1}{2}", c.name, c.transposesA ? "t" : "n",
                               c.transposesB ? "t" : "n")
                     .str());
    Run(c).check();
  }
}

/// Split-K GEMMs, whose operands are views of matrices: in some, the rows of
/// each part are whole groups of 16 bytes.
std::vector<Case> splitCasesOf(Precision precision, const char *element,
                               const char *arch) {
  std::vector<Case> cases;
  for (bool a : {false, true})
    for (bool b : {false, true})
      for (int64_t sum : {48, 25})
        cases.push_back({"split", precision, 132, 72, sum, a, b, 5,
                         Around::Nothing, element, false, arch, nullptr,
                         /*isSplit=*/true});
  return cases;
}

TEST(ProductTest, OfPartsOfFloatsIsExact) {
  checkAll(splitCasesOf(Precision::F32, "f32", "sm_80"));
}
TEST(ProductTest, OfPartsOnTensorCoresIsWithinItsBounds) {
  for (const char *arch : {"sm_80", "sm_90a"}) {
    checkAll(splitCasesOf(Precision::TF32, "f32", arch));
    checkAll(splitCasesOf(Precision::F32, "bf16", arch));
  }
}

/// The cases need tiles of 32 rows or columns (small results), long tiles
/// (narrow results) and tiles of 64.
TEST(ProductTest, OfTilesOfAllSizesIsExact) {
  std::vector<Case> cases;
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      cases.push_back({"small", Precision::F32, 68, 180, 104, a, b, 0,
                       Around::BiasAndRelu});
      cases.push_back({"odd", Precision::F32, 67, 181, 105, a, b});
      cases.push_back({"classes", Precision::F32, 64, 10, 128, a, b, 0,
                       Around::BiasAndRelu});
      cases.push_back({"middle", Precision::F32, 515, 510, 37, a, b});
      cases.push_back({"middle_whole", Precision::F32, 512, 512, 32, a, b});
      cases.push_back({"narrow", Precision::F32, 34000, 30, 20, a, b});
      cases.push_back({"flat", Precision::F32, 28, 34000, 20, a, b});
    }
  checkAll(cases);
}

TEST(ProductTest, OfFloatsIsExact) { checkAll(casesOf(Precision::F32)); }
TEST(ProductTest, OfRoundedTF32IsWithinItsBounds) {
  checkAll(casesOf(Precision::TF32));
}
TEST(ProductTest, OfRoundedBF16IsWithinItsBounds) {
  checkAll(casesOf(Precision::BF16));
}
TEST(ProductTest, OfRoundedF16IsWithinItsBounds) {
  checkAll(casesOf(Precision::F16));
}

/// The cases of GPUs whose tensor cores read operands from shared memory.
void checkRounded(const char *arch, const char *instruction) {
  std::vector<Case> cases;
  for (Precision precision : {Precision::TF32, Precision::BF16, Precision::F16})
    for (bool a : {false, true})
      for (bool b : {false, true})
        cases.push_back({"odd", precision, 131, 101, 117, a, b});
  cases.push_back({"whole", Precision::TF32, 256, 128, 320, false, false, 0,
                   Around::BiasAndRelu});
  cases.push_back({"many", Precision::BF16, 1280, 1280, 32});
  // The first operand is copied to shared memory; the rows of the second have
  // an odd length.
  cases.push_back({"mixed", Precision::F32, 136, 101, 128, false, false, 0,
                   Around::BiasAndRelu, "bf16"});
  for (Case &c : cases) {
    c.arch = arch;
    c.instruction = instruction;
  }
  checkAll(cases);
}

TEST(ProductTest, OfWarpgroupsIsWithinItsBounds) {
  checkRounded("sm_90a", "wgmma.mma_async");
}
TEST(ProductTest, OfTensorMemoryIsWithinItsBounds) {
  checkRounded("sm_100a", "tcgen05.mma");
}

/// Results with few rows are computed without a pipeline.
TEST(ProductTest, OfFewRowsByWarpgroupsIsWithinItsBounds) {
  for (Precision precision : {Precision::TF32, Precision::BF16})
    for (bool b : {false, true}) {
      Case c = {"few", precision, 61, 501, 117, false, b};
      c.arch = "sm_90a";
      checkAll({c});
    }
}

/// The cases with bulk copies cover edges in all directions, tiles of all
/// widths, many tiles, and dynamic sizes.
void checkBulk(const char *arch, const char *instruction) {
  std::vector<Case> cases;
  for (const char *element : {"bf16", "f16"})
    for (bool a : {false, true})
      for (bool b : {false, true})
        cases.push_back({element, Precision::F32, 200, 264, 136, a, b, 0,
                         Around::Nothing, element});
  cases.push_back({"middle", Precision::F32, 136, 104, 72, false, false, 50,
                   Around::Nothing, "bf16"});
  cases.push_back({"wide", Precision::F32, 136, 160, 72, true, false, 50,
                   Around::BiasAndRelu, "bf16"});
  cases.push_back({"adds", Precision::F32, 264, 96, 640, false, true, 0,
                   Around::AddsToResult, "f16"});
  cases.push_back({"dynamic", Precision::F32, 700, 96, 200, false, false, 0,
                   Around::Nothing, "bf16", true});
  for (Case &c : cases) {
    c.arch = arch;
    c.instruction = instruction;
  }
  checkAll(cases);
}

TEST(ProductTest, OfBulkCopiesByWarpgroupsIsExact) {
  checkBulk("sm_90a", "cp.async.bulk.tensor");
}
TEST(ProductTest, OfBulkCopiesInTensorMemoryIsExact) {
  checkBulk("sm_100a", "tcgen05.mma");
}

TEST(ProductTest, OfNumbersOf16BitsIsExact) {
  std::vector<Case> cases;
  for (const char *element : {"bf16", "f16"})
    for (bool a : {false, true})
      for (bool b : {false, true})
        for (int64_t sum : {128, 117})
          cases.push_back({element, Precision::F32, 136, 104, sum, a, b, 0,
                           Around::Nothing, element});
  checkAll(cases);
}

} // namespace
