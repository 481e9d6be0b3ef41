//===- FeedValue.h - Parses the value of a feed -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDVALUE_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDVALUE_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Support/FileSystem.h"

#include <deque>
#include <string>
#include <vector>

namespace ingot {

/// The value of one feed, with its shape and memory.
class FeedValue {
public:
  /// Parses `text`: a single value for a scalar, and nested lists such as
  /// "[[1,2],[3,4]]" for other tensors. The lengths of the lists must match the
  /// shape of `spec`; the first list at each depth determines the size of a
  /// dynamic dimension. Strings in lists may have double quotes, with the
  /// escapes \" and \\.
  Status parse(const std::string &text, const ingot_tensor_spec &spec);

  /// Reads a .npy file, or an array of an archive: "F.npz:NAME", or "F.npz" for
  /// the array with the feed's name. The array's type and shape must match
  /// `spec`; if `dynamicBatch`, the first dimension may have any size.
  Status read(FileSystem &fileSystem, const std::string &path,
              ingot_tensor_spec spec, bool dynamicBatch = false);

  /// Allocates zeroed memory for a tensor with the shape of `spec`, whose
  /// dynamic dimensions have the sizes in `found`.
  Status allocateLike(const ingot_tensor_spec &spec,
                      const std::vector<int64_t> &found);

  void *data() const { return buffer.data(); }
  /// Returns the value as an ingot_tensor, which compiled code takes. It refers
  /// to this object's memory.
  ingot_tensor tensor();

private:
  /// Sets the shape to `shape` and allocates zeroed memory for it.
  Status allocate(const ingot_tensor_spec &spec, std::vector<int64_t> shape);
  /// Returns `spec` with the shape of this value.
  ingot_tensor_spec described(const ingot_tensor_spec &spec) const;

  AlignedBuffer buffer;
  std::vector<int64_t> dims;
  int32_t dtype = 0;
  std::deque<std::string> strings; // memory of string elements
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDS_FEEDVALUE_H
