//===- StepKernel.cpp - One kernel for all launches of a table ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A megakernel: its blocks walk the launch table, which has one row for each
// kernel launch of a step, and call each kernel as a function. Between rows
// that depend on each other there is a barrier of the whole grid (or cluster),
// instead of a launch for each row.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/StepKernel.h"
#include "codegen/PTX/FillPlaceholders.h"

#include "codegen/Backend.h"
#include "codegen/LLVM/EmitObject.h"
#include "runtime/ABI/StepKernelTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

#include <cstddef>

using namespace llvm;

namespace ingot::ptx {

/// The number of registers of a multiprocessor, which is the same on every GPU.
/// Divided by the number of threads of a step kernel's block, it gives the
/// maximum number of registers per thread, which is passed to ptxas. Without
/// this limit, ptxas assumes blocks of 1024 threads, and gives a function only
/// half of the registers that a thread can have.
static constexpr size_t registersOfBlock = 64 * 1024;
/// The number of bytes that a thread copies at once when a block copies the
/// launch table to shared memory.
static constexpr size_t copiedBytes = 16;

/// The step kernel's IR, in which makeStepKernel replaces the names in < >.
///
/// If a row of the launch table has more blocks than run at once, it takes
/// several rounds. The threads of a block synchronize after each row and each
/// round, so that shared memory is free for the next one. A value that stays in
/// a register during a call takes this register from the called function. So
/// most values are loaded again after a call. To make this possible, values
/// that never change, such as the block's index, are stored in shared memory at
/// the beginning.
static constexpr char text[] = R"(
@"<step>$shared" = internal addrspace(3) global [<shared.size> x i8] undef, align <shared.alignment>
@"<step>$table" = internal addrspace(3) global [<table.size> x i8] undef, align 16
@"<step>$base" = internal addrspace(3) global ptr undef, align 8
@"<step>$grid" = internal addrspace(3) global i32 undef, align 4
@"<step>$this" = internal addrspace(3) global i32 undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cluster.arrive.aligned()
declare void @llvm.nvvm.barrier.cluster.wait.aligned()
<declarations>
define ptx_kernel void @"<step>"(ptr addrspace(1) %table, i32 %num.rows, i32 %bytes, ptr addrspace(1) %counter) "nvvm.reqntid"="<threads>" "nvvm.maxnreg"="<registers>" {
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %this.here = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %grid.here = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %there = addrspacecast ptr addrspace(1) %table to ptr
  %here = addrspacecast ptr addrspace(3) @"<step>$table" to ptr
  %offset = mul i32 %thread, <piece.size>
  %fits = icmp ule i32 %bytes, <table.size>
  br i1 %fits, label %copies, label %begin

copies:
  %at = phi i32 [ %offset, %entry ], [ %next.at, %copy ]
  %copied = icmp uge i32 %at, %bytes
  br i1 %copied, label %begin, label %copy

copy:
  %from = getelementptr i8, ptr addrspace(1) %table, i32 %at
  %to = getelementptr i8, ptr addrspace(3) @"<step>$table", i32 %at
  %piece = load <4 x i32>, ptr addrspace(1) %from, align 16
  store <4 x i32> %piece, ptr addrspace(3) %to, align 16
  %next.at = add i32 %at, <copied.size>
  br label %copies

begin:
  %chosen = phi ptr [ %there, %entry ], [ %here, %copies ]
  %isFirstThread = icmp eq i32 %thread, 0
  br i1 %isFirstThread, label %keep, label %kept

keep:
  store ptr %chosen, ptr addrspace(3) @"<step>$base"
  store i32 %grid.here, ptr addrspace(3) @"<step>$grid"
  store i32 %this.here, ptr addrspace(3) @"<step>$this"
  br label %kept

kept:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %rows

rows:
  %r.offset = phi i32 [ 0, %kept ], [ %next.r, %next.row ]
  %r = udiv i32 %r.offset, <row.size>
  %isEnd = icmp eq i32 %r, %num.rows
  br i1 %isEnd, label %end, label %row

row:
  %base = load volatile ptr, ptr addrspace(3) @"<step>$base"
  %r.base = getelementptr i8, ptr %base, i32 %r.offset
  %waits.at = getelementptr i8, ptr %r.base, i32 <row.waits>
  %waits = load i32, ptr %waits.at
  %isBehind = icmp ne i32 %waits, 0
  br i1 %isBehind, label %meet, label %start

<meeting>
start:
  %first.at = getelementptr i8, ptr %r.base, i32 <row.first>
  %first = load i32, ptr %first.at
  %this = load volatile i32, ptr addrspace(3) @"<step>$this"
  %grid = load volatile i32, ptr addrspace(3) @"<step>$grid"
  %isBefore = icmp ult i32 %this, %first
  %wrapped = select i1 %isBefore, i32 %grid, i32 0
  %turned = sub i32 %this, %first
  %place = add i32 %turned, %wrapped
  br label %rounds

rounds:
  %round = phi i32 [ %place, %start ], [ %next.round, %next.block ]
  %base.now = load volatile ptr, ptr addrspace(3) @"<step>$base"
  %r.now = getelementptr i8, ptr %base.now, i32 %r.offset
  %blocks.at = getelementptr i8, ptr %r.now, i32 <row.blocks>
  %blocks = load i32, ptr %blocks.at
  %isDone = icmp uge i32 %round, %blocks
  br i1 %isDone, label %next.row, label %blocks.of.round

blocks.of.round:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %threads.at = getelementptr i8, ptr %r.now, i32 <row.threads>
  %threads = load i32, ptr %threads.at
  %lanes.at = getelementptr i8, ptr %r.now, i32 <row.lanes>
  %lanes = load i32, ptr %lanes.at
  %lane = udiv i32 %thread, %threads
  %grid.now = load volatile i32, ptr addrspace(3) @"<step>$grid"
  %lane.place = mul i32 %lane, %grid.now
  %block = add i32 %round, %lane.place
  %isLane = icmp ult i32 %lane, %lanes
  %isThere = icmp ult i32 %block, %blocks
  %works = and i1 %isLane, %isThere
  br i1 %works, label %choose, label %next.block

choose:
  %lane.thread = urem i32 %thread, %threads
  %barrier = add i32 %lane, 1
  %shared.at = getelementptr i8, ptr %r.now, i32 <row.shared>
  %shared.bytes = load i32, ptr %shared.at
  %shared.offset = mul i32 %lane, %shared.bytes
  %shared = getelementptr i8, ptr addrspace(3) @"<step>$shared", i32 %shared.offset
  %arguments.at = getelementptr i8, ptr %r.now, i32 <row.arguments>
  %arguments.offset = load i32, ptr %arguments.at
  %arguments = getelementptr i8, ptr %base.now, i32 %arguments.offset
  %function = load i32, ptr %r.now
  switch i32 %function, label %next.block [<cases>]

<calls>
next.block:
  %base.again = load volatile ptr, ptr addrspace(3) @"<step>$base"
  %r.again = getelementptr i8, ptr %base.again, i32 %r.offset
  %lanes.again.at = getelementptr i8, ptr %r.again, i32 <row.lanes>
  %lanes.again = load i32, ptr %lanes.again.at
  %grid.again = load volatile i32, ptr addrspace(3) @"<step>$grid"
  %stride = mul i32 %lanes.again, %grid.again
  %next.round = add i32 %round, %stride
  br label %rounds

next.row:
  %next.r = add i32 %r.offset, <row.size>
  br label %rows

end:
  ret void
}
)";

