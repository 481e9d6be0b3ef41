//===- Regions.h - Regions as functions of the graph ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_STABLEHLO_REGIONS_H
#define INGOT_COMPILER_STABLEHLO_REGIONS_H

#include "compiler/StableHLO/Translation.h"
#include "llvm/ADT/STLExtras.h"

namespace ingot::stablehlo {

std::vector<TensorType> typesOf(llvm::ArrayRef<Tensor> tensors);

/// An attribute that lists the shapes of types.
proto::AttrValue shapesOf(llvm::ArrayRef<TensorType> types);

/// Returns the values around an op that its regions use, `names` in the
/// function; std::nullopt if one does not exist.
std::optional<Tensors> captured(Translation &t, llvm::ArrayRef<unsigned> names);

/// Returns the values within a region, whose function has been given
/// `arguments` for the block's arguments and for the captured values.
Translation::Values valuesOf(const Block &block, llvm::ArrayRef<unsigned> names,
                             llvm::ArrayRef<Tensor> arguments);

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_REGIONS_H
