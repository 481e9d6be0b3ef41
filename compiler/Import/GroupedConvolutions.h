//===- GroupedConvolutions.h - Grouped convolutions -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A Conv2D whose filter has fewer input channels than the images is a grouped
// convolution; so are its gradients.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GROUPEDCONVOLUTIONS_H
#define INGOT_COMPILER_IMPORT_GROUPEDCONVOLUTIONS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// The number of groups of images of shape [batch, height, width, channels] and
/// a filter, given the numbers of their input channels and of output channels;
/// 1 if one is unknown. Nothing, with a problem, if they are incompatible.
std::optional<int64_t> countGroups(NodeImport &node, int64_t imageChannels,
                                   int64_t filterChannels,
                                   int64_t outputChannels);

/// Element `at` of a vector of sizes, if it is known.
int64_t knownSize(mlir::Value sizes, unsigned at);
/// The size of dimension `at` of a tensor, if it is known.
int64_t knownDim(mlir::Value tensor, unsigned at);

/// The slices of each of `count` groups along the last of four dimensions;
/// fewer after a problem.
llvm::SmallVector<mlir::Value> splitChannels(NodeImport &node,
                                             mlir::Value value, int64_t count);
/// Concatenates them again; null after a problem.
mlir::Value joinChannels(NodeImport &node, llvm::ArrayRef<mlir::Value> pieces);
/// A vector of four sizes with the last one replaced.
mlir::Value withLastSize(NodeImport &node, mlir::Value sizes, int64_t last);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GROUPEDCONVOLUTIONS_H
