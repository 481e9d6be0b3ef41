//===- IngotRequire.td - Sizes that a run must have -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Requirements that the types of an op's operands do not prove are checked at run
// time. Ops state requirements by an interface; ingot-insert-shape-checks inserts the
// checks before them.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REQUIRE_TD
#define INGOT_DIALECTS_INGOT_REQUIRE_TD

include "dialects/Ingot/IngotBase.td"

def Ingot_RequirementsOpInterface : OpInterface<"RequirementsOpInterface"> {
  let cppNamespace = "::mlir::ingot";
  let description = [{
    An op whose operands must have sizes that go together, or hold sizes that
    fit. Where that follows from types, the verifier has seen to it; where it
    does not, the program checks it before the op runs.
  }];
  let methods = [
    InterfaceMethod<"Adds the requirements of the op.", "void", "addRequirements",
                    (ins "::mlir::ingot::Requirements &":$requirements)>
  ];
}

def Ingot_RequireOp : Ingot_Op<"require", [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasBuilders = 1;
  let summary = "Stops the run where sizes do not fit";
  let description = [{
    Fails the entry with `text` where the condition does not hold; each `{}` in
    it stands for one of the numbers. The location is that of the node whose
    operands are meant. A condition that is known to hold is dropped.

    Constraints:
    - (require_c1) the text has a place for each number.

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
  let summary = "States that two tensors have one shape";
  let description = [{
    A requirement of a node's TensorFlow kernel where ours would broadcast. With
    `are_shapes` the operands are not the tensors, but list their sizes. Dimensions
    in `free` may differ, those below 0 counting from the last. ingot-insert-shape-checks
    makes it `ingot.require` ops for the parts that types do not prove, and drops it;
    `text` is the message, with `{}` for each of the two shapes.

    Constraints:
    - (require_same_shape_c1) the text has two places for shapes.
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
