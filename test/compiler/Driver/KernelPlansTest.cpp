//===- KernelPlansTest.cpp - Plans differ in time and in no bit -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Autotuning.h"

#include "codegen/CPU/CPUBackend.h"
#include "compiler/Driver/LoadedKernel.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

using namespace ingot;
using namespace ingot::driver;

namespace {

constexpr int64_t rows = 1203, depth = 700, columns = 48;

/// A dense layer: x w + bias. It has more blocks of rows than panels of
/// columns, so that plans with other blocks differ.
constexpr const char *layer = R"(
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @ingot_kernel(%x: tensor<1203x700xf32>, %w: tensor<700x48xf32>, %bias: tensor<48xf32>, %out: tensor<1203x48xf32>) -> tensor<1203x48xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1203x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1203x48xf32>) -> tensor<1203x48xf32>
  %product = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1203x700xf32>, tensor<700x48xf32>) outs(%f : tensor<1203x48xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.mulf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<1203x48xf32>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id], iterator_types = ["parallel", "parallel"]} ins(%product, %bias : tensor<1203x48xf32>, tensor<48xf32>) outs(%out : tensor<1203x48xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<1203x48xf32>
  return %y : tensor<1203x48xf32>
}
)";

class KernelPlansTest : public testing::Test {
protected:
  // A level instead of the native CPU: its plans are the same on every machine.
  std::unique_ptr<codegen::Backend> backend = cpu::createBackend("x86-64-v3");

  codegen::CompiledKernelImage compile(unsigned plan) {
    std::unique_ptr<codegen::Backend> other = backend->withPlan(plan);
    mlir::DialectRegistry registry;
    other->registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(layer, &context);
    if (!module || failed(runBufferStage(*module, *other)) ||
        failed(runCodeStage(*module, *other))) {
      ADD_FAILURE() << "plan " << plan << " does not compile";
      return {};
    }
    llvm::Expected<codegen::CompiledKernelImage> code = other->emit(*module, 3);
    if (code)
      return std::move(*code);
    ADD_FAILURE() << llvm::toString(code.takeError());
    return {};
  }

  static std::vector<float> numbers(int64_t count, float from) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(std::sin(from + static_cast<float>(i)));
    return values;
  }

  /// Runs the layer with the code of a kernel plan, and returns its result.
  std::vector<float> run(const codegen::CompiledKernelImage &code) {
    std::unique_ptr<LoadedKernel> kernel = LoadedKernel::load(code.image);
    EXPECT_TRUE(kernel);
    std::vector<float> y(rows * columns);
    void *arguments[] = {x.data(), w.data(), bias.data(), y.data()};
    const codegen::Grid &grid = code.facts.grid;
    if (kernel)
      kernel->run(arguments, (grid.base + grid.step - 1) / grid.step);
    return y;
  }

  std::vector<float> x = numbers(rows * depth, 0.1f);
  std::vector<float> w = numbers(depth * columns, 0.2f);
  std::vector<float> bias = numbers(columns, 0.3f);
};

TEST_F(KernelPlansTest, PlansDifferInNoBit) {
  ASSERT_GT(backend->numPlans(), 1u);
  std::vector<float> first = run(compile(0));
  // Elements of the first and last row and column are those of x w + bias.
  for (int64_t row : {int64_t(0), rows - 1})
    for (int64_t column : {int64_t(0), columns - 1}) {
      double sum = bias[column];
      for (int64_t k = 0; k < depth; ++k)
        sum +=
            static_cast<double>(x[row * depth + k]) * w[k * columns + column];
      EXPECT_NEAR(first[row * columns + column], sum, 1e-4);
    }
  std::set<std::string> images;
  for (unsigned plan = 0; plan < backend->numPlans(); ++plan) {
    codegen::CompiledKernelImage code = compile(plan);
    images.insert(code.image);
    EXPECT_EQ(run(code), first) << "plan " << plan;
  }
  EXPECT_GT(images.size(), 2u) << "plans that are all one need no choice";
}

TEST_F(KernelPlansTest, AChoiceIsKeptWithTheKernels) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("ingot-plans", folder));
  llvm::Expected<KernelCache> cache = KernelCache::open(folder);
  ASSERT_TRUE(bool(cache));
  std::vector<KernelModule> units = {{"layer", layer}};
  KernelCompilationSettings target{backend.get(), 3};
  KernelPlans plans = findPlans(units, target, *cache);
  EXPECT_EQ(plans, KernelPlans({0}));
  TuningResult result =
      tuneKernels(units, target, *cache, /*seconds=*/60, plans);
  EXPECT_EQ(result.measured, 1u);
  EXPECT_EQ(result.changed, plans[0] != 0 ? 1u : 0u);
  ASSERT_LT(plans[0], backend->numPlans());
  EXPECT_EQ(findPlans(units, target, *cache), plans);
  auto end = llvm::sys::fs::directory_iterator();
  std::error_code error;
  EXPECT_NE(llvm::sys::fs::directory_iterator(folder, error), end)
      << "nothing was kept";
  (void)llvm::sys::fs::remove_directories(folder);
}

TEST_F(KernelPlansTest, NoTimeMeansNoMeasurement) {
  std::vector<KernelModule> units = {{"layer", layer}};
  KernelCompilationSettings target{backend.get(), 3};
  KernelPlans plans;
  EXPECT_EQ(tuneKernels(units, target, KernelCache(), 0, plans).measured, 0u);
  EXPECT_EQ(plans, KernelPlans({0}));
}

TEST_F(KernelPlansTest, WhatIsNoObjectIsNotLoaded) {
  EXPECT_FALSE(LoadedKernel::load("not an object"));
  EXPECT_FALSE(LoadedKernel::load(""));
}

} // namespace
