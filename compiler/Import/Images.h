//===- Images.h - Image ops in either layout --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Our image ops take images as NHWC. For a node with layout NCHW, images are
// transposed before and after the op, and the node's attributes are permuted.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_IMAGES_H
#define INGOT_COMPILER_IMPORT_IMAGES_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

/// An image node of either layout: reads its inputs and attributes as NHWC.
class ImageNode {
public:
  /// Reads `data_format`, and rejects attributes other than `known`.
  ImageNode(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

  /// Returns input `index` as NHWC; null after a problem.
  mlir::Value image(size_t index);
  /// Returns input `index`, a shape vector of images, with its elements in the
  /// order NHWC; null after a problem.
  mlir::Value imageShape(size_t index);
  /// Sets output `port` to images in NHWC, transposed to the node's layout.
  void setImage(int port, mlir::Value value);

  /// Reads the height and width of an attribute with a number per dimension,
  /// which must be 1 for batch and channels. An absent attribute is all ones.
  /// Returns false after a problem.
  bool readPair(llvm::StringRef attribute,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Reads height and width in the same way from a constant input, which is
  /// called `what` in messages.
  bool readPair(size_t input, llvm::StringRef what,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Appends `strides`, `dilations` (if `dilates`), `padding` and
  /// `explicit_paddings`. Returns false after a problem.
  bool readWindow(bool dilates,
                  llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// Appends `padding` and `explicit_paddings`. Returns false after a problem.
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

/// Checks that the node has no attributes besides `known`; otherwise records a
/// problem and returns false.
bool knowsAttributes(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMAGES_H
