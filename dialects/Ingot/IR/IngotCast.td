//===- IngotCast.td - Conversions of element types -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Conversions of tensors from one type of numbers to another.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_CAST_TD
#define INGOT_DIALECTS_INGOT_CAST_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_CastOp : Ingot_PureOp<"cast", [Ingot_Elementwise]> {
  let tensorFlowOps = [TF_Op<"Cast", [TF_Implied<"SrcT">, TF_Type<"DstT", "dst">, TF_Implied<"Truncate">]>];
  let summary = "Conversion to another element type";
  let description = [{
    TensorFlow's `Cast` with `Truncate` false: floats to integers towards
    zero, anything to bool by comparing with zero, complex numbers to real ones by
    dropping the imaginary part.

    Constraints:
    - (cast_c1) `dst` is a type of real or complex numbers, or i1.

    ```mlir
    %y = ingot.cast %x {dst = f32} : (tensor<4xi1>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Ingot_NumericOrComplexTensor:$input, TypeAttr:$dst);
  let results = (outs Ingot_NumericOrComplexTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_CAST_TD
