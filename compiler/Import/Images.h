//===- Images.h - Ops on images, in either layout ---------------*- C++ -*-===//
//
// Our ops have channels last. Where a node has them first, images are
// transposed on their way in and out, and its attributes put in order.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_IMAGES_H
#define INGOT_COMPILER_IMPORT_IMAGES_H

#include "compiler/Import/Body.h"

namespace ingot::importer {

class ImageNode {
public:
  /// Reads `data_format`, and refuses attributes other than `known`.
  ImageNode(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

  /// Input `index` as images with channels last; null after a problem.
  mlir::Value image(size_t index);
  /// Input `index`, a vector that states the shape of images, likewise.
  mlir::Value imageShape(size_t index);
  /// The node's output, from images with channels last.
  void setImage(int port, mlir::Value value);

  /// Height and width of a list of one number a dimension, which is 1 for
  /// batch and channels. False after a problem. An absent list is of ones.
  bool readPair(llvm::StringRef attribute,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// The same of a constant input.
  bool readPair(size_t input, llvm::StringRef what,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Appends `strides`, `dilations` (if asked for), `padding` and
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

/// Whether the node has no attributes but these; a problem where not.
bool knowsAttributes(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMAGES_H
