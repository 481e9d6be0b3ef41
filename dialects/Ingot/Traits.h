//===- Traits.h - Traits of ops for passes ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes ask for traits and keep no lists of ops: a new op says for itself how
// it is fused and where it runs.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_INGOT_TRAITS_H
#define INGOT_DIALECTS_INGOT_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace mlir::ingot::trait {

/// Every element of a result depends on the one element of each operand that
/// TensorFlow's broadcasting aligns with it. Such ops are fused.
template <typename OpTy>
class Elementwise : public OpTrait::TraitBase<OpTy, Elementwise> {};

/// Result i takes over the storage of operand i: an optimizer's variables.
template <typename OpTy>
class TiesOperands : public OpTrait::TraitBase<OpTy, TiesOperands> {};

/// Runs in the runtime, as the function `ingot_op_<mnemonic>` of runtime/Ops:
/// for ops without a loop nest (strings, tables, sets, parsing). Operands and
/// results are tensors; attributes reach the function by their names here.
template <typename OpTy>
class RunsInRuntime : public OpTrait::TraitBase<OpTy, RunsInRuntime> {};

/// A dataset whose elements are unchanged elements of its first input.
template <typename OpTy>
class KeepsElements : public OpTrait::TraitBase<OpTy, KeepsElements> {};

/// A dataset that ends no sooner than its first input: without an end where
/// that has none.
template <typename OpTy>
class EndsWithInput : public OpTrait::TraitBase<OpTy, EndsWithInput> {};

/// A dataset that takes each element of its inputs once, also where a run goes
/// on: it keeps none whose contents would be made again (runtime/Input's
/// ReadsOnce).
template <typename OpTy>
class ReadsOnce : public OpTrait::TraitBase<OpTy, ReadsOnce> {};

} // namespace mlir::ingot::trait

#endif // INGOT_DIALECTS_INGOT_TRAITS_H
