//===- Passes.td - From linalg on tensors to LLVM, for CPUs -*- tablegen -*-===//
//
// Tile and fuse, bufferize into one arena, vectorize, lower to the ABI.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_CPU_PASSES_TD
#define INGOT_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"ingot-cpu-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "Merges chains of elementwise ops inside each kernel";
  let description = [{
    Whatever is used once is computed where it is used. Products keep their
    operands as they are, and what is computed once for a whole tensor (a
    step size) stays outside its loops.

    ```mlir
    // Before
    %1 = linalg.generic ... ins(%0, %bias) { addf }
    %2 = linalg.generic ... ins(%1) { select }
    // After
    %2 = linalg.generic ... ins(%0, %bias) { addf; select }
    ```
  }];
}

def TileKernelsPass : Pass<"ingot-cpu-tile-kernels", "::mlir::ModuleOp"> {
  let summary = "Tiles products to registers and fuses what consumes them";
  let description = [{
    The tile of the kernel's last op, and with it the product's, is one that
    the target's vector registers hold. Remainders are peeled so that every
    tile has a static shape.

    ```mlir
    // Before
    %0 = linalg.generic ins(%a, %b) outs(%z) { mulf; addf } -> tensor<64x64xf32>
    %1 = linalg.generic ins(%0, %bias) outs(%out) { ... } -> tensor<64x64xf32>
    // After
    %1 = scf.for %i = %c0 to %c64 step %c8 iter_args(%o = %out) -> (tensor<64x64xf32>) {
      scf.for %j = %c0 to %c64 step %c32 ... {
        %2 = linalg.generic ins(%aTile, %bTile) outs(%zTile) { mulf; addf } -> tensor<8x32xf32>
        %3 = linalg.generic ins(%2, %biasTile) outs(%oTile) { ... } -> tensor<8x32xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">,
    Option<"numRegisters", "num-registers", "unsigned", "16", "How many there are">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::affine::AffineDialect"];
}

def BufferizeProgramPass : Pass<"ingot-cpu-bufferize-program", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor a buffer";
  let description = [{
    Kernels get buffers for arguments; One-Shot Bufferize then decides, in
    kernels and entries alike, what happens in place. What a dataset's function
    parses or computes for a result lies in the result's memory at once.

    ```mlir
    // Before
    func.func private @k(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32>
    // After
    func.func private @k(%a: memref<4xf32>, %o: memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def PartitionKernelsPass : Pass<"ingot-cpu-partition-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes the ops of a kernel one loop over independent blocks";
  let description = [{
    Where all that a kernel computes shares a parallel dimension (rows of a
    softmax, elements of an optimizer's step), the loop runs over blocks of that
    dimension and its iterations are independent: they become the kernel's grid.
    The length of a block depends on sizes only. Temporaries shrink to a block.

    ```mlir
    // Before
    linalg.generic ins(%a : memref<65536xf32>) outs(%o : memref<65536xf32>) { ... }
    // After
    scf.for %i = %c0 to %c65536 step %c4096 {
      %0 = memref.subview %a[%i] [4096] [1] : memref<65536xf32> to memref<4096xf32, strided<[1], offset: ?>>
      %1 = memref.subview %o[%i] [4096] [1] : ...
      linalg.generic ins(%0) outs(%1) { ... }
    } {host.grid_loop}
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def MeasureKernelsPass : Pass<"ingot-cpu-measure-kernels", "::mlir::ModuleOp"> {
  let summary = "Notes what an iteration of a kernel's grid computes and moves";
  let description = [{
    Operations and bytes are estimates, from which the runtime knows whether
    several threads are worth it. Memory of the kernel's own is not counted, and
    what an iteration reads again and again is counted once. A grid that is too
    small for a second thread on any machine is taken back.

    ```mlir
    // Before
    func.func private @k(%a: memref<65536xf32>, %o: memref<65536xf32>) attributes {host.kernel}
    // After
    func.func private @k(%a: memref<65536xf32>, %o: memref<65536xf32>)
      attributes {host.kernel, host.flops = 4096 : i64, host.bytes = 32768 : i64}
    ```
  }];
}

def PlaceScratchPass : Pass<"ingot-cpu-place-scratch", "::mlir::ModuleOp"> {
  let summary = "Takes allocations out of kernels";
  let description = [{
    What is small lives on the stack; what is not becomes an argument, which
    the entry provides from its arena.

    ```mlir
    // Before
    func.func private @k(%o: memref<4xf32>) { %t = memref.alloc() : memref<64x64xf32> ... }
    // After
    func.func private @k(%o: memref<4xf32>, %t: memref<64x64xf32>) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def VectorizeProductsPass : Pass<"ingot-cpu-vectorize-products", "::mlir::ModuleOp"> {
  let summary = "Lowers tiles of products to vectors held in registers";
  let description = [{
    Rows of the accumulator stay in registers over the whole reduction; each
    step multiplies a broadcast element of the first operand with a row of the
    second.

    ```mlir
    // Before
    linalg.generic ins(%a, %b : memref<2x64xf32, ...>, memref<64x16xf32, ...>) outs(%c : memref<2x16xf32>)
    // After
    %r:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%c0 = ..., %c1 = ...) -> (vector<16xf32>, vector<16xf32>) {
      %row = vector.load %b[%k, %c0]
      %n0 = math.fma %a0, %row, %c0 : vector<16xf32>
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">,
    Option<"useFMA", "fma", "bool", "true", "The target multiplies and adds in one instruction">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def VectorizeLoopsPass : Pass<"ingot-cpu-vectorize-loops", "::mlir::ModuleOp"> {
  let summary = "Lowers all other linalg ops to loops over vectors";
  let description = [{
    The innermost dimension is computed in vectors where its elements lie next
    to each other: elementwise, or as a reduction with one accumulator a lane.
    What does not fit is computed element by element.

    ```mlir
    // Before
    linalg.generic ins(%a : memref<32xf32>) outs(%o : memref<32xf32>) { addf }
    // After
    scf.for %i = %c0 to %c32 step %c8 {
      %x = vector.load %a[%i] : memref<32xf32>, vector<8xf32>
      %y = arith.addf %x, %x : vector<8xf32>
      vector.store %y, %o[%i] : memref<32xf32>, vector<8xf32>
    }
    ```
  }];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of a vector register">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect"];
}

def PlanArenaPass : Pass<"ingot-cpu-plan-arena", "::mlir::ModuleOp"> {
  let summary = "Places an entry's buffers in one arena";
  let description = [{
    Buffers that are never alive together may share addresses. The arena's
    size becomes the attribute `host.arena`.

    ```mlir
    // Before
    %t = memref.alloc() : memref<64x64xf32>
    // After
    %t = host.slice %arena[0] : memref<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def LowerSignaturesPass : Pass<"ingot-cpu-lower-signatures", "::mlir::ModuleOp"> {
  let summary = "Gives entries and kernels the ABI's signatures";
  let description = [{
    Entries become ingot_code, kernels ingot_kernel: buffers come from tables
    of addresses, and a kernel computes a range of its grid.

    ```mlir
    // Before
    func.func private @k(%a: memref<4xf32>) attributes {host.kernel}
    // After
    func.func private @k(%arguments: !llvm.ptr, %begin: i64, %end: i64) attributes {host.kernel} {
      %a = host.bind %arguments[0] : memref<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect", "::mlir::LLVM::LLVMDialect"];
}

def ConvertToLLVMPass : Pass<"ingot-cpu-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers loops, vectors, buffers and host calls to LLVM";
  let description = [{
    A runtime call that fails ends the entry with its code.

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

def ApproximateMathPass : Pass<"ingot-cpu-approximate-math", "::mlir::ModuleOp"> {
  let summary = "Computes exp, log and tanh of floats as polynomials";
  let description = [{
    Accurate to about two units in the last place, and as fast on a vector as
    on one number. Doubles go to the C library. Where the target has no
    instruction that multiplies and adds, two take its place.

    ```mlir
    // Before
    %y = math.exp %x : vector<16xf32>
    // After
    %p = math.fma %c5, %r, %c4 : vector<16xf32>
    ```
  }];
  let options = [
    Option<"useFMA", "fma", "bool", "true", "The target multiplies and adds in one instruction">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // INGOT_CODEGEN_CPU_PASSES_TD
