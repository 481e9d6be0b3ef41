//===- GroupedConvolutions.h - Grouped convolutions -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A Conv2D is a grouped convolution if its filter has fewer input channels than
// the images: each group of image channels has filters of its own. The
// gradients of such a Conv2D are grouped, too.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_GROUPEDCONVOLUTIONS_H
#define INGOT_COMPILER_IMPORT_OPS_GROUPEDCONVOLUTIONS_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

/// Returns the number of groups of a convolution of images of shape [batch,
/// height, width, channels]. The number follows from the input channels of
/// images and filter, and from the filter's output channels. Returns 1 if the
/// channels of the images or of the filter are dynamic, and std::nullopt, with
/// a recorded problem, if they are incompatible.
std::optional<int64_t> countGroups(NodeImport &node, int64_t imageChannels,
                                   int64_t filterChannels,
                                   int64_t outputChannels);

/// Returns element `at` of the vector `sizes`, or ShapedType::kDynamic if this
/// element is not a constant.
int64_t knownSize(mlir::Value sizes, unsigned at);
/// Returns the static size of dimension `at` of a tensor, or
/// ShapedType::kDynamic if the size or the rank is dynamic.
int64_t knownDim(mlir::Value tensor, unsigned at);

/// Splits a tensor of four dimensions into `count` equal slices along the last
/// one, one slice per group. Returns an empty vector after a problem.
llvm::SmallVector<mlir::Value> splitChannels(NodeImport &node,
                                             mlir::Value value, int64_t count);
/// Concatenates the tensors of all groups along dimension 3, the channels.
/// Returns null after a problem.
mlir::Value joinChannels(NodeImport &node, llvm::ArrayRef<mlir::Value> pieces);
/// Returns `sizes`, a vector of four sizes, with its last element replaced by
/// `last`. Returns null after a problem.
mlir::Value withLastSize(NodeImport &node, mlir::Value sizes, int64_t last);

/// Returns the first three of the sizes in `sizes`, and the product of the
/// others.
mlir::Value withMergedLastSizes(NodeImport &node, mlir::Value sizes);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_GROUPEDCONVOLUTIONS_H
