//===- Passes.td - Kernels, whatever their target --------------*- tablegen -*-===//
//
// Fuse, bufferize, take allocations out. Of a module only functions with
// host.kernel are looked at.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_KERNELS_PASSES_TD
#define INGOT_CODEGEN_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwisePass : Pass<"ingot-fuse-elementwise", "::mlir::ModuleOp"> {
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

def BufferizeKernelsPass : Pass<"ingot-bufferize-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor of a kernel a buffer";
  let description = [{
    Kernels get buffers for arguments, the last of which are their results;
    One-Shot Bufferize then decides what happens in place.

    ```mlir
    // Before
    func.func private @k(%a: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32>
    // After
    func.func private @k(%a: memref<4xf32>, %o: memref<4xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect", "::mlir::memref::MemRefDialect"];
}

def PlaceScratchPass : Pass<"ingot-place-scratch", "::mlir::ModuleOp"> {
  let summary = "Takes allocations out of kernels";
  let description = [{
    What is small lives on the stack; what is not lies in one block of bytes,
    the kernel's last argument, which whoever launches it provides. Its size is
    the attribute `host.scratch`.

    ```mlir
    // Before
    func.func private @k(%o: memref<4xf32>) { %t = memref.alloc() : memref<64x64xf32> ... }
    // After
    func.func private @k(%o: memref<4xf32>, %s: memref<16384xi8>) attributes {host.scratch = 16384 : i64} {
      %t = memref.view %s[%c0][] : memref<16384xi8> to memref<64x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

#endif // INGOT_CODEGEN_KERNELS_PASSES_TD
