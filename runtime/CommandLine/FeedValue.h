//===- FeedValue.h - A tensor given on the command line ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDVALUE_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDVALUE_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Session/AlignedBuffer.h"
#include "runtime/Support/FileSystem.h"

#include <deque>
#include <string>
#include <vector>

namespace ingot {

/// One feed: its shape and its memory.
class FeedValue {
public:
  /// Reads `text`: a scalar as it is, other tensors as nested lists of the
  /// tensor's very shape, "[[1,2],[3,4]]"; where `spec` leaves a dimension
  /// open, the first list says how long it is. Strings in lists may stand in
  /// double quotes, where \" and \\ mean themselves.
  Status parse(const std::string &text, const ingot_tensor_spec &spec);

  /// Reads a .npy file of the type of `spec` and a shape that it allows, or one
  /// in an archive: "F.npz:NAME"; "F.npz" has it under the feed's own name.
  /// `dynamicBatch`: the first dimension may be any.
  Status read(FileSystem &fileSystem, const std::string &path,
              ingot_tensor_spec spec, bool dynamicBatch = false);

  /// Takes zeroed memory for a tensor of `found`'s dimensions where `spec`
  /// leaves them open, and of its own elsewhere.
  Status allocateLike(const ingot_tensor_spec &spec,
                      const std::vector<int64_t> &found);

  void *data() const { return buffer.data(); }
  /// The value for the entry; refers to this object.
  ingot_tensor tensor();

private:
  /// Takes `shape` over, and zeroed memory for it.
  Status allocate(const ingot_tensor_spec &spec, std::vector<int64_t> shape);
  /// `spec` with the shape that this value has.
  ingot_tensor_spec described(const ingot_tensor_spec &spec) const;

  AlignedBuffer buffer;
  std::vector<int64_t> dims;
  int32_t dtype = 0;
  std::deque<std::string> strings; // that the elements point to
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDVALUE_H
