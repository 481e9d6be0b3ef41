//===- Images.h - Image ops in either layout --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Our ops are NHWC. For an NCHW node, images are transposed on the way in and
// out, and its attributes are permuted.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_IMAGES_H
#define INGOT_COMPILER_IMPORT_IMAGES_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

class ImageNode {
public:
  /// Reads `data_format`, and rejects attributes other than `known`.
  ImageNode(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

  /// Input `index` in NHWC; null after a problem.
  mlir::Value image(size_t index);
  /// Input `index`, a shape vector of images, in the order NHWC; null after a
  /// problem.
  mlir::Value imageShape(size_t index);
  /// The node's output, from images in NHWC.
  void setImage(int port, mlir::Value value);

  /// Height and width of a list with a number per dimension, which is 1 for
  /// batch and channels. False after a problem. An absent list is all ones.
  bool readPair(llvm::StringRef attribute,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Likewise for a constant input.
  bool readPair(size_t input, llvm::StringRef what,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Appends `strides`, `dilations` (on request), `padding` and
  /// `explicit_paddings`.
  bool readWindow(bool dilates,
                  llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// Appends `padding` and `explicit_paddings`.
  bool readPadding(llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  mlir::NamedAttribute pair(llvm::StringRef name,
                            llvm::ArrayRef<int64_t> numbers);

private:
  bool pick(llvm::ArrayRef<int64_t> list, llvm::StringRef what,
            llvm::SmallVectorImpl<int64_t> &pair);
  mlir::Value transposed(mlir::Value value, bool toLast);

  NodeImport &node;
  bool channelsFirst = false;
  int64_t rank = 4;
};

/// Whether the node has only these attributes; otherwise a problem.
bool knowsAttributes(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMAGES_H
