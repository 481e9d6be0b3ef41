//===- EmulatedCostsTest.cpp - What the cost model learns of kernels ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace ingot;

namespace {

TEST(EmulatedCosts, RegistersAreThoseThatPtxasNames) {
  auto registers = emulate::parseRegisters(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'product' for 'sm_80'\n"
      "ptxas info    : Function properties for product\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 61 registers, used 1 barriers, 17408 bytes smem\n"
      "ptxas info    : Function properties for helper$step\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 12 registers\n"
      "ptxas info    : Compiling entry function 'ingot$step' for 'sm_80'\n"
      "ptxas info    : Used 128 registers, 392 bytes cmem[0]\n");
  EXPECT_EQ(registers.size(), 2u);
  EXPECT_EQ(registers.lookup("product"), 61u);
  EXPECT_EQ(registers.lookup("ingot$step"), 128u);
}

/// A kernel that calls a function, which uses one of two shared buffers, and
/// loads two neighbours.
constexpr llvm::StringLiteral kernels = R"(
target triple = "nvptx64-nvidia-cuda"
@used = internal addrspace(3) global [48 x i8] undef, align 16
@other = internal addrspace(3) global [64 x i8] undef, align 16
define internal void @helper(float %x) noinline {
  store float %x, ptr addrspace(3) @used, align 4
  ret void
}
define ptx_kernel void @kernel(ptr addrspace(1) align 16 %p) "nvvm.reqntid"="128" "nvvm.maxnreg"="64" {
  %a = load float, ptr addrspace(1) %p, align 8
  %q = getelementptr float, ptr addrspace(1) %p, i64 1
  %b = load float, ptr addrspace(1) %q, align 4
  %s = fadd float %a, %b
  call void @helper(float %s)
  ret void
}
define ptx_kernel void @idle() {
  ret void
}
)";

std::vector<uint64_t> resourcesOf(const llvm::Module &module,
                                  llvm::StringRef kernel) {
  auto *global = module.getNamedGlobal((kernel + ".resources").str());
  if (!global)
    return {};
  std::vector<uint64_t> numbers;
  while (auto *number = global->getInitializer()->getAggregateElement(
             static_cast<unsigned>(numbers.size())))
    numbers.push_back(number->getUniqueInteger().getZExtValue());
  return numbers;
}

TEST(EmulatedCosts, KernelsTellWhatTheyOccupyAndAccess) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(kernels, diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  emulate::Options options;
  options.costs = true;
  options.registers["kernel"] = 40;
  llvm::Error error = emulate::lower(*module, options);
  ASSERT_FALSE(error) << llvm::toString(std::move(error));
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  // Registers, .maxnreg, .reqntid, bytes of static shared memory.
  EXPECT_EQ(resourcesOf(*module, "kernel"),
            (std::vector<uint64_t>{40, 64, 128, 48}));
  EXPECT_EQ(resourcesOf(*module, "idle"), (std::vector<uint64_t>{0, 0, 0, 0}));
  // One load of both neighbours, and a store.
  EXPECT_EQ(module->getFunction("ingot_emu_cost")->getNumUses(), 2u);
}

} // namespace
