//===- IngotIterator.td - Iterators -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The iterator op: a symbol of the module whose region is an input pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_ITERATOR_TD
#define INGOT_DIALECTS_INGOT_ITERATOR_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_IteratorOp : Ingot_Op<"iterator", [Symbol, SingleBlock, IsolatedFromAbove]> {
  let hasBuilders = 1;
  let summary = "An input pipeline and the position in it";
  let description = [{
    The region contains the pipeline as a tree of dataset ops; its terminator,
    `ingot.yield`, names the root. `components` are the types of one element's
    tensors.

    Constraints:
    - (iterator_c1) the region ends in an `ingot.yield` of one dataset.
    - (iterator_c2) the components agree with that dataset's.
    - (iterator_c3) the attribute `ingot.made_into`, if present, names an iterator
      of the program: the first of several ones that stand for one iterator of the
      graph, which is initialized from several datasets.

    ```mlir
    ingot.iterator @IteratorV2 : [tensor<2xf32>] {
      %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %0 = ingot.tensor_dataset(%x) : (tensor<2xf32>) -> !ingot.dataset<tensor<2xf32>>
      ingot.yield %0 : !ingot.dataset<tensor<2xf32>>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeArrayAttr:$components);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $components attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Ingot_YieldOp : Ingot_Op<"yield", [Terminator, Pure]> {
  let hasBuilders = 1;
  let summary = "Names the root dataset of an iterator or of a function over datasets";
  let description = [{
    ```mlir
    ingot.yield %0 : !ingot.dataset<tensor<f32>>
    ```
  }];
  let arguments = (ins Ingot_Dataset:$dataset);
  let assemblyFormat = "$dataset attr-dict `:` type($dataset)";
}

#endif // INGOT_DIALECTS_INGOT_ITERATOR_TD
