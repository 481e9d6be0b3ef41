//===- IngotRequireValues.td - Run-time checks of values ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that check the values of operands, as TensorFlow's kernels do before they
// compute. They run in the runtime, in program order. If the values are valid
// constants, they are folded away.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_DIALECTS_INGOT_REQUIREVALUES_TD
#define INGOT_DIALECTS_INGOT_REQUIREVALUES_TD

include "dialects/Ingot/IR/IngotBase.td"

class Ingot_RequirementOp<string mnemonic>
    : Ingot_InferredOp<mnemonic, [Ingot_ComputedByRuntime, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasCanonicalizeMethod = 1;
}

def Ingot_RequireIndicesOp : Ingot_RequirementOp<"require_indices"> {
  let summary = "Stops the run if an index is out of range";
  let description = [{
    The first check of TensorFlow's gathers, scatters and sparse optimizer steps on
    a CPU: indices are in [0, `limits`[`axis`]); a negative axis counts from the
    last. `kind` determines the range and the message; all kinds are in
    runtime/ABI/IndexCheckKinds.def. For `coordinates`, element j of a row is an
    index into dimension j, to which limit j applies; for `segment`, ids may be
    negative; for `axis`, indices may count from the last; a `length` may equal the
    limit. For `broadcast` and `concat`, the operand has sizes instead of indices:
    they must broadcast against the limits, or equal them except along the axis.

    Constraints:
    - (require_indices_c1) the limits are a vector or a scalar.
    - (require_indices_c2) `kind` is one of IndexCheckKinds.def.

    ```mlir
    ingot.require_indices %i, %shape {kind = "gather"} : (tensor<4xi32>, tensor<2xi64>) -> ()
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$indices, TensorOf<[I32, I64]>:$limits, StrAttr:$kind, DefaultValuedAttr<I64Attr, "0">:$axis);
  let assemblyFormat = "$indices `,` $limits attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// Whether `indices` is a constant whose elements are valid for `limits`, the
    /// sizes of the indexed tensor, some of which may be dynamic. The check can
    /// then be removed.
    static bool areKnown(::mlir::Value indices, ::llvm::ArrayRef<int64_t> limits,
                         ::llvm::StringRef kind, int64_t axis);
  }];
}

def Ingot_RequireNumbersOp : Ingot_RequirementOp<"require_numbers"> {
  let summary = "Stops the run if a value is out of an op's domain";
  let description = [{
    The checks of TensorFlow's integer arithmetic and optimizers: a `divisor`
    must not be zero, an `exponent` and a rate of regularization (`l1`) not
    negative, a learning rate (`lr`) positive. The `kind` determines the check
    and its message (runtime/ABI/NumberCheckKinds.def). If `other`, the shape of the
    other operand, has a dimension of 0, any value is valid, as nothing is
    computed.

    Constraints:
    - (require_numbers_c1) `kind` is one of NumberCheckKinds.def.

    ```mlir
    ingot.require_numbers %y {kind = "divisor"} : (tensor<4xi32>) -> ()
    ```
  }];
  let arguments = (ins Ingot_NumericTensor:$numbers, Optional<TensorOf<[I64]>>:$other, StrAttr:$kind);
  let assemblyFormat = "$numbers (`,` $other^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// Whether `numbers` is a constant all of whose elements fulfill the
    /// condition of `kind`, so that the check can be removed.
    static bool areKnown(::mlir::Value numbers, ::llvm::StringRef kind);
  }];
}

def Ingot_RequireOrderOp : Ingot_RequirementOp<"require_order"> {
  let summary = "Stops the run if integers are not in the required order";
  let description = [{
    Checks of a whole vector in TensorFlow's kernels, by `kind`. A `permutation`,
    and the operand of an inversion (`inverted`), contains each number below its
    size once; in a `permutation`, numbers may also count from the last. `segments`
    are not negative and ascend, not necessarily strictly; `sparse_segments` must
    also be below the largest int32.

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
    /// Whether `numbers` is a constant whose elements are in the order that
    /// `kind` requires, so that the check can be removed.
    static bool areKnown(::mlir::Value numbers, ::llvm::StringRef kind);
  }];
}

#endif // INGOT_DIALECTS_INGOT_REQUIREVALUES_TD
