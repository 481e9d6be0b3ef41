//===- Passes.h - Math functions as arithmetic ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that replace math functions by arithmetic, and arithmetic on 16-bit
// floats by arithmetic on f32.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_MATH_PASSES_H
#define INGOT_CODEGEN_MATH_PASSES_H

#include "codegen/Statistics/PassStatistic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace ingot::mathlib {

#define GEN_PASS_DECL
#include "codegen/Math/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/Math/Passes.h.inc"

} // namespace ingot::mathlib

#endif // INGOT_CODEGEN_MATH_PASSES_H
