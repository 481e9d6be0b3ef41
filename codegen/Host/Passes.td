//===- Passes.td - Passes on entries -----------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes on entries, the host code that launches kernels: they bufferize,
// plan one arena per entry, form launch tables and lower to calls of the
// runtime. Entries are compiled once, whatever targets the kernels are compiled
// for; kernels are declarations here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_PASSES_TD
#define INGOT_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizeEntriesPass : Pass<"ingot-host-bufferize-entries", "::mlir::ModuleOp"> {
  let summary = "Bufferize entries and the functions that datasets call";
  let description = [{
    One-Shot Bufferize decides which ops are computed in place. A dataset's
    function parses or computes a result directly in the result's memory. An entry
    computes a variable's new value directly in the variable's memory if no later
    op reads the old value and no op before the assignment may still fail: a step
    that fails must leave variables as they were. The entry that gives variables
    their first values may fail, since no run goes on from there: so large ones are
    filled, or read from files, where they stay.

    ```mlir
    // Before: a launch returns the variable's new value
    %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    // After: the launch writes it to the variable's memory
    host.launch @update ins(%g : memref<4xf32>) outs(%w : memref<4xf32>)
    ```
  }];
  let statistics = [
    Statistic<"numInPlace", "num-in-place", "Number of variables and loop states that launches compute in place">,
    Statistic<"numInRows", "num-in-rows", "Number of launches that compute into a row of a tensor">
  ];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def LowerStridedCopiesToLoopsPass : Pass<"ingot-host-lower-strided-copies-to-loops", "::mlir::ModuleOp"> {
  let summary = "Expand copies of strided buffers into loops";
  let description = [{
    A copy between contiguous buffers lowers to memcpy. Any other copy would lower to a
    call of MLIR's `memrefCopy`, which artifacts are not linked with, so it becomes
    a linalg.copy, which lowers to loops.

    ```mlir
    // Before: a copy of a strided buffer
    memref.copy %a, %b : memref<4x2xf32, strided<[8, 1]>> to memref<4x2xf32>
    // After: an op that lowers to loops
    linalg.copy ins(%a : memref<4x2xf32, strided<[8, 1]>>) outs(%b : memref<4x2xf32>)
    ```
  }];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of strided copies expanded">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ElideTensorListElementCopiesPass : Pass<"ingot-host-elide-tensor-list-element-copies", "::mlir::ModuleOp"> {
  let summary = "Elide copies of elements into TensorLists, TensorArrays and stacks";
  let description = [{
    If a launch computes an element and a call in the same block adds it to a
    list, an array or a stack, the runtime need not copy the element: the launch
    writes it to memory that is not freed before the entry returns, and the call
    has the option `kept`. Constants, and elements lent by another list, are
    kept as well. In entries whose kernels may run on a device, elements are
    copied, as either host or device may have the newest bytes.

    ```mlir
    // Before: the runtime copies the element that is pushed
    %x = memref.alloc() : memref<4xf32>
    host.launch @k outs(%x : memref<4xf32>)
    host.call "ingot_op_stack_push" node "push" options {} ins(%s, %x : memref<i64>, memref<4xf32>)
        dtypes [21, 1] to []
    // After: the runtime keeps the element's memory
    %x = host.allocate() : memref<4xf32>
    host.launch @k outs(%x : memref<4xf32>)
    host.call "ingot_op_stack_push" node "push" options {kept = true} ins(%s, %x : memref<i64>, memref<4xf32>)
        dtypes [21, 1] to []
    ```
  }];
  let statistics = [Statistic<"numKept", "num-kept", "Number of elements that lists, arrays and stacks keep without a copy">];
}

