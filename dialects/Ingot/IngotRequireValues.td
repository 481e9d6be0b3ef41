//===- IngotRequireValues.td - Values that a step may not have -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks of integers' values that TensorFlow's kernels make before they compute. The ops run in the runtime, in
// program order; they are folded away where the values are valid constants.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REQUIREVALUES_TD
#define INGOT_DIALECTS_INGOT_REQUIREVALUES_TD

include "dialects/Ingot/IngotBase.td"

class Ingot_RequirementOp<string mnemonic>
    : Ingot_InferredOp<mnemonic, [Ingot_RunsInRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasCanonicalizeMethod = 1;
}

def Ingot_RequireIndicesOp : Ingot_RequirementOp<"require_indices"> {
  let summary = "Stops the run where an index lies outside";
  let description = [{
    The first check of TensorFlow's gathers, scatters and sparse steps on a CPU: indices
    are in [0, `limits`[`axis`]), an axis below 0 counting from the last. Of
    `coordinates` each row lies within the first limits; ids of a `segment` may be
    negative; an `axis` may count from the last; sizes `broadcast` against the limits, or `concat` are the limits but at the axis; a `length` may be as large as the
    limit. The `kind` says where the range begins, whether it has its limit, and
    how the message reads (runtime/ABI/IndexKinds.def).

    Constraints:
    - (require_indices_c1) the limits are a vector or a scalar.
    - (require_indices_c2) `kind` is one of IndexKinds.def.

    ```mlir
    ingot.require_indices %i, %shape {kind = "gather"} : (tensor<4xi32>, tensor<2xi64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$indices, TensorOf<[I32, I64]>:$limits, StrAttr:$kind, DefaultValuedAttr<I64Attr, "0">:$axis);
  let assemblyFormat = "$indices `,` $limits attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// Whether constant indices are known to lie below `limits`, some of which
    /// may be dynamic.
    static bool areKnown(::mlir::Value indices, ::llvm::ArrayRef<int64_t> limits,
                         ::llvm::StringRef kind, int64_t axis);
  }];
}

def Ingot_RequireNumbersOp : Ingot_RequirementOp<"require_numbers"> {
  let summary = "Stops the run where a value is out of an op's domain";
  let description = [{
    The checks of TensorFlow's integer arithmetic and optimizers: a `divisor` must
    not be zero, an `exponent` and a rate of regularization (`l1`) not negative, a
    learning rate (`lr`) positive. The `kind` determines the check and its message
    (runtime/ABI/NumberKinds.def). Where the shape `other` of the other operand is
    empty, any value is valid.

    Constraints:
    - (require_numbers_c1) `kind` is one of NumberKinds.def.

    ```mlir
    ingot.require_numbers %y {kind = "divisor"} : (tensor<4xi32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$numbers, Optional<TensorOf<[I64]>>:$other, StrAttr:$kind);
  let assemblyFormat = "$numbers (`,` $other^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// Whether the numbers are constants that hold.
    static bool areKnown(::mlir::Value numbers, ::llvm::StringRef kind);
  }];
}

def Ingot_RequireOrderOp : Ingot_RequirementOp<"require_order"> {
  let summary = "Stops the run where integers are not sorted";
  let description = [{
    Checks of a whole vector in TensorFlow's kernels: a `permutation`, and the
    one that is `inverted`, has each number below its size once, the first counting
    also from the last; `segments` are not negative and do not fall;
    `sparse_segments` end below the largest int32 besides.

    Constraints:
    - (require_order_c1) the numbers are a vector.
    - (require_order_c2) `kind` is permutation, inverted, segments or sparse_segments.

    ```mlir
    ingot.require_order %p {kind = "permutation"} : (tensor<3xi32>) -> ()
    ```
  }];
  let arguments = (ins TensorOf<[I32, I64]>:$numbers, StrAttr:$kind);
  let assemblyFormat = "$numbers attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// Whether the numbers are constants that hold.
    static bool areKnown(::mlir::Value numbers, ::llvm::StringRef kind);
  }];
}

#endif // INGOT_DIALECTS_INGOT_REQUIREVALUES_TD
