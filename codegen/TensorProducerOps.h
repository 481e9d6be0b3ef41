//===- TensorProducerOps.h - Ops that compute tensors -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_CODEGEN_TENSORPRODUCEROPS_H
#define INGOT_CODEGEN_TENSORPRODUCEROPS_H

#include "mlir/IR/Value.h"

#include <set>

namespace ingot::codegen {

/// The ops that computed elements of some tensors, as numbers from
/// `numberAccesses`. Elements of function arguments and of constants have no
/// op. `isKnown` is false if an element's origin could not be found.
struct TensorProducerOps {
  std::set<int64_t> ops;
  bool isKnown = true;
};

/// Returns the ops that computed elements of any of `tensors`.
TensorProducerOps producersOfElements(mlir::ArrayRef<mlir::Value> tensors);

} // namespace ingot::codegen

#endif // INGOT_CODEGEN_TENSORPRODUCEROPS_H
