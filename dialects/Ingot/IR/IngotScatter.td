//===- IngotScatter.td - Updates of rows of tables -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Row-sparse updates, which sparse optimizers, scatters on variables and
// segment reductions share: the rows that indices select are updated one after
// the other.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SCATTER_TD
#define INGOT_DIALECTS_INGOT_SCATTER_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_UpdateRowsOp : Ingot_PureOp<"update_rows", [AttrSizedOperandSegments, Ingot_MayReuseOperandMemory, IsolatedFromAbove, SingleBlock]> {
  let hasBuilders = 1;
  let summary = "Row-sparse update of tables, in the order of indices";
  let description = [{
    For each index, from the first to the last: the body computes new rows of
    the tables from the rows at the index, from the part of each of `rows` that
    belongs to the index, and from the `shared` values. An index that occurs
    twice updates its row twice; one outside of the tables updates nothing.
    Other rows are not accessed: result i may reuse the memory of table i, and
    the cost is that of the updated rows.

    With `nd`, the last dimension of the indices holds coordinates in the tables'
    first dimensions; without it, an index is the number of a row.

    Depending on the body, this is TensorFlow's `ResourceScatterAdd`,
    `ScatterNdAdd`, `ResourceSparseApplyAdagrad`, or one of the ops similar to
    these.

    Constraints:
    - (update_rows_c1) there is at least one table; all tables have compatible
      shapes, with at least the dimensions that an index selects.
    - (update_rows_c2) the shape of each of `rows` is that of the indices (with `nd` without the last dimension) followed by that of a row.
    - (update_rows_c3) with `nd` the size of the indices' last dimension is known.
    - (update_rows_c4) the body takes a row of each table, a row of each of `rows`, and the shared values,
      and yields a row for each table.

    ```mlir
    %w1 = ingot.update_rows (%w) at %indices by (%g) with (%lr)
        : (tensor<1000x8xf32>, tensor<16xi64>, tensor<16x8xf32>, tensor<f32>) -> tensor<1000x8xf32> {
    ^bb0(%row: tensor<8xf32>, %delta: tensor<8xf32>, %rate: tensor<f32>):
      %0 = ingot.apply_gradient_descent %row, %rate, %delta : (tensor<8xf32>, tensor<f32>, tensor<8xf32>) -> tensor<8xf32>
      ingot.yield_rows %0 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$tables, Ingot_IntTensor:$indices,
                       Variadic<Ingot_Tensor>:$rows, Variadic<Ingot_Tensor>:$shared,
                       UnitAttr:$nd);
  let results = (outs Variadic<Ingot_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $tables `)` `at` $indices (`by` `(` $rows^ `)`)? (`with` `(` $shared^ `)`)? attr-dict
    `:` functional-type(operands, results) $body
  }];
}

def Ingot_YieldRowsOp : Ingot_Op<"yield_rows", [Terminator, Pure, HasParent<"UpdateRowsOp">]> {
  let hasBuilders = 1;
  let summary = "The new rows of update_rows";
  let description = [{
    ```mlir
    ingot.yield_rows %0 : tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Ingot_Tensor>:$rows);
  let assemblyFormat = "$rows attr-dict `:` type($rows)";
}

#endif // INGOT_DIALECTS_INGOT_SCATTER_TD
