//===- AssignResourceIndices.cpp - Indices of resources -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Passes.h"

#include "dialects/Ingot/IR/SymbolIndices.h"

namespace ingot::lower {
#define GEN_PASS_DEF_ASSIGNRESOURCEINDICESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

namespace {
struct AssignResourceIndices
    : ::ingot::lower::impl::AssignResourceIndicesPassBase<
          AssignResourceIndices> {
  void runOnOperation() override {
    mlir::ingot::assignSymbolIndices(getOperation());
  }
};
} // namespace
