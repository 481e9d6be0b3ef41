//===- FeedValue.h - A tensor given on the command line ---------*- C++ -*-===//
#ifndef INGOT_RUNTIME_COMMANDLINE_FEEDVALUE_H
#define INGOT_RUNTIME_COMMANDLINE_FEEDVALUE_H

#include "runtime/ABI/Program.h"
#include "runtime/Session/AlignedBuffer.h"

#include <deque>
#include <string>

namespace ingot {

/// The memory of one feed.
class FeedValue {
public:
  /// Zeroed memory for a tensor of static shape.
  Status allocate(const ingot_tensor_spec &spec);
  void *data() const { return buffer.data(); }

  /// Reads `text` into the memory: a scalar as it is, other tensors as nested
  /// lists of the tensor's very shape, "[[1,2],[3,4]]". Strings in lists may
  /// stand in double quotes, where \" and \\ mean themselves.
  Status parse(const std::string &text, const ingot_tensor_spec &spec);

private:
  AlignedBuffer buffer;
  std::deque<std::string> strings; // that the elements point to
};

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_FEEDVALUE_H
