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

/// Returns the number of groups in which a convolution applies a filter to
/// images of shape [batch, height, width, channels]. It follows from the input
/// channels of both and the filter's output channels; it is 1 if one of the
/// input channels is dynamic. Returns std::nullopt, with a recorded problem, if
/// the channels are incompatible.
std::optional<int64_t> countGroups(NodeImport &node, int64_t imageChannels,
                                   int64_t filterChannels,
                                   int64_t outputChannels);

/// Returns element `at` of a vector of sizes, or ShapedType::kDynamic if it is
/// not known.
int64_t knownSize(mlir::Value sizes, unsigned at);
/// Returns the size of dimension `at` of a tensor, or ShapedType::kDynamic if
/// it is not known.
int64_t knownDim(mlir::Value tensor, unsigned at);

/// Splits a tensor of four dimensions into `count` equal slices along the last
/// one, one slice per group. Returns an empty vector after a problem.
llvm::SmallVector<mlir::Value> splitChannels(NodeImport &node,
                                             mlir::Value value, int64_t count);
/// Concatenates the slices of all groups along the last of four dimensions;
/// returns null after a problem.
mlir::Value joinChannels(NodeImport &node, llvm::ArrayRef<mlir::Value> pieces);
/// Replaces the last element of `sizes`, a vector of four sizes, by `last`;
/// returns null after a problem.
mlir::Value withLastSize(NodeImport &node, mlir::Value sizes, int64_t last);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GROUPEDCONVOLUTIONS_H
