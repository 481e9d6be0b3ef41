//===- ShapeMismatch.cpp - Reports sizes that do not match ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled code compares sizes, and calls this op only after it found a
// difference.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

// Fails always. The message is the op's attribute `text`, in which each "{}" is
// replaced by the next number of input 0.
INGOT_RUNTIME_OP(refuse) {
  std::vector<int64_t> numbers;
  if (op.numInputs() != 0)
    numbers = op.input(0).integers();
  std::string message;
  std::string_view text = op.text("text");
  for (int64_t number : numbers) {
    size_t place = std::min(text.find("{}"), text.size());
    message += text.substr(0, place);
    message += std::to_string(number);
    text.remove_prefix(std::min(place + 2, text.size()));
  }
  return op.invalid(message + std::string(text));
}
