//===- Traits.h - Traits of ops for passes ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Traits that tell passes how an op is fused and where it runs. Passes query
// traits instead of keeping lists of ops, so that a new op needs no change in
// them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_IR_TRAITS_H
#define INGOT_DIALECTS_INGOT_IR_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::ingot::trait {

/// The trait of elementwise ops: each element of a result depends only on the
/// one element of each operand that TensorFlow's broadcasting aligns with it.
/// Such ops can be fused.
template <typename OpTy>
class Elementwise : public OpTrait::TraitBase<OpTy, Elementwise> {};

/// The trait of ops whose result i may reuse the memory of operand i, such as
/// an optimizer's step, which updates its variables in place.
template <typename OpTy>
class MayReuseOperandMemory
    : public OpTrait::TraitBase<OpTy, MayReuseOperandMemory> {};

/// The trait of ops that run in the runtime, as the function
/// `ingot_op_<mnemonic>` of runtime/Ops: ops without a loop nest (strings,
/// tables, sets, parsing). The function receives operands and results as
/// tensors, and attributes by the names that they have in the dialect.
template <typename OpTy>
class ComputedByRuntime : public OpTrait::TraitBase<OpTy, ComputedByRuntime> {};

/// The trait of datasets whose elements are unchanged elements of their first
/// input.
template <typename OpTy>
class YieldsUnchangedInputElements
    : public OpTrait::TraitBase<OpTy, YieldsUnchangedInputElements> {};

/// The trait of datasets that do not end before their first input does: if the
/// input never ends, neither does the dataset.
template <typename OpTy>
class NeverEndsBeforeInput
    : public OpTrait::TraitBase<OpTy, NeverEndsBeforeInput> {};

/// The trait of datasets that read each element of their inputs only once, even
/// if a run is resumed: a restore continues after the last element that was
/// read, and reads no earlier one again (ReadsElementsOnce in runtime/Input).
template <typename OpTy>
class ReadsElementsOnce : public OpTrait::TraitBase<OpTy, ReadsElementsOnce> {};

} // namespace mlir::ingot::trait

#endif // INGOT_DIALECTS_INGOT_IR_TRAITS_H
