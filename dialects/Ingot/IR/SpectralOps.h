//===- SpectralOps.h - Eigenvalues and singular values ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_SPECTRALOPS_H
#define INGOT_DIALECTS_INGOT_IR_SPECTRALOPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotSpectralOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_SPECTRALOPS_H
