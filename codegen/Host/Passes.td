//===- Passes.td - Entries and functions of datasets -----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Host code that launches kernels: buffers, one arena, launch tables, calls of
// the runtime. Compiled once, whatever targets the kernels are compiled for;
// kernels are declarations here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_PASSES_TD
#define INGOT_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizeEntriesPass : Pass<"ingot-host-bufferize-entries", "::mlir::ModuleOp"> {
  let summary = "Bufferize entries and functions of datasets";
  let description = [{
    One-Shot Bufferize decides which ops are computed in place. A dataset's
    function parses or computes a result directly in the result's memory, and an
    entry computes a variable's new value directly in the variable, where nothing
    reads the old value any more and nothing after it may fail: a step that fails
    must leave variables as they were.

    ```mlir
    // Before
    %n = host.launch @update ins(%g : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
    // After
    host.launch @update ins(%g : memref<4xf32>) outs(%w : memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def ExpandCopiesPass : Pass<"ingot-host-expand-copies", "::mlir::ModuleOp"> {
  let summary = "Expand copies of strided buffers into loops";
  let description = [{
    A copy between dense buffers is a memcpy; any other would lower to a call of
    a library function that artifacts are not linked with.

    ```mlir
    // Before
    memref.copy %a, %b : memref<4x2xf32, strided<[8, 1]>> to memref<4x2xf32>
    // After
    linalg.copy ins(%a : memref<4x2xf32, strided<[8, 1]>>) outs(%b : memref<4x2xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def KeepItemsPass : Pass<"ingot-host-keep-items", "::mlir::ModuleOp"> {
  let summary = "Elide copies of elements into lists, arrays and stacks";
  let description = [{
    The runtime need not copy an element that a launch computes and a list, an
    array or a stack takes after it in the same block: the launch computes it in
    memory that lives as long as the run (`kept`). Neither constants nor elements
    lent by another list are copied. In entries whose kernels may run on a device
    elements are copied, as either side may have the newer bytes.

    ```mlir
    // Before
    %x = memref.alloc() : memref<4xf32>
    host.launch @k outs(%x : memref<4xf32>)
    host.call "ingot_op_stack_push" node "push" options {} ins(%s, %x : memref<i64>, memref<4xf32>)
        dtypes [21, 1] to []
    // After
    %x = host.allocate() : memref<4xf32>
    host.launch @k outs(%x : memref<4xf32>)
    host.call "ingot_op_stack_push" node "push" options {kept = true} ins(%s, %x : memref<i64>, memref<4xf32>)
        dtypes [21, 1] to []
    ```
  }];
}

def ProvideScratchPass : Pass<"ingot-host-provide-scratch", "::mlir::ModuleOp"> {
  let summary = "Allocate the scratch memory of launches";
  let description = [{
    A launch gets as many bytes as its kernel's declaration has in
    `host.scratch`: the maximum over all targets' code of it.

    ```mlir
    // Before
    host.launch @k outs(%o : memref<4xf32>)
    // After
    %s = memref.alloc() {alignment = 64 : i64} : memref<16384xi8>
    host.launch @k outs(%o, %s : memref<4xf32>, memref<16384xi8>)
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def PlanArenaPass : Pass<"ingot-host-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Plan an arena for the buffers of each entry";
  let description = [{
    Buffers with disjoint lifetimes may share addresses. Where all buffers
    together are small, none do: launches that share no memory can run in
    parallel. The arena's size becomes the attribute `host.arena`.

    ```mlir
    // Before
    %t = memref.alloc() : memref<64x64xf32>
    // After
    %t = host.slice %arena[0] : memref<64x64xf32>
    ```
  }];
  let options = [
    Option<"bytesApart", "bytes-apart", "int64_t", "0",
           "Buffers of up to this many bytes in all share no addresses">];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def BatchLaunchesPass : Pass<"ingot-host-batch-launches", "::mlir::ModuleOp"> {
  let summary = "Batch identical launches";
  let description = [{
    Launches of a run with the same kernel and no dependence on each other, such
    as layers of an ensemble's members, or updates of weights of equal shape, are
    moved together and become one launch with the member as outermost dimension:
    `host.members` on the first one is their number. Operands stay where they
    are, and each member has its own argument table, so each computes the same
    bits. One thread runs all members with the kernel's code in cache; with
    several threads, each member is a task. A batch has only as many members as
    fit a core's innermost cache with all that they touch: a row of a launch
    table costs about two nanoseconds, loading a member's data twice costs more.
    On one thread of a Zen 4 core, without this limit, with members of 48 KiB (64
    examples, layers of 64), a step of bench/graphs/ensemble.meta took 2 to 4 %
    longer; with members of a few KiB, as long as before.
    `host.batches` lists which launches are batched, and what keeps others apart;
    it becomes remarks.

    ```mlir
    // Before
    host.launch @dense ins(%x, %w0 : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>)
    host.launch @loss ins(%a : memref<4x4xf32>) outs(%l : memref<f32>)
    host.launch @dense ins(%x, %w1 : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
    // After
    host.launch @dense ins(%x, %w0 : memref<4x4xf32>, memref<4x4xf32>) outs(%a : memref<4x4xf32>) {host.members = 2 : i64}
    host.launch @dense ins(%x, %w1 : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>)
    host.launch @loss ins(%a : memref<4x4xf32>) outs(%l : memref<f32>)
    ```
  }];
  let options = [
    Option<"bytesOfBatch", "bytes-of-batch", "int64_t", "32768",
           "Maximum bytes that the members of one launch touch in all">];
  let statistics = [Statistic<"numBatches", "num-batches", "Number of batched launches">,
                    Statistic<"numMembers", "num-members", "Number of launches batched into them">];
}

def FormLaunchTablesPass : Pass<"ingot-host-form-launch-tables", "::mlir::ModuleOp"> {
  let summary = "Form launch tables from straight runs of launches";
  let description = [{
    Each launch's argument table has a place in the arena. Addresses that never
    change (of the arena, of variables, of constants) are set once, when the
    arena is allocated: the attribute `host.arguments` lists them. All others are
    set before the run. A run ends where something else touches memory. Ops
    without effects are hoisted above it, and so are checks and copies of memory
    that its launches do not write, if the copy's target is not read by them.

    ```mlir
    // Before
    host.launch @a ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    host.launch @b ins(%t : memref<4xf32>) outs(%w : memref<4xf32>)
    // After
    host.set_argument %arena[64], %x : memref<4xf32>
    host.run %arena [@a, @b] arguments [64, 80] nodes ["a", "b"]
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def FindHostMemoryPass : Pass<"ingot-host-find-host-memory", "::mlir::ModuleOp"> {
  let summary = "Record the memory that an entry's own code accesses";
  let description = [{
    Where kernels run on a device, memory that the entry's own code reads or
    writes has to be copied; all else stays there. The attribute `host.memory`
    lists ranges of the arena and variables, four numbers each: whether it is a
    variable, whether it is written, its number or its offset in the arena, its
    bytes. Where an access cannot be traced to a buffer, all of the arena and all
    variables are listed. In entries of programs with code for a device
    (`host.on_device`), copies are left to the runtime, which makes them on the
    side that has the bytes (`host.copied_there` on each), and summaries ask it
    for their values; neither is listed. `host.copies` describes for remarks what
    is copied between host and device, and when.

    ```mlir
    // Before
    func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %arena: !llvm.ptr) attributes {host.arena = 128 : i64} {
      %t = host.slice %arena[64] : memref<f32>
      host.run %arena [@k] arguments [96] nodes ["a"]
      %x = memref.load %t[] : memref<f32>
    // After
    func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %arena: !llvm.ptr)
        attributes {host.arena = 128 : i64, host.memory = array<i64: 0, 0, 64, 4>} {
    ```
  }];
}

def LowerEntrySignaturesPass : Pass<"ingot-host-lower-entry-signatures", "::mlir::ModuleOp"> {
  let summary = "Give entries and functions the ABI's signature";
  let description = [{
    They become ingot_code: variables, feeds and fetches are loaded from tables.

    ```mlir
    // Before
    func.func @step(%w: memref<4xf32> {host.variable = 7 : i32}, %arena: !llvm.ptr)
    // After
    func.func @step(%ctx: !llvm.ptr, %arena: !llvm.ptr, %variables: !llvm.ptr, %feeds: !llvm.ptr,
                    %fetches: !llvm.ptr) -> i32 {
      %w = host.bind %variables[7] : memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect", "::mlir::LLVM::LLVMDialect"];
}

def ConvertEntriesPass : Pass<"ingot-host-convert-entries", "::mlir::ModuleOp"> {
  let summary = "Lower control flow, buffers and host calls to the LLVM dialect";
  let description = [{
    A failing runtime call ends the entry with its status code. The declarations
    of kernels are erased: rows of launch tables name kernels by number.

    ```mlir
    // Before
    host.iterator_make 0
    // After
    %code = llvm.call @ingot_rt_iterator_make(%ctx, %0) : (!llvm.ptr, i32) -> i32
    llvm.cond_br %failed, ^return(%code), ^next
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // INGOT_CODEGEN_HOST_PASSES_TD
