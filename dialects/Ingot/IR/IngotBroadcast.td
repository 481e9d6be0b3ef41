//===- IngotBroadcast.td - Broadcasting that is decided at run time -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that ingot-materialize-broadcasts inserts.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_BROADCAST_TD
#define INGOT_DIALECTS_INGOT_BROADCAST_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_BroadcastAgainstOp : Ingot_PureOp<"broadcast_against"> {
  let hasBuilders = 1;
  let summary = "A tensor in the shape that it and others broadcast to";
  let description = [{
    Broadcasts the input to the shape to which the input and the other operands
    are broadcast together. A dynamic dimension of the input may be 1 at run time:
    then its only element is repeated along it. A dimension that is neither 1 nor
    equal to the result's repeats its last element.

    Constraints:
    - (broadcast_against_c1) as far as the shapes are known, they can be
      broadcast against each other.

    ```mlir
    %y = ingot.broadcast_against %x, %a : (tensor<?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input, Variadic<Ingot_Tensor>:$others);
  let results = (outs Ingot_Tensor:$output);
  let assemblyFormat = "$input (`,` $others^)? attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_BROADCAST_TD
