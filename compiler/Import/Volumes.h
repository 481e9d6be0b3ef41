//===- Volumes.h - Ops on volumes (3-D images), either layout ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Volumes, [batch, depth, height, width, channels], are reshaped to images in
// two ways: planes, [batch * depth, height, width, channels], and columns,
// [batch, depth, height * width, channels]. So ops on volumes become our ops on
// images.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_VOLUMES_H
#define INGOT_COMPILER_IMPORT_VOLUMES_H

#include "compiler/Import/Body.h"

#include <array>

namespace ingot::importer {

/// Three numbers: for depth, height and width.
using Triple = std::array<int64_t, 3>;

/// The positions of a node's windows along a dimension.
struct WindowPlaces {
  int64_t count = 0;  // number of windows
  int64_t before = 0; // elements of padding
  int64_t after = 0;
};

/// A node on volumes of either layout: reads its inputs and attributes with
/// channels last.
class VolumeNode {
public:
  /// Reads `data_format`, `padding`, `strides` and `dilations`, and rejects
  /// attributes other than these, `ksize` and types.
  explicit VolumeNode(NodeImport &node);
  explicit operator bool() const { return isGood && !node.hasFailed(); }

  /// Returns input `index` with channels last. Returns null after a problem,
  /// for example if a size other than the batch is dynamic.
  mlir::Value volume(size_t index);
  /// Returns the sizes in input `index`, a shape of volumes, with channels
  /// last. The batch may be dynamic, all other sizes are static. Returns an
  /// empty vector after a problem.
  llvm::SmallVector<int64_t> volumeShape(size_t index);
  /// Returns the shape of images of the sizes `rest`, of which there are
  /// `copies` for each volume of a batch. Input `index` is the shape of the
  /// volumes.
  mlir::Value imageShape(size_t index, int64_t copies,
                         llvm::ArrayRef<int64_t> rest);
  /// Sets output 0 of the node to a volume with channels last, transposed to
  /// the node's layout.
  void finish(mlir::Value volume);

  /// Returns depth, height and width of an attribute with a number per
  /// dimension. Records a problem if the numbers for batch and channels are not
  /// 1.
  Triple readTriple(llvm::StringRef attribute);

  /// Returns the positions of windows of `size` elements along dimension `dim`
  /// (0 is depth), which has `input` elements; std::nullopt, with a recorded
  /// problem, if no window fits.
  std::optional<WindowPlaces> places(unsigned dim, int64_t input, int64_t size);

  /// These reshape a volume to planes or columns, and planes or columns to a
  /// volume.
  mlir::Value planes(mlir::Value volume);
  mlir::Value columns(mlir::Value volume);
  mlir::Value fromPlanes(mlir::Value planes, int64_t depth);
  mlir::Value fromColumns(mlir::Value columns, int64_t height, int64_t width);

  /// Reshapes `value` to the sizes `dims`, of which one may be dynamic.
  mlir::Value reshaped(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  mlir::Value permuted(mlir::Value value, llvm::ArrayRef<int32_t> order);
  /// Returns elements `begin`, `begin` + `step` ... below `end` of dimension
  /// `dim`.
  mlir::Value slice(mlir::Value value, unsigned dim, int64_t begin, int64_t end,
                    int64_t step = 1);
  /// Pads dimension `dim` with zeros before and after.
  mlir::Value padded(mlir::Value value, unsigned dim, int64_t before,
                     int64_t after);
  /// Spreads the elements along dimension `dim`: places them `step` apart in a
  /// dimension of `length` zeros, the first one at `first`, each repeated
  /// `copies` times. Elements out of bounds are dropped. Returns null if none
  /// are left.
  mlir::Value spread(mlir::Value value, unsigned dim, int64_t step,
                     int64_t first, int64_t length, int64_t copies = 1);
  mlir::Value sum(llvm::ArrayRef<mlir::Value> values);
  mlir::Value vector(llvm::ArrayRef<int64_t> numbers);
  mlir::Value number(mlir::Type type, double value);
  /// Returns the index of a dimension as a constant operand.
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

/// Returns the sizes of a ranked tensor.
inline llvm::ArrayRef<int64_t> dimsOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_VOLUMES_H
