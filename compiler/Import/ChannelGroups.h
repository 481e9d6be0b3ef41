//===- ChannelGroups.h - Convolutions in groups of channels -----*- C++ -*-===//
//
// A Conv2D whose filter has fewer input channels than the images convolves
// groups of channels on their own; so do its gradients.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CHANNELGROUPS_H
#define INGOT_COMPILER_IMPORT_CHANNELGROUPS_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// How many groups images of shape [batch, height, width, channels] and a
/// filter make, given the numbers of their input channels and that of output
/// channels; 1 where one is not known. Nothing, with the problem recorded,
/// where they do not go together.
std::optional<int64_t> countGroups(NodeImport &node, int64_t imageChannels,
                                   int64_t filterChannels,
                                   int64_t outputChannels);

/// Element `at` of a vector of sizes, as far as it is known.
int64_t knownSize(mlir::Value sizes, unsigned at);
/// The size of dimension `at` of a tensor, likewise.
int64_t knownDim(mlir::Value tensor, unsigned at);

/// The pieces of each of `count` groups along the last of four dimensions;
/// fewer after a problem.
llvm::SmallVector<mlir::Value> splitChannels(NodeImport &node,
                                             mlir::Value value, int64_t count);
/// Puts them together again; null after a problem.
mlir::Value joinChannels(NodeImport &node, llvm::ArrayRef<mlir::Value> pieces);
/// A vector of four sizes with another last one.
mlir::Value withLastSize(NodeImport &node, mlir::Value sizes, int64_t last);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CHANNELGROUPS_H
