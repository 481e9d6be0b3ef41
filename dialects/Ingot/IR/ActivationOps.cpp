//===- ActivationOps.cpp - Activations and their gradients ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ActivationOps.h"

#include "dialects/Ingot/IR/Elementwise.h"
#include "dialects/Ingot/IR/OpFamilies.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotActivationOps.cpp.inc"

void mlir::ingot::addActivationOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotActivationOps.cpp.inc"
      >();
}
