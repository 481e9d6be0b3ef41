//===- Volumes.h - Ops on volumes (3-D images), either layout ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Volumes, [batch, depth, height, width, channels], are reshaped to images in
// two ways: planes, [batch * depth, height, width, channels], and columns,
// [batch, depth, height * width, channels]. So ops on volumes become ours on
// images.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_VOLUMES_H
#define INGOT_COMPILER_IMPORT_VOLUMES_H

#include "compiler/Import/Body.h"

#include <array>

namespace ingot::importer {

/// A number for depth, height and width.
using Triple = std::array<int64_t, 3>;

/// The positions of a node's windows along a dimension.
struct WindowPlaces {
  int64_t count = 0;  // of windows
  int64_t before = 0; // elements of padding
  int64_t after = 0;
};

class VolumeNode {
public:
  /// Reads `data_format`, `padding`, `strides` and `dilations`, and rejects
  /// attributes other than these, `ksize` and types.
  explicit VolumeNode(NodeImport &node);
  explicit operator bool() const { return isGood && !node.hasFailed(); }

  /// Input `index` in channels-last layout; null after a problem, as when a
  /// size other than the batch is not static.
  mlir::Value volume(size_t index);
  /// The sizes in input `index`, a shape of volumes: dynamic or not for the
  /// batch, static for all others. Empty after a problem.
  llvm::SmallVector<int64_t> volumeShape(size_t index);
  /// The shape of images of the sizes `rest`, with `copies` of them for each
  /// volume of the batch that input `index`, a shape, states.
  mlir::Value imageShape(size_t index, int64_t copies,
                         llvm::ArrayRef<int64_t> rest);
  /// The node's output 0, from a volume in channels-last layout.
  void finish(mlir::Value volume);

  /// Depth, height and width of a list with a number per dimension, which is 1
  /// for batch and channels. Otherwise a problem.
  Triple readTriple(llvm::StringRef attribute);

  /// The windows of `size` elements on dimension `dim` (0: depth), of `input`
  /// elements. Nothing, with a problem, if none fits.
  std::optional<WindowPlaces> places(unsigned dim, int64_t input, int64_t size);

  /// A volume as planes or columns, and planes or columns as a volume.
  mlir::Value planes(mlir::Value volume);
  mlir::Value columns(mlir::Value volume);
  mlir::Value fromPlanes(mlir::Value planes, int64_t depth);
  mlir::Value fromColumns(mlir::Value columns, int64_t height, int64_t width);

  /// `value` with the sizes `dims`, of which one may be dynamic.
  mlir::Value reshaped(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value permuted(mlir::Value value, llvm::ArrayRef<int32_t> order);
  /// Elements `begin`, `begin` + `step` ... below `end` of dimension `dim`.
  mlir::Value slice(mlir::Value value, unsigned dim, int64_t begin, int64_t end,
                    int64_t step = 1);
  /// Pads dimension `dim` with zeros before and after.
  mlir::Value padded(mlir::Value value, unsigned dim, int64_t before,
                     int64_t after);
  /// Puts the elements along dimension `dim`, each `copies` times, `step` apart
  /// into zeros of `length`, the first at `first`; positions out of bounds are
  /// dropped. Null if nothing is left.
  mlir::Value spread(mlir::Value value, unsigned dim, int64_t step,
                     int64_t first, int64_t length, int64_t copies = 1);
  mlir::Value sum(llvm::ArrayRef<mlir::Value> values);
  mlir::Value vector(llvm::ArrayRef<int64_t> numbers);
  mlir::Value number(mlir::Type type, double value);
  /// The index of a dimension as an operand.
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

/// Sizes of a ranked tensor.
inline llvm::ArrayRef<int64_t> dimsOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VOLUMES_H