def AllocateLaunchScratchPass : Pass<"ingot-host-allocate-launch-scratch", "::mlir::ModuleOp"> {
  let summary = "Allocate the scratch memory of launches";
  let description = [{
    Allocates a buffer of scratch memory for each launch and appends it to the
    outputs. Its size in bytes is the attribute `host.scratch` of the kernel's
    declaration, the maximum over the kernel's code for all targets.

    ```mlir
    // Before: a launch whose kernel needs 16 KiB of scratch memory
    host.launch @k outs(%o : memref<4xf32>)
    // After: the scratch memory is the launch's last output
    %s = memref.alloc() {alignment = 64 : i64} : memref<16384xi8>
    host.launch @k outs(%o, %s : memref<4xf32>, memref<16384xi8>)
    ```
  }];
  let statistics = [Statistic<"numBuffers", "num-buffers", "Number of launches given scratch memory">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def RematerializeActivationsPass : Pass<"ingot-host-rematerialize-activations", "::mlir::ModuleOp"> {
  let summary = "Recompute values instead of keeping them, to save memory";
  let description = [{
    If a function has the attribute `host.arena_limit` and needs a larger arena,
    some values that are computed early and read late, such as activations that
    the gradients need, are not kept in between: the launches that compute them
    are repeated right before the first op after the peak that reads them. A
    repeated launch runs the same kernel on the same inputs, so every value keeps
    its bits.

    Which values are recomputed is decided by `rematerialize`
    (RematerializationPlan.h): in segments, as in T. Chen et al., "Training Deep
    Nets with Sublinear Memory Cost", 2016, so that a chain of n layers needs
    O(sqrt(n)) memory; launches with a low cost per byte come first, and values
    are kept that the limit has room for. The cost of a launch are the operations
    and bytes of its kernel's declaration (`host.flops`, `host.bytes`); a kernel
    without them is not repeated. Neither is a launch that updates its output in
    place, or whose inputs are overwritten before, and nothing else than
    launches: no op of the runtime, no copy, no loop.

    ```mlir
    // Before: %a is live until the end, while %b and %c are, too
    func.func @step(%x: memref<64xf32>, %y: memref<64xf32>) attributes {host.arena_limit = 600 : i64} {
      host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
      host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
      host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
      host.launch @mul ins(%c, %a : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    // After: %a is computed again for its last reader
      host.launch @exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
      host.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
      host.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
      %a2 = memref.alloc() : memref<64xf32>
      host.launch @exp ins(%x : memref<64xf32>) outs(%a2 : memref<64xf32>)
      host.launch @mul ins(%c, %a2 : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
    ```
  }];
  let statistics = [
    Statistic<"numRepeated", "num-repeated", "Number of launches repeated to recompute values">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanArenaPass : Pass<"ingot-host-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Plan an arena for the buffers of each entry";
  let description = [{
    Replaces each buffer by a slice of the entry's arena. Buffers with disjoint
    lifetimes may share addresses. If all buffers together are small, none shares
    addresses with another, as launches that share no memory can run in parallel.
    The arena's size in bytes becomes the attribute `host.arena`.

    ```mlir
    // Before: a buffer with an allocation of its own
    %t = memref.alloc() : memref<64x64xf32>
    // After: a slice of the arena, at offset 0
    %t = host.slice %arena[0] : memref<64x64xf32>
    ```
  }];
  let options = [
    Option<"bytesApart", "bytes-apart", "int64_t", "0",
           "Total size, in bytes, up to which the buffers of an arena share no memory">];
  let statistics = [
    Statistic<"numBuffers", "num-buffers", "Number of buffers placed in arenas">,
    Statistic<"bufferBytes", "buffer-bytes", "Bytes of the buffers placed in arenas">,
    Statistic<"liveBytes", "live-bytes", "Most bytes of buffers that are live at the same time, in all arenas together">,
    Statistic<"arenaBytes", "arena-bytes", "Bytes of all arenas, in which buffers share memory">,
    Statistic<"numDynamic", "num-dynamic", "Number of buffers of dynamic size, allocated at run time">
  ];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def BatchLaunchesPass : Pass<"ingot-host-batch-launches", "::mlir::ModuleOp"> {
  let summary = "Batch independent launches of the same kernel";
  let description = [{
    Consecutive launches of the same kernel that do not depend on each other,
    such as layers of an ensemble's members, or updates of weights of equal
    shape, are moved together and become one launch with the member as outermost
    grid dimension. The attribute `host.members` on the first launch is the
    number of members. Operands stay where they are in memory, and each member
    has its own argument table, so each member computes the same bits as before.
    One thread runs all members with the kernel's code in cache; with several
    threads, each member is a task. The data of all members of a batch has to
    fit into a core's L1 cache: a row of a launch table costs only about two
    nanoseconds, less than loading a member's data a second time. On one thread
    of a Zen 4 core, without this limit, with members of 48 KiB (64 examples,
    layers of 64), a step of bench/graphs/ensemble.meta took 2 to 4 % longer;
    with members of a few KiB, as long as before. The attribute `host.batches`
    lists which launches are batched, and why others of the same kernel are not;
    the driver prints it as remarks.

    ```mlir
    // Before: two independent launches of one kernel, with another launch in between
    host.launch @dense ins(%x, %w0 : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
    host.launch @loss ins(%a : memref<4x4xf32>) outs(%l : memref<f32>)
    host.launch @dense ins(%x, %w1 : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
    // After: the launches of @dense are adjacent and form a batch with two members
    host.launch @dense ins(%x, %w0 : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>) {host.members = 2 : i64}
    host.launch @dense ins(%x, %w1 : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
    host.launch @loss ins(%a : memref<4x4xf32>) outs(%l : memref<f32>)
    ```
  }];
  let options = [
    Option<"bytesOfBatch", "bytes-of-batch", "int64_t", "32768",
           "Maximum bytes of the buffers of all members of a batched launch together">];
  let statistics = [Statistic<"numBatches", "num-batches", "Number of batched launches">,
                    Statistic<"numMembers", "num-members", "Number of launches that became members of batched launches">];
}

def BuildKernelLaunchTablesPass : Pass<"ingot-host-build-kernel-launch-tables", "::mlir::ModuleOp"> {
  let summary = "Replace sequences of consecutive launches by launch tables";
  let description = [{
    Each launch's argument table lies at a fixed offset of the arena. Addresses
    that never change (in the arena, of variables, of constants) are set once,
    when the arena is allocated; the attribute `host.arguments` lists them. All
    other addresses, and dynamic sizes, are set before the run. A sequence of
    launches ends at the first op that accesses memory and is not a launch. Ops
    without side effects are moved before the sequence. So are checks of memory
    that no launch writes, and copies whose source the launches of the sequence
    do not write and whose target they do not access.

    ```mlir
    // Before: two consecutive launches
    host.launch @a ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    host.launch @b ins(%t : memref<4xf32>) outs(%w : memref<4xf32>)
    // After: one launch table; only the address of %x is set in each run
    host.set_argument %arena[64], %x : memref<4xf32>
    host.run %arena [@a, @b] arguments [64, 80] nodes ["a", "b"]
    ```
  }];
  let statistics = [
    Statistic<"numTables", "num-tables", "Number of launch tables">,
    Statistic<"numLaunches", "num-launches", "Number of launches in launch tables">,
    Statistic<"numConstant", "num-constant", "Number of arguments that are the same in each run of the entry, and set only once">,
    Statistic<"numSet", "num-set", "Number of arguments that the entry sets each time it runs">
  ];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def AnnotateEntryMemoryAccessesPass : Pass<"ingot-host-annotate-entry-memory-accesses", "::mlir::ModuleOp"> {
  let summary = "Record the memory that an entry's own code accesses";
  let description = [{
    If kernels run on a device, memory that the entry's own code reads or writes
    has to be copied between host and device; all other memory stays on the
    device. The attribute `host.memory` lists the ranges of the arena, the
    variables and the fetches that the entry's code accesses, as four numbers
    each: the kind (0: arena, 1: variable, 2: fetch), whether it is written, the
    offset in the arena or the number of the variable or fetch, and the size in
    bytes. If an access cannot be traced to a buffer, all of the arena, all
    variables and all fetches are listed. In entries of programs with code for a
    device (`host.on_device`), the runtime executes copies, on the side that has
    the newest bytes (`host.copied_there` on each copy), and fetches the values
    of summaries; neither is listed. Buffers of dynamic size that the entry's
    code does not access are marked (`host.for_kernels`): their contents stay on
    the device. The attribute `host.copies` has the texts of remarks that say
    what is copied between host and device, and when.

    ```mlir
    // Before: the entry's own code reads %t, four bytes of the arena
    func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %arena: !llvm.ptr) attributes {host.arena = 128 : i64} {
      %t = host.slice %arena[64] : memref<f32>
      host.run %arena [@k] arguments [96] nodes ["a"]
      %x = memref.load %t[] : memref<f32>
    // After: the attribute host.memory lists this range
    func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %arena: !llvm.ptr)
        attributes {host.arena = 128 : i64, host.memory = array<i64: 0, 0, 64, 4>} {
    ```
  }];
  let statistics = [Statistic<"numRanges", "num-ranges", "Number of ranges of memory that the host accesses">];
}

def LowerEntrySignaturesPass : Pass<"ingot-host-lower-entry-signatures", "::mlir::ModuleOp"> {
  let summary = "Lower signatures of entries and functions to the runtime ABI";
  let description = [{
    Entries and functions get the signature of `ingot_code` in the ABI: their
    buffers (variables, feeds, fetches) are no longer arguments, but are loaded
    from tables.

    ```mlir
    // Before: the variable is an argument
    func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %arena: !llvm.ptr)
    // After: its address is loaded from the table of variables
    func.func @step(%ctx: !llvm.ptr, %arena: !llvm.ptr, %variables: !llvm.ptr, %feeds: !llvm.ptr,
                    %fetches: !llvm.ptr) -> i32 {
      %w = host.bind %variables[7] : memref<4xf32>
    ```
  }];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of entries and functions lowered">];
  let dependentDialects = ["::mlir::host::HostDialect", "::mlir::LLVM::LLVMDialect"];
}

def ConvertEntriesToLLVMPass : Pass<"ingot-host-convert-entries-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lower control flow, buffers and host calls to the LLVM dialect";
  let description = [{
    Lowers entries and functions to the LLVM dialect. If a call of the runtime
    fails, the entry returns the call's status code. The declarations of kernels are erased, because rows
    of launch tables refer to kernels by number.

    ```mlir
    // Before: an op on an iterator
    host.iterator_make 0
    // After: a call of the runtime, whose status code is checked
    %code = llvm.call @ingot_rt_iterator_make(%ctx, %0) : (!llvm.ptr, i32) -> i32
    llvm.cond_br %failed, ^return(%code), ^next
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // INGOT_CODEGEN_HOST_PASSES_TD
