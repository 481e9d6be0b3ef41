//===- IngotParallel.td - Work on slices of a batch --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Data parallelism: an op whose region is computed once per slice of the batch,
// as a part of a training step. Several processes can divide the slices among
// them.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_PARALLEL_TD
#define INGOT_DIALECTS_INGOT_PARALLEL_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_SliceRegionOp : Ingot_Op<"slice_region", [SingleBlock, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasBuilders = 1;
  let summary = "Computes each slice of a batch, and combines the slices' results";
  let description = [{
    The batch consists of `slices` slices: of a tensor that is cut along a
    dimension of size n, slice s has the elements from s n / slices to
    (s + 1) n / slices. The region runs once per slice, for those slices that
    the process has; its arguments are the slice's parts of `inputs`, which are
    cut along the dimensions `cuts`. An empty slice is skipped.

    `exchanges` says what becomes of each value that the region yields
    (runtime/ABI/ExchangeKinds.def). `sum`, `max`, `min`: the slices' values,
    combined in one fixed binary tree over all slices; so the result does not
    depend on the number of processes. `gather`: the slices' parts joined along
    the first dimension, on all processes. `keep`: joined along the dimension
    in `joins`, but only with the parts of the process's own slices; only an
    input of another slice_region may read it.

    Three kinds serve variables that are divided among processes. They treat
    a tensor of one dimension as parts of equal size, one for each slice.
    `reduce_scatter`: a sum of which each process has only the parts of its
    slices of the slice_regions that read it, which have the number of slices in
    `joins`. `gather_in_place`: the input with the index in `joins`, with its
    parts replaced by the slices' values, on all processes. `keep_in_place`: the
    same, but only the parts of the process's own slices have a value.

    Constraints:
    - (slice_region_c1) there are at least 2 slices, and at most 65536.
    - (slice_region_c2) inputs, `cuts` and the region's arguments agree in number;
      element i of `cuts` is the index of a dimension of input i.
    - (slice_region_c3) results, `exchanges`, `joins` and yielded values agree in number.
    - (slice_region_c4) each exchange is a kind of runtime/ABI/ExchangeKinds.def.
    - (slice_region_c5) an argument has its input's type, except that the size of the cut dimension may differ.
    - (slice_region_c6) a result of `sum`, `max`, `min` or `reduce_scatter` has numbers and the yielded value's type. One of
      `gather` or `keep` may differ from it in the size along the dimension in `joins`, which is 0 for `gather`.
    - (slice_region_c7) only slice_regions read a result of `keep` or `reduce_scatter`, if need be through a reshape; those
      that read one of `reduce_scatter` have the number of slices in `joins`.
    - (slice_region_c8) a result of `gather_in_place` or `keep_in_place` has the type of the input in `joins`, which is cut
      along dimension 0 in equal parts of static size, and no other result replaces this input.

    ```mlir
    %dw = ingot.slice_region(%x, %dy) slices 8 cuts [0, 0] exchanges ["sum"] joins [0]
        : (tensor<64x784xf32>, tensor<64x10xf32>) -> tensor<784x10xf32> {
    ^bb0(%rows: tensor<8x784xf32>, %gradients: tensor<8x10xf32>):
      %0 = ingot.matmul %rows, %gradients {transpose_a = true} : (tensor<8x784xf32>, tensor<8x10xf32>) -> tensor<784x10xf32>
      ingot.result %0 : tensor<784x10xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, I64Attr:$slices, DenseI64ArrayAttr:$cuts,
                       StrArrayAttr:$exchanges, DenseI64ArrayAttr:$joins);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` `slices` $slices `cuts` $cuts `exchanges` $exchanges `joins` $joins
    `:` functional-type($inputs, $outputs) attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

#endif // INGOT_DIALECTS_INGOT_PARALLEL_TD
