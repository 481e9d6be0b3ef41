//===- KernelPasses.td - Products and fusions -------------*- tablegen -*-===//
//
// What becomes of products and of their neighbours before they are kernels.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_GRAPH_KERNEL_PASSES_TD
#define INGOT_COMPILER_GRAPH_KERNEL_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandEinsumsPass : Pass<"ingot-expand-einsums", "::mlir::ModuleOp"> {
  let summary = "Makes an einsum without a batch a product of two matrices";
  let description = [{
    What both operands have, and the result lacks, is summed over; what one of
    them has are rows, or columns. Several dimensions of one kind are one
    dimension of a matrix, in another shape of the same memory where they stand
    behind each other, and after a transpose where they do not. Such a product
    is tiled, and takes along what follows, like any other. An einsum whose
    operands and result share a dimension is a batch of products, and stays.

    ```mlir
    // Before
    %y = ingot.einsum "abc,cde->abde"(%x, %w) : (tensor<32x64x128xf32>, tensor<128x4x32xf32>) -> tensor<32x64x4x32xf32>
    // After
    %0 = ingot.reshape %x, %s : (tensor<32x64x128xf32>, tensor<2xi64>) -> tensor<2048x128xf32>
    %1 = ingot.reshape %w, %t : (tensor<128x4x32xf32>, tensor<2xi64>) -> tensor<128x128xf32>
    %2 = ingot.matmul %0, %1 : (tensor<2048x128xf32>, tensor<128x128xf32>) -> tensor<2048x128xf32>
    %y = ingot.reshape %2, %u : (tensor<2048x128xf32>, tensor<4xi64>) -> tensor<32x64x4x32xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def ComputeOnMatricesPass : Pass<"ingot-compute-on-matrices", "::mlir::ModuleOp"> {
  let summary = "Computes elementwise ops of a product on its matrix, in front of a reshape";
  let description = [{
    A dense layer of a tensor of rank 3 is a product of matrices whose result
    gets the tensor's shape, and then a bias and an activation, behind which the
    next layer makes a matrix of it again. What is computed element by element
    is computed on the matrix, where the product can take it along; operands of
    the whole shape are reshaped, and numbers and vectors along the columns stay
    as they are. Small tensors share a kernel as they are.

    ```mlir
    // Before
    %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
    %q = ingot.reshape %p, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<8x64x256xf32>
    %s = ingot.bias_add %q, %b : (tensor<8x64x256xf32>, tensor<256xf32>) -> tensor<8x64x256xf32>
    // After
    %p = ingot.matmul %x, %w : (tensor<512x64xf32>, tensor<64x256xf32>) -> tensor<512x256xf32>
    %q = ingot.bias_add %p, %b : (tensor<512x256xf32>, tensor<256xf32>) -> tensor<512x256xf32>
    %s = ingot.reshape %q, %shape : (tensor<512x256xf32>, tensor<3xi32>) -> tensor<8x64x256xf32>
    ```
  }];
  let options = [
    Option<"minElements", "min-elements", "int64_t", "16 * 1024",
           "Tensors of up to this many elements stay as they are">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def NarrowProductsPass : Pass<"ingot-narrow-products", "::mlir::ModuleOp"> {
  let summary = "Computes of a product only the slice that is used";
  let description = [{
    A recurrent cell multiplies its input and its state by one matrix, side by
    side; where nobody asks for the input's gradient, a part of the gradient's
    columns is cut off as soon as they are there. Rows of the first operand, or
    columns of the second, are cut out instead, unless to copy these takes
    longer than what is saved; in front of a loop that does not change them it
    costs next to nothing.

    ```mlir
    // Before
    %c = ingot.matmul %a, %b : (tensor<64x8xf32>, tensor<8x16xf32>) -> tensor<64x16xf32>
    %s = ingot.slice %c, %begin, %size : (tensor<64x16xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<64x4xf32>
    // After
    %t = ingot.slice %b, %first, %count : (tensor<8x16xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<8x4xf32>
    %s = ingot.matmul %a, %t : (tensor<64x8xf32>, tensor<8x4xf32>) -> tensor<64x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def FormFusionsPass : Pass<"ingot-form-fusions", "::mlir::ModuleOp"> {
  let summary = "Groups the ops of each entry into kernels";
  let description = [{
    A matrix product takes along the elementwise ops that consume it (bias,
    activation, the optimizer's update), and the patches that only it reads; small reductions and elementwise ops
    that depend on each other become one kernel, and random numbers of a known
    count are drawn in the loops that use them; losses of which only the sum is
    asked for stay apart, so that they may run side by side, and so do losses and
    predictions of networks beside each other: they are the same code then,
    which is compiled once (`TwinOps`). What several kernels need of a large
    tensor that is in memory anyway, and is a short function of, each of them
    computes itself (`Recomputation`): two functions take less time than to
    write their result and to read it again. Groups are named after their nodes, and
    brought into an order that respects data and side effects. What updates a
    variable in place stands behind all that may end the run.

    ```mlir
    // Before
    %0 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32> loc("h/MatMul")
    %1 = ingot.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("h/Relu")
    // After
    %1 = ingot.fusion "fused_h_MatMul_Relu" -> tensor<4x2xf32> {
      %2 = ingot.matmul %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %3 = ingot.relu %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
      ingot.return %3 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"maxElements", "max-elements", "int64_t", "16 * 1024",
           "Ops on tensors of up to this many elements share a kernel">,
    Option<"maxOps", "max-ops", "unsigned", "48", "Ops in such a kernel at the most">,
    Option<"fusesIntoProducts", "fuses-into-products", "bool", "true",
           "Products take along what consumes their tiles">,
    Option<"fusesRowUpdates", "fuses-row-updates", "bool", "false",
           "Updates of rows take along what is computed of all rows">,
    Option<"transposesRows", "transposes-rows", "bool", "false",
           "Normalizations of rows take along transposes on both sides">,
    Option<"maxPatchDepth", "max-patch-depth", "int64_t", "0",
           "Products make patches of so many elements themselves (ingot-read-patches)">,
    Option<"minRecomputed", "min-recomputed", "int64_t", "16 * 1024",
           "Tensors of so many elements are read rather than computed again">,
    Option<"largeRecomputed", "large-recomputed", "int64_t", "128 * 1024",
           "Of tensors of so many elements long functions are computed again">,
    Option<"shortFunction", "short-function", "int64_t", "4",
           "Multiplications that take no longer than to read a number">,
    Option<"longFunction", "long-function", "int64_t", "40",
           "And to read one of a large tensor">,
    Option<"patchesOfUnknownSizes", "patches-of-unknown-sizes", "bool", "false",
           "Patches of images of unknown height and width, too">,
    Option<"sharesUnknownSizes", "shares-unknown-sizes", "bool", "true",
           "Tensors of sizes that are not known count as small">];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

#endif // INGOT_COMPILER_GRAPH_KERNEL_PASSES_TD