/// A barrier of the whole grid. The first block adds 2^31 - (blocks - 1) to a
/// counter and each other block adds 1. So the counter's highest bit flips when
/// all blocks have arrived, and the counter needs no reset. A block's writes
/// before the barrier are visible to all blocks after it: a fence precedes the
/// atomic add (release), and the first thread of each block reads the flipped
/// bit with an acquire load, before it lets the block's other threads pass.
static constexpr char gridBarrier[] = R"(
arrive:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %isOne = icmp eq i32 %thread, 0
  br i1 %isOne, label %count, label %met

count:
  %this.there = load volatile i32, ptr addrspace(3) @"<step>$this"
  %grid.there = load volatile i32, ptr addrspace(3) @"<step>$grid"
  %isFirst = icmp eq i32 %this.there, 0
  %rest = sub i32 -2147483647, %grid.there
  %share = select i1 %isFirst, i32 %rest, i32 1
  fence syncscope("device") acq_rel
  %before = atomicrmw add ptr addrspace(1) %counter, i32 %share syncscope("device") monotonic
  br label %look

look:
  %now = load atomic i32, ptr addrspace(1) %counter syncscope("device") acquire, align 4
  %changed = xor i32 %now, %before
  %isOver = icmp slt i32 %changed, 0
  br i1 %isOver, label %met, label %look

met:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %start
)";

/// The code that waits, between two rows of the launch table, until all blocks
/// are done. Usually it waits at a barrier of the whole grid. On GPUs with
/// clusters, a launch may be a single cluster, which is marked by a null
/// counter of the grid's barrier. It waits at the cluster's barrier instead,
/// which is faster.
static constexpr char withoutClusters[] = R"(
meet:
  br label %arrive
)";

static constexpr char withClusters[] = R"(
meet:
  %isCluster = icmp eq ptr addrspace(1) %counter, null
  br i1 %isCluster, label %cluster, label %arrive

cluster:
  call void @llvm.nvvm.barrier.cluster.arrive.aligned()
  call void @llvm.nvvm.barrier.cluster.wait.aligned()
  br label %start
)";

/// Returns the step kernel's IR. It has a switch over kernels, with a case that
/// calls the function of each kernel.
static std::string sourceOf(ArrayRef<std::string> functions, bool hasClusters) {
  std::string declarations, cases, calls;
  for (auto [number, name] : enumerate(functions)) {
    std::string label = "call." + std::to_string(number);
    declarations += "declare void @\"" + name +
                    "\"(ptr, i32, i32, i32, i32, ptr addrspace(3))\n";
    cases += "i32 " + std::to_string(number) + ", label %" + label + "\n";
    calls += label + ":\n  call void @\"" + name +
             "\"(ptr %arguments, i32 %block, i32 %blocks, i32 %lane.thread, "
             "i32 %barrier, ptr addrspace(3) %shared)\n"
             "  br label %next.block\n";
  }
  auto number = [](size_t value) { return std::to_string(value); };
  return fillPlaceholders(
      text,
      {{"meeting", std::string(hasClusters ? withClusters : withoutClusters) +
                       gridBarrier},
       {"declarations", declarations},
       {"cases", cases},
       {"calls", calls},
       {"step", codegen::stepSymbol.str()},
       {"threads", number(INGOT_STEP_THREADS)},
       {"registers", number(registersOfBlock / INGOT_STEP_THREADS)},
       {"piece.size", number(copiedBytes)},
       {"copied.size", number(INGOT_STEP_THREADS * copiedBytes)},
       {"shared.size", number(INGOT_STEP_SHARED_BYTES)},
       {"shared.alignment", number(INGOT_STEP_SHARED_ALIGNMENT)},
       {"table.size", number(INGOT_STEP_TABLE_BYTES)},
       {"row.threads", number(offsetof(ingot_step_row, threads))},
       {"row.blocks", number(offsetof(ingot_step_row, blocks))},
       {"row.lanes", number(offsetof(ingot_step_row, lanes))},
       {"row.first", number(offsetof(ingot_step_row, first))},
       {"row.shared", number(offsetof(ingot_step_row, shared))},
       {"row.arguments", number(offsetof(ingot_step_row, arguments))},
       {"row.waits", number(offsetof(ingot_step_row, waits))},
       {"row.size", number(sizeof(ingot_step_row))}});
}

std::unique_ptr<Module>
makeStepKernel(LLVMContext &context, const llvmgen::TargetMachineSpec &machine,
               ArrayRef<std::string> functions, bool hasClusters) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseAssemblyString(sourceOf(functions, hasClusters), problem, context);
  // Apart from numbers and the names of functions, which are valid symbols
  // (stepFunctionOf), the IR is a fixed text: if it cannot be parsed, this is a
  // bug.
  if (!module)
    report_fatal_error("cannot parse the step kernel: " + problem.getMessage());
  llvmgen::setTarget(*module, machine);
  return module;
}

} // namespace ingot::ptx
