//===- FourierOps.h - Discrete Fourier transforms ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_DIALECTS_INGOT_IR_FOURIEROPS_H
#define INGOT_DIALECTS_INGOT_IR_FOURIEROPS_H

#include "dialects/Ingot/IR/IngotDialect.h"

namespace mlir::ingot {

/// Infers the result of a transform of complex numbers along the last `rank`
/// dimensions.
LogicalResult inferFourier(std::optional<Location> loc, Value input,
                           int64_t rank, SmallVectorImpl<Type> &types);

/// Infers the result of a transform from real numbers to the first half of
/// their spectrum, or back.
LogicalResult inferRealFourier(std::optional<Location> loc, Value input,
                               Value lengths, int64_t rank, bool toSpectrum,
                               SmallVectorImpl<Type> &types);

} // namespace mlir::ingot

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotFourierOps.h.inc"

#endif // INGOT_DIALECTS_INGOT_IR_FOURIEROPS_H
