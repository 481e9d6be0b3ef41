//===- CrashReportTest.cpp - What a crash of the compiler says ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/CrashReport.h"
#include "compiler/Driver/CompileKernels.h"

#include "dialects/Host/HostAttributes.h"
#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

#include <csignal>
#include <limits>
#include <thread>

using namespace mlir;
using namespace ingot::driver;

namespace {

TEST(CrashReportDeathTest, NamesTheKernelAndItsNode) {
  EXPECT_EXIT(
      {
        reportCrashes();
        CrashReportScope at("tower_mul_3", "tower/mul");
        (void)raise(SIGSEGV);
      },
      testing::ExitedWithCode(crashed),
      "^error: ingotc crashed, at kernel 'tower_mul_3', at node 'tower/mul'; "
      "this is a bug in Ingot, not in the graph\n$");
}

TEST(CrashReportDeathTest, NamesNoKernelThatIsCompiledAlready) {
  EXPECT_EXIT(
      {
        reportCrashes();
        {
          CrashReportScope at("tower_mul_3", "tower/mul");
        }
        (void)raise(SIGABRT);
      },
      testing::ExitedWithCode(crashed),
      "^error: ingotc crashed; this is a bug in Ingot, not in the graph\n$");
}

/// Uses more stack than any thread has. `depth` is never reached; it keeps the
/// compiler from proving that the recursion does not end.
int overflow(volatile int *previous, size_t depth) {
  volatile int frame[256] = {*previous};
  if (depth == 0)
    return frame[0];
  return overflow(frame, depth - 1) + frame[0];
}

TEST(CrashReportDeathTest, ReportsAStackOverflowOfAThread) {
  EXPECT_EXIT(
      {
        reportCrashes();
        std::thread([] {
          reportCrashesOfThread();
          CrashReportScope at("tower_mul_3", "tower/mul");
          volatile int first = 0;
          (void)overflow(&first, std::numeric_limits<size_t>::max());
        }).join();
      },
      testing::ExitedWithCode(crashed), "at node 'tower/mul'");
}

TEST(CrashReportTest, KernelsAreCutWithTheNamesOfTheirNodes) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  OpBuilder builder(&context);
  auto program = ModuleOp::create(builder.getUnknownLoc());
  OwningOpRef<ModuleOp> owner(program);
  auto add = [&](StringRef name, Location location) {
    auto kernel =
        func::FuncOp::create(location, name, builder.getFunctionType({}, {}));
    kernel.setPrivate();
    kernel->setAttr(host::kernelAttrName, builder.getUnitAttr());
    program.push_back(kernel);
  };
  Location node = NameLoc::get(builder.getStringAttr("tower/mul"));
  add("named", node);
  add("fused", builder.getFusedLoc({builder.getUnknownLoc(), node}));
  add("unnamed", builder.getUnknownLoc());
  std::vector<KernelModule> units = cutKernels(program);
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].node, "tower/mul");
  EXPECT_EQ(units[1].node, "tower/mul");
  EXPECT_EQ(units[2].node, "");
  // Kernels that differ only in the nodes they name share their code.
  EXPECT_EQ(units[0].bytecode, units[2].bytecode);
}

} // namespace
