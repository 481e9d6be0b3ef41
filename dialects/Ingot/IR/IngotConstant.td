//===- IngotConstant.td - The constant op ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The constant op. It has a file of its own because all passes and importers
// create it: a change of another op then does not rebuild them.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_CONSTANT_TD
#define INGOT_DIALECTS_INGOT_CONSTANT_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_ConstantOp : Ingot_Op<"constant", [ConstantLike, Pure, AllTypesMatch<["value", "output"]>]> {
  let hasBuilders = 1;
  let summary = "A constant tensor";
  let description = [{
    TensorFlow's `Const`; strings are dense strings.

    ```mlir
    %0 = ingot.constant dense<[1, 2]> : tensor<2xi32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$output);
  let builders = [OpBuilder<(ins "::mlir::ElementsAttr":$value), [{
    build($_builder, $_state, value.getShapedType(), value);
  }]>];
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

#endif // INGOT_DIALECTS_INGOT_CONSTANT_TD
