//===- IngotBroadcast.td - Broadcasting that is decided at run time -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that ingot-materialize-broadcasts inserts.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_BROADCAST_TD
#define INGOT_DIALECTS_INGOT_BROADCAST_TD

include "dialects/Ingot/IngotBase.td"

def Ingot_BroadcastAgainstOp : Ingot_PureOp<"broadcast_against"> {
  let hasBuilders = 1;
  let summary = "A tensor in the shape that it and others broadcast to";
  let description = [{
    Where a dimension is not known before run time it may turn out to be 1, and
    then every element of the result has the same one of the input. Operands
    whose dimensions neither agree nor are 1 repeat their last element.

    Constraints:
    - (broadcast_against_c1) the shapes broadcast as far as they are known.

    ```mlir
    %y = ingot.broadcast_against %x, %a : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Variadic<Ingot_Tensor>:$others);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input (`,` $others^)? attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_BROADCAST_TD
