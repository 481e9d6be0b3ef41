//===- Passes.td - From the graph dialect to linalg and host -*- tablegen -*-===//
//
// Fusions become kernels of linalg ops; entries become functions that launch
// them and call the runtime.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_PASSES_TD
#define INGOT_COMPILER_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerElementTypesPass : Pass<"ingot-lower-element-types", "::mlir::ModuleOp"> {
  let summary = "Gives tensors the element types that they are stored with";
  let description = [{
    Strings become 128-bit integers, address and size; variants 64-bit ones;
    unsigned integers signless. An op that such a tensor touches keeps the
    user's element types, of operands and then of results, in `element_types`;
    entries and functions keep the types of feeds and fetches.

    ```mlir
    // Before
    %y = ingot.maximum %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
    // After
    %y = ingot.maximum %x, %x {element_types = [ui8, ui8, ui8]} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
    ```
  }];
  let dependentDialects = ["::mlir::host::HostDialect"];
}

def OutlineKernelsPass : Pass<"ingot-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Makes each fusion a function of its own";
  let description = [{
    A kernel's arguments are what the fusion used, then one destination for
    each result: the variable itself where the result is its update, by an op
    that is tied to it or one that reads each of its elements once, so that the
    update happens in place.

    ```mlir
    // Before
    %1 = ingot.fusion "h_Relu" -> tensor<4xf32> {
      %2 = ingot.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
      ingot.return %2 : tensor<4xf32>
    }
    // After
    %e = tensor.empty() : tensor<4xf32>
    %1 = host.launch @h_Relu ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    func.func private @h_Relu(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
        attributes {host.kernel} {
      %2 = ingot.relu %a : (tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::host::HostDialect"];
}

def LowerToLinalgPass : Pass<"ingot-lower-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers what kernels compute to linalg on tensors";
  let description = [{
    ```mlir
    // Before
    %2 = ingot.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    // After
    %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %c = arith.cmpf olt, %x, %zero : f32
      %y = arith.select %c, %zero, %x : f32
      linalg.yield %y : f32
    } -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"maxPaddedElements", "max-padded-elements", "int64_t", "0",
           "Convolutions by channel copy images of at most so many elements with their padding; 0: none">,
    Option<"manyTaps", "many-taps", "int64_t", "0",
           "Or by windows of more taps than these, if it is not 0">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def SplitPhasesPass : Pass<"ingot-split-phases", "::mlir::ModuleOp"> {
  let summary = "Makes kernels of loops over images that wait for each other";
  let description = [{
    Where a loop over many elements needs a sum over all that an earlier one has
    left for each image and channel (batch normalization), and the channels are
    too few to be a grid, each of these loops becomes a kernel of its own, as
    does what lies between them: the grid of a loop is then its images. Nothing
    is computed in another order. A loop that several others read is computed
    once. Loops over elements that lead to nothing but the last one stay with it.

    ```mlir
    // Before
    %y = host.launch @Norm ins(%x : tensor<64x32x32x16xf32>) outs(%e : tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
    // After
    %s = host.launch @Norm_blocks ins(%x : tensor<64x32x32x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
    %m = host.launch @Norm_blocks_0 ins(%s : tensor<64x16xf32>) outs(%g : tensor<16xf32>) -> tensor<16xf32>
    %y = host.launch @Norm ins(%x, %m : ...) outs(%e : tensor<64x32x32x16xf32>) -> tensor<64x32x32x16xf32>
    ```
  }];
  let options = [
    Option<"minElements", "min-elements", "int64_t", "64 * 1024",
           "A loop over fewer elements is not worth a kernel">,
    Option<"enoughChannels", "enough-channels", "int64_t", "256",
           "So many channels are grid enough">];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def SplitReductionsPass : Pass<"ingot-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Reduces large tensors in blocks, by a kernel of its own";
  let description = [{
    Of a reduction with few results, whose size is known, blocks of rows are
    reduced first: they are independent of each other, and long sums are more
    exact. A second kernel combines the blocks' results in their order. The
    blocks depend on sizes only. Reductions that have rows enough to share, or
    few elements, stay as they are.

    ```mlir
    // Before
    %s = host.launch @Sum ins(%x : tensor<1048576xf32>) outs(%e : tensor<f32>) -> tensor<f32>
    // After
    %p = host.launch @Sum_blocks ins(%x : tensor<1048576xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
    %s = host.launch @Sum ins(%p : tensor<64xf32>) outs(%e : tensor<f32>) -> tensor<f32>
    ```
  }];
  let options = [
    Option<"minElements", "min-elements", "int64_t", "64 * 1024",
           "Fewer elements are not worth a second kernel">,
    Option<"minReduced", "min-reduced", "int64_t", "1024",
           "So many numbers may be added one after the other">,
    Option<"blockElements", "block-elements", "int64_t", "16 * 1024",
           "A block has about so many elements">,
    Option<"minBlockRows", "min-block-rows", "int64_t", "64", "And at least so many rows">,
    Option<"minBlocks", "min-blocks", "int64_t", "4", "Fewer blocks are not worth a second kernel">,
    Option<"enoughRows", "enough-rows", "int64_t", "16",
           "A dimension that stays is a grid of its own from this size on">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ResolveShapesPass : Pass<"ingot-resolve-shapes", "::mlir::ModuleOp"> {
  let summary = "Gives the results of launches the sizes that their kernels compute";
  let description = [{
    Where a kernel's result has a dimension that is not known before run time,
    what it depends on is computed in front of the launch: sizes of operands,
    elements of small tensors.

    ```mlir
    // Before
    %e = tensor.empty(%c0) : tensor<?xf32>
    %1 = host.launch @h_Relu ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    // After
    %n = tensor.dim %0, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %1 = host.launch @h_Relu ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def MergeKernelsPass : Pass<"ingot-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Leaves one of the kernels that compute the same";
  let description = [{
    Layers of one kind have equal kernels but for their names. All are launched
    as the first of them, so that code is generated once.

    ```mlir
    // Before
    %a = host.launch @h1_Relu(%x) ...
    %b = host.launch @h2_Relu(%y) ...
    // After
    %a = host.launch @h1_Relu(%x) ...
    %b = host.launch @h1_Relu(%y) ...
    ```
  }];
}

def LowerViewsPass : Pass<"ingot-lower-views", "::mlir::ModuleOp"> {
  let summary = "Turns reshapes between kernels into views";
  let description = [{
    Tensors lie in memory as their elements follow each other: another shape
    costs nothing.

    ```mlir
    // Before, in an entry
    %1 = ingot.reshape %0, %s : (tensor<64x36xf32>, tensor<3xi64>) -> tensor<64x9x4xf32>
    // After
    %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [64, 9, 4] : tensor<64x36xf32> into tensor<64x9x4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def LowerControlPass : Pass<"ingot-lower-control", "::mlir::ModuleOp"> {
  let summary = "Lowers branches and loops to ones over buffers";
  let description = [{
    A loop's state, and what branches give, stands in buffers, which every
    iteration reads and then overwrites. Of a tensor whose shape is not static
    each iteration hands a copy to the next.

    ```mlir
    // Before
    %y = ingot.if %c : tensor<i1> -> (tensor<4xf32>) {
      ingot.result %a : tensor<4xf32>
    } else {
      ingot.result %b : tensor<4xf32>
    }
    // After
    %m = memref.alloc() : memref<4xf32>
    %p = tensor.extract %c[] : tensor<i1>
    scf.if %p {
      bufferization.materialize_in_destination %a in restrict writable %m
    } else {
      bufferization.materialize_in_destination %b in restrict writable %m
    }
    %y = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NumberSymbolsPass : Pass<"ingot-number-symbols", "::mlir::ModuleOp"> {
  let summary = "Gives variables, iterators and savers the numbers of the artifact's tables";
  let description = [{
    Each kind is numbered from 0 on, in the order in which its symbols stand
    in the module. Iterators that are alternatives of others come last. From
    here on the numbers are verified with the module.

    Constraints:
    - (number_symbols_c1) each variable, iterator and saver has a number.
    - (number_symbols_c2) those of a kind have 0 to n - 1, each once.
    - (number_symbols_c3) alternatives have the last numbers of iterators.

    ```mlir
    // Before
    ingot.variable @w : tensor<4xf32>
    // After
    ingot.variable @w : tensor<4xf32> {ingot.number = 0 : i32}
    ```
  }];
  let dependentDialects = ["::mlir::ingot::IngotDialect"];
}

def LowerEntriesPass : Pass<"ingot-lower-entries", "::mlir::ModuleOp"> {
  let summary = "Makes entries functions over the storage of variables, feeds and fetches";
  let description = [{
    Side effects become host ops. What an entry returns is written to its
    destination: a variable's storage or the caller's fetch. The program's
    symbols have their numbers (ingot-number-symbols).

    ```mlir
    // Before
    ingot.entry @step role(step) feeds [] fetches [] variables [@w] updates [@w] {
    ^bb0(%w: tensor<f32>):
      %y = host.launch @k ins() outs(%w : tensor<f32>) -> tensor<f32>
      ingot.return %y : tensor<f32>
    }
    // After
    func.func @step(%s: memref<f32> {host.variable = 0 : i32}) attributes {host.entry = #host.entry<...>} {
      %w = bufferization.to_tensor %s restrict writable : memref<f32> to tensor<f32>
      %y = host.launch @k outs(%w : tensor<f32>) -> tensor<f32>
      bufferization.materialize_in_destination %y in restrict writable %s : (tensor<f32>, memref<f32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect", "::mlir::host::HostDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def JoinBatchesPass : Pass<"ingot-join-batches", "::mlir::ModuleOp"> {
  let summary = "Makes a step and its copy for full batches one function";
  let description = [{
    The function of an entry asks for a batch and looks at its size; a full one
    runs the copy's code (ingot-specialize-full-batches), another one the
    entry's. A copy that hands out something else, as predictions of a whole
    batch, is dropped.

    ```mlir
    // Before
    func.func @step(%w: memref<4xf32>) {
      %x = host.iterator_next 0 : tensor<?x4xf32>
      ...
    }
    func.func @step.full(%w: memref<4xf32>) attributes {host.full_batch_of = @step} {
      %x = host.iterator_next 0 : tensor<50x4xf32>
      ...
    }
    // After
    func.func @step(%w: memref<4xf32>) {
      %x = host.iterator_next 0 : tensor<?x4xf32>
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %full = arith.cmpi eq, %n, %c50 : index
      scf.if %full {
        %y = tensor.cast %x : tensor<?x4xf32> to tensor<50x4xf32>
        ...
      } else {
        ...
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // INGOT_COMPILER_LOWER_PASSES_TD
