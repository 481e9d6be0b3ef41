//===- NumberSymbols.cpp - Numbers variables, iterators and savers --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/Passes.h"

#include "dialects/Ingot/SymbolNumbers.h"

namespace ingot::lower {
#define GEN_PASS_DEF_NUMBERSYMBOLSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

namespace {
struct NumberSymbols
    : ::ingot::lower::impl::NumberSymbolsPassBase<NumberSymbols> {
  void runOnOperation() override { mlir::ingot::numberSymbols(getOperation()); }
};
} // namespace
