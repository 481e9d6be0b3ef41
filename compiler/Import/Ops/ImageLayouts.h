//===- ImageLayouts.h - Image ops in NHWC and NCHW layout -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The ingot dialect's image ops take images in NHWC layout. For a TensorFlow
// node with layout NCHW, images are transposed before and after the op, and the
// attributes of the node are permuted.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_IMAGELAYOUTS_H
#define INGOT_COMPILER_IMPORT_OPS_IMAGELAYOUTS_H

#include "compiler/Import/ControlFlow/BlockImport.h"

namespace ingot::importer {

/// Reads the inputs and attributes of a node on images as NHWC, whichever
/// layout the node has.
class NHWCNodeReader {
public:
  /// Reads `data_format`, and rejects a node that has attributes besides
  /// `known`, `T`, `data_format` and `use_cudnn_on_gpu`.
  NHWCNodeReader(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

  /// Returns input `index`, a tensor of images, as NHWC. Returns null after a
  /// problem.
  mlir::Value image(size_t index);
  /// Returns input `index`, the shape vector of images, with its elements in
  /// the order NHWC. Returns null after a problem.
  mlir::Value imageShape(size_t index);
  /// Sets output `port` to images in NHWC, transposed to the node's layout.
  void setImage(int port, mlir::Value value);

  /// Reads the height and width from an attribute with a number per dimension,
  /// such as `strides`. The numbers for batch and channels must be 1. An absent
  /// attribute means that all numbers are 1. Returns false after a problem.
  bool readPair(llvm::StringRef attribute,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Reads the height and width from input `input`, a constant vector with a
  /// number per dimension, of which those for batch and channels must be 1.
  /// Messages call the input `what`. Returns false after a problem.
  bool readPair(size_t input, llvm::StringRef what,
                llvm::SmallVectorImpl<int64_t> &pair);
  /// Appends attributes `strides`, `dilations` (if `dilates`), `padding` and
  /// `explicit_paddings` of the ingot op. Returns false after a problem.
  bool readWindow(bool dilates,
                  llvm::SmallVectorImpl<mlir::NamedAttribute> &attributes);
  /// Appends attributes `padding` and `explicit_paddings` of the ingot op.
  /// Returns false after a problem.
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

/// Checks that a node has no attributes besides `known`. If it has others,
/// records a problem and returns false.
bool knowsAttributes(NodeImport &node, llvm::ArrayRef<llvm::StringRef> known);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_IMAGELAYOUTS_H
