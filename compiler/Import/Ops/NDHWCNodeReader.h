//===- NDHWCNodeReader.h - Ops on volumes (3-D images) ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers that turn ops on volumes into ingot ops on images. A volume of shape
// [batch, depth, height, width, channels] is reshaped to images in two forms:
// planes, [batch * depth, height, width, channels], and columns, [batch, depth,
// height * width, channels].
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_NDHWCNODEREADER_H
#define INGOT_COMPILER_IMPORT_OPS_NDHWCNODEREADER_H

#include "compiler/Import/ControlFlow/BlockImport.h"

#include <array>

namespace ingot::importer {

/// Three numbers: for depth, height and width.
using Triple = std::array<int64_t, 3>;

/// The windows of a convolution or pool along one dimension of a volume.
struct NDHWCWindowDim {
  int64_t count = 0;  // number of windows
  int64_t before = 0; // zeros of padding before the elements
  int64_t after = 0;
};

/// Reads the inputs and attributes of a node on volumes as NDHWC (channels
/// last), whichever layout the node has.
class NDHWCNodeReader {
public:
  /// Reads `data_format`, `padding`, `strides` and `dilations`, and rejects
  /// attributes other than these, `ksize` and types.
  explicit NDHWCNodeReader(NodeImport &node);
  explicit operator bool() const { return isGood && !node.hasFailed(); }

  /// Returns input `index` as a volume with channels last. Returns null after a
  /// problem, for example if a size other than the batch is dynamic.
  mlir::Value volume(size_t index);
  /// Returns the sizes in input `index`, a shape vector of a volume, in the
  /// order with channels last. All sizes except the batch must be constant.
  /// Returns an empty vector after a problem.
  llvm::SmallVector<int64_t> volumeShape(size_t index);
  /// Returns a shape vector of images, the operand of a gradient op: [batch *
  /// copies, `rest`...]. The batch size comes from input `index`, the shape of
  /// volumes. `copies` is the number of images into which a volume is reshaped.
  mlir::Value imageShape(size_t index, int64_t copies,
                         llvm::ArrayRef<int64_t> rest);
  /// Sets output 0 of the node to `volume`, which has channels last, transposed
  /// to the node's layout.
  void finish(mlir::Value volume);

  /// Returns the numbers for depth, height and width of an attribute with a
  /// number per dimension. Records a problem if the number for the batch or the
  /// channels is not 1.
  Triple readTriple(llvm::StringRef attribute);

  /// Returns the number of windows of `size` elements and the padding along
  /// dimension `dim` (0 is depth, 1 height, 2 width), which has `input`
  /// elements. If no window fits, records a problem and returns std::nullopt.
  std::optional<NDHWCWindowDim> places(unsigned dim, int64_t input,
                                       int64_t size);

  /// 2-D convolutions and pools work on images, so the following functions
  /// reshape a volume to images and back. Planes are one image per depth,
  /// [batch * depth, height, width, channels]. Columns are one image per
  /// volume, [batch, depth, height * width, channels].
  mlir::Value planes(mlir::Value volume);
  mlir::Value columns(mlir::Value volume);
  mlir::Value fromPlanes(mlir::Value planes, int64_t depth);
  mlir::Value fromColumns(mlir::Value columns, int64_t height, int64_t width);

  /// Reshapes `value` to the sizes `dims`. One of them may be dynamic.
  mlir::Value reshaped(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value permuted(mlir::Value value, llvm::ArrayRef<int32_t> order);
  /// Returns the elements with indices `begin`, `begin` + `step`, ... below
  /// `end` along dimension `dim`.
  mlir::Value slice(mlir::Value value, unsigned dim, int64_t begin, int64_t end,
                    int64_t step = 1);
  /// Pads dimension `dim` with `before` zeros before and `after` zeros after
  /// its elements.
  mlir::Value padded(mlir::Value value, unsigned dim, int64_t before,
                     int64_t after);
  /// Spreads the elements of `value` along dimension `dim`, with zeros between
  /// them: the result has `length` elements along `dim`. The elements of
  /// `value` begin at index `first`, lie `step` apart, and are repeated
  /// `copies` times each. Drops elements out of bounds; returns null if none
  /// are left.
  mlir::Value spread(mlir::Value value, unsigned dim, int64_t step,
                     int64_t first, int64_t length, int64_t copies = 1);
  mlir::Value sum(llvm::ArrayRef<mlir::Value> values);
  mlir::Value vector(llvm::ArrayRef<int64_t> numbers);
  mlir::Value number(mlir::Type type, double value);
  /// Returns the index `dim` of a dimension as a constant operand.
  mlir::Value axis(int32_t dim);

  template <typename OpT>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return node.make<OpT>(operands, attributes);
  }
  mlir::NamedAttribute pair(llvm::StringRef name, int64_t first,
                            int64_t second);

  NodeImport &node;
  mlir::NamedAttribute padding;
  Triple strides = {}, dilations = {};

private:
  bool isGood = false, channelsFirst = false, isSame = false;
};

/// Returns the sizes of `value`, a tensor of known rank.
inline llvm::ArrayRef<int64_t> dimsOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_NDHWCNODEREADER_H
