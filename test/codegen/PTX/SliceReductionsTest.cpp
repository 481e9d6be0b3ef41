//===- SliceReductionsTest.cpp - A device combines as the host does -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Runs the kernels that combine slices' values on the emulator, and expects the
// bits of runtime/Collective/Reduce.cpp on a thread that flushes denormals.
//
//===----------------------------------------------------------------------===//

#include "test/codegen/PTX/EmulatedKernel.h"

#include "runtime/ABI/SliceReductions.h"
#include "runtime/Collective/Reduce.h"
#include "runtime/Device/FlushDenormals.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace ingot;
using namespace ingot::ptx;

namespace {

Reduction reductionOf(ingot_exchange_kind kind) {
  return kind == INGOT_EXCHANGE_SUM   ? Reduction::Sum
         : kind == INGOT_EXCHANGE_MAX ? Reduction::Max
                                      : Reduction::Min;
}

/// The kernel for one type and kind, as a kernel by itself.
codegen::CompiledKernelImage compile(int32_t dtype, ingot_exchange_kind kind) {
  auto backend = createBackend("sm_80", KernelCodeFormat::IR, Precision::F32);
  codegen::CompiledKernelImage code;
  llvm::Expected<std::string> image = backend->join({}, {{dtype, kind}});
  if (!image) {
    ADD_FAILURE() << llvm::toString(image.takeError());
    return code;
  }
  code.image = *image;
  std::string name = sliceReductionKernel(dtype, kind);
  size_t at = code.image.find(name);
  EXPECT_NE(at, std::string::npos) << code.image;
  if (at != std::string::npos)
    code.image.replace(at, name.size(), codegen::kernelSymbol.str());
  // Fewer threads than elements, so that each has several.
  code.facts.grid.base = 3;
  code.facts.grid.step = 1;
  code.facts.threadsPerBlock = INGOT_REDUCTION_THREADS;
  return code;
}

/// Pairs of numbers of which sums are normal, denormal, zero, infinite or NaN.
template <typename T> std::vector<T> interestingNumbers() {
  if constexpr (std::is_integral_v<T>) {
    return {0,
            1,
            -1,
            7,
            -300,
            std::numeric_limits<T>::max(),
            std::numeric_limits<T>::min()};
  } else {
    using Limits = std::numeric_limits<T>;
    std::vector<T> numbers;
    for (T number : {T(0), Limits::denorm_min(),
                     Limits::min() - Limits::denorm_min(), Limits::min(),
                     T(1.25) * Limits::min(), T(1), T(1) + Limits::epsilon(),
                     T(0.1), Limits::max(), Limits::infinity()}) {
      numbers.push_back(number);
      numbers.push_back(-number);
    }
    numbers.push_back(Limits::quiet_NaN());
    return numbers;
  }
}

template <typename T> bool isNaN(T number) { return number != number; }

template <typename T>
void expectHostBits(int32_t dtype, ingot_exchange_kind kind) {
  SCOPED_TRACE(sliceReductionKernel(dtype, kind));
  std::vector<T> numbers = interestingNumbers<T>(), a, b;
  for (T left : numbers)
    for (T right : numbers) {
      a.push_back(left);
      b.push_back(right);
    }
  std::mt19937_64 random(11);
  while (a.size() < 2000) {
    // Bits of all kinds of numbers.
    uint64_t left = random(), right = random();
    a.emplace_back();
    b.emplace_back();
    std::memcpy(&a.back(), &left, sizeof(T));
    std::memcpy(&b.back(), &right, sizeof(T));
  }
  std::vector<T> expected(a.size());
  {
    ScopedFlushDenormals flush;
    reduceFunction(dtype, reductionOf(kind))(expected.data(), a.data(),
                                             b.data(), a.size());
  }
  EmulatedKernel kernel(compile(dtype, kind));
  ASSERT_TRUE(kernel);
  for (bool inPlace : {false, true}) {
    DeviceArray<T> left(a), right(b), to(std::vector<T>(a.size()));
    DeviceArray<T> &result = inPlace ? left : to;
    ASSERT_EQ(kernel.run({result.address(), left.address(), right.address(),
                          a.size() - 1}),
              "");
    std::vector<T> values = result.values();
    for (size_t i = 0; i + 1 < a.size(); ++i)
      if (!isNaN(values[i]) || !isNaN(expected[i]))
        ASSERT_EQ(std::memcmp(&values[i], &expected[i], sizeof(T)), 0)
            << a[i] << " and " << b[i] << ": " << values[i] << ", the host "
            << expected[i];
    // Nothing is written past the last element.
    T last = inPlace ? a.back() : T(0);
    EXPECT_EQ(std::memcmp(&values.back(), &last, sizeof(T)), 0);
  }
}

} // namespace

TEST(SliceReductionsTest, a_device_combines_to_the_hosts_bits) {
  for (ingot_exchange_kind kind :
       {INGOT_EXCHANGE_SUM, INGOT_EXCHANGE_MAX, INGOT_EXCHANGE_MIN}) {
    expectHostBits<float>(INGOT_FLOAT, kind);
    expectHostBits<double>(INGOT_DOUBLE, kind);
    expectHostBits<int32_t>(INGOT_INT32, kind);
    expectHostBits<int64_t>(INGOT_INT64, kind);
  }
}

TEST(SliceReductionsTest, other_types_and_kinds_have_no_kernel) {
  EXPECT_EQ(sliceReductionKernel(INGOT_BFLOAT16, INGOT_EXCHANGE_SUM), "");
  EXPECT_EQ(sliceReductionKernel(INGOT_FLOAT, INGOT_EXCHANGE_GATHER), "");
}
