//===- IngotRequire.td - Run-time checks of sizes ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks at run time of requirements that the types of an op's operands do not
// prove. Ops state their requirements by an interface;
// ingot-insert-shape-checks inserts the checks before the ops.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REQUIRE_TD
#define INGOT_DIALECTS_INGOT_REQUIRE_TD

include "dialects/Ingot/IR/IngotBase.td"

def Ingot_RequirementsOpInterface : OpInterface<"RequirementsOpInterface"> {
  let cppNamespace = "::mlir::ingot";
  let description = [{
    An op whose operands must have sizes that fit each other, or contain sizes that
    fit. If the types determine the sizes, the verifier checks them; otherwise the
    program checks them before the op runs.
  }];
  let methods = [
    InterfaceMethod<"Calls `requirements.require` for each condition on sizes.", "void", "addRequirements",
                    (ins "::mlir::ingot::ShapeRequirementBuilder &":$requirements)>
  ];
}

def Ingot_RequireOp : Ingot_Op<"require", [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasBuilders = 1;
  let summary = "Stops the run if sizes do not fit";
  let description = [{
    Ends the entry with the error `text` if the condition is false; each `{}` in the
    text is replaced by one of the numbers. The location is that of the node whose
    operands are checked. A check whose condition is known to be true is removed.

    Constraints:
    - (require_c1) the text has a placeholder for each number.

    ```mlir
    %ok = arith.cmpi eq, %n, %m : index
    ingot.require %ok, "Incompatible shapes: [{},8] vs. [{},8]" (%n, %m)
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$text, Variadic<Index>:$numbers);
  let assemblyFormat = "$condition `,` $text (`(` $numbers^ `)`)? attr-dict";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Ingot_RequireSameShapeOp : Ingot_InferredOp<"require_same_shape", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Requires that two tensors have the same shape";
  let description = [{
    A requirement of TensorFlow's kernel for a node, whose op in this dialect would
    broadcast instead. With `are_shapes`, the operands are the shapes of the
    tensors, as vectors. Dimensions in `free` may differ; negative ones count from
    the last. `text` is the message, with `{}` for each of the two shapes.
    ingot-insert-shape-checks replaces the op by `ingot.require` ops for the
    conditions that types do not prove.

    Constraints:
    - (require_same_shape_c1) the text has two placeholders, one for each shape.
    - (require_same_shape_c2) operands that are shapes are vectors of integers.

    ```mlir
    ingot.require_same_shape %x, %y {text = "shapes {} and {} differ"} : (tensor<?x8xf32>, tensor<?x8xf32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_Tensor:$lhs, Ingot_Tensor:$rhs, StrAttr:$text,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$free, UnitAttr:$are_shapes);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

#endif // INGOT_DIALECTS_INGOT_REQUIRE_TD
