//===- IngotSet.td - Ops whose results' sizes the data decides -*- tablegen -*-===//
//
// Distinct values, positions, sets. They run in the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_SET_TD
#define INGOT_DIALECTS_INGOT_SET_TD

include "dialects/Ingot/IngotBase.td"

def Ingot_WhereOp : Ingot_PureOp<"where", [Ingot_RunsInRuntime]> {
  let summary = "Positions of the elements that are not zero";
  let description = [{
    TensorFlow's `Where`: a row of coordinates for each element of the input
    that is true, or not zero, in row-major order.

    Constraints:
    - (where_c1) the input's rank is known.

    ```mlir
    %p = ingot.where %mask : (tensor<4x3xi1>) -> tensor<?x2xi64>
    ```
  }];
  let arguments = (ins Ingot_Tensor:$input);
  let results = (outs TensorOf<[I64]>:$positions);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_SET_TD
