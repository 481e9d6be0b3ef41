//===- Passes.h - Layouts of the operands of GEMMs --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes that choose layouts of the operands of GEMMs and convolutions for a
// target.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_LAYOUT_PASSES_H
#define INGOT_CODEGEN_LAYOUT_PASSES_H

#include "codegen/Statistics/PassStatistic.h"
#include "codegen/TargetPolicyOption.h"
#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace ingot::layout {

#define GEN_PASS_DECL
#include "codegen/Layout/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "codegen/Layout/Passes.h.inc"

/// Adds the passes that `policy` enables, in order.
void buildLayoutPipeline(mlir::OpPassManager &manager,
                         const TargetPolicy &policy);

} // namespace ingot::layout

#endif // INGOT_CODEGEN_LAYOUT_PASSES_H
