//===- AssignSymbolIndices.cpp - Indices of variables, iterators, savers --===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Passes.h"

#include "dialects/Ingot/IR/SymbolIndices.h"

namespace ingot::lower {
#define GEN_PASS_DEF_ASSIGNSYMBOLINDICESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

namespace {
struct AssignSymbolIndices
    : ::ingot::lower::impl::AssignSymbolIndicesPassBase<AssignSymbolIndices> {
  void runOnOperation() override {
    mlir::ingot::assignSymbolIndices(getOperation());
  }
};
} // namespace
