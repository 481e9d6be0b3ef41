//===- Passes.td - Entries and functions of datasets -----------*- tablegen -*-===//
//
// What drives kernels: buffers, one arena, tables of launches, calls of the
// runtime. Compiled once, whatever targets the kernels are compiled for;
// kernels are declarations here.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_PASSES_TD
#define INGOT_CODEGEN_HOST_PASSES_TD

include "mlir/Pass/PassBase.td"

def BufferizeEntriesPass : Pass<"ingot-host-bufferize-entries", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor of entries and functions a buffer";
  let description = [{
    One-Shot Bufferize decides what happens in place. What a dataset's function
    parses or computes for a result lies in the result's memory at once, and so does
    what an entry computes for a variable whose old value nobody reads any more,
    behind all that may end the run.

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
  let summary = "Makes copies of strided buffers ops with loops";
  let description = [{
    A copy between dense buffers is one of memory; any other would be a call of
    a library that artifacts are not linked with.

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
  let summary = "Has kernels compute elements of lists where the lists keep them";
  let description = [{
    What one launch computes, and a list, an array or a stack takes behind it in
    the same block, the runtime need not copy: it is computed in memory that
    lives as long as the run (`kept`). Nor does it copy constants, and what
    another list has lent. Of entries whose kernels may run on a
    device elements are copied, as memory of both sides is.

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
  let summary = "Gives launches the scratch memory that their kernels need";
  let description = [{
    As much as a kernel's declaration says in `host.scratch`: the most that any
    target's code of it needs.

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
  let summary = "Places an entry's buffers in one arena";
  let description = [{
    Buffers that are never alive together may share addresses. Where all of
    them are small, none do: launches that share no memory can run side by side.
    The arena's size becomes the attribute `host.arena`.

    ```mlir
    // Before
    %t = memref.alloc() : memref<64x64xf32>
    // After
    %t = host.slice %arena[0] : memref<64x64xf32>
    ```
  }];
  let options = [
    Option<"bytesApart", "bytes-apart", "int64_t", "0",
           "Buffers of up to so many bytes in all share no addresses">];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def GroupLaunchesPass : Pass<"ingot-host-group-launches", "::mlir::ModuleOp"> {
  let summary = "Makes equal launches of a run one, with the member as outermost dimension";
  let description = [{
    Launches of a run that have the same kernel and do not wait for each other,
    such as layers of an ensemble's members, or updates of weights of equal
    shape, come to stand behind each other, and are one launch: `host.members`
    says of its first one how many they are. Operands stay where they are, each
    member has its own argument table, and so each computes the same bits.
    One thread runs all members with the code that it has at hand; for several,
    each member is a task of its own. A batch has as many members as leave room
    for all that they touch in a core's innermost cache: a row of a table costs
    some two nanoseconds, and to fetch a member's data a second time costs more.
    On one thread of a Zen 4 core, with any number of members that are 48 KiB
    each (64 examples, layers of 64), a step of bench/graphs/ensemble.meta took 2
    to 4 % longer; with members of a few KiB, as long as before.
    Which launches are one, and what keeps others apart, is said in words
    (`host.batches`), which become remarks.

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
           "Members of one launch touch up to so many bytes in all">];
}

def FormLaunchTablesPass : Pass<"ingot-host-form-launch-tables", "::mlir::ModuleOp"> {
  let summary = "Makes straight runs of launches rows of a table";
  let description = [{
    Each launch's argument table has a place in the arena. Addresses that never
    change (of the arena, of variables, of constants) are set once, when the
    arena is allocated: the attribute `host.arguments` lists them. All others
    are set in front of the run. A run ends where something else touches
    memory; what has no effect moves in front of it, and so does a check of
    what launches do not write, and a copy of it to where they do not look.

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
  let summary = "Notes what an entry touches itself, besides its launches";
  let description = [{
    Where kernels run on a device, what the entry's own code reads or writes has
    to be copied; all else stays there. The attribute `host.memory` lists ranges
    of the arena and variables, four numbers each: whether it is a variable,
    whether it is written, its number or its offset in the arena, its bytes.
    Where a buffer is not known, all of the arena and all variables are listed.
    In entries of programs with code for a device (`host.on_device`), copies are
    left to the runtime, which makes them where the bytes are (`host.copied_there`
    on each), and summaries ask it for what they show; neither is listed. What is
    copied between host and device, and when, is said in words (`host.copies`).

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
  let summary = "Gives entries and functions the ABI's signature";
  let description = [{
    They become ingot_code: variables, feeds and fetches come from tables.

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
  let summary = "Lowers control flow, buffers and host calls to LLVM";
  let description = [{
    A runtime call that fails ends the entry with its code. Kernels'
    declarations go: rows name kernels by number.

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
