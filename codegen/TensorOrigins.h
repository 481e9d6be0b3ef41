//===- TensorOrigins.h - Ops that elements come from ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_TENSORORIGINS_H
#define INGOT_CODEGEN_TENSORORIGINS_H

#include "mlir/IR/Value.h"

#include <set>

namespace ingot::codegen {

/// The ops, by their numbers (numberAccesses), that computed elements of
/// tensors; arguments of a function and constants have none.
struct Origins {
  std::set<int64_t> ops;
  bool isKnown = true;
};

/// Those of all of `tensors`.
Origins originsOf(mlir::ArrayRef<mlir::Value> tensors);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_TENSORORIGINS_H
