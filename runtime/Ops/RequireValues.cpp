//===- RequireValues.cpp - Checks conditions on numbers -------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks the numbers that ops compute with, such as divisors, with the messages
// of TensorFlow's CPU kernels. Compiled code never traps on invalid numbers;
// after a failed check its results are not used.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"

#include <optional>

using namespace ingot;
using namespace ingot::ops;

/// Returns true if all numbers satisfy a condition. The loop has no branch, so
/// that the compiler vectorizes it.
template <typename T, typename Holds>
static bool allHold(std::span<const T> numbers, Holds holds) {
  bool all = true;
  for (T number : numbers)
    all &= holds(number);
  return all;
}

/// Checks the condition with the name `kind`. Returns TensorFlow's message if
/// some number violates it, null if all satisfy it, and std::nullopt if there
/// is no such kind.
template <typename T>
static std::optional<const char *> findWrong(std::string_view kind,
                                             std::span<const T> numbers) {
#define INGOT_NUMBER_KIND(name, condition, message)                            \
  if (kind == #name)                                                           \
    return allHold(numbers, [](T number) { return condition; }) ? nullptr      \
                                                                : message;
#include "runtime/ABI/NumberCheckKinds.def"
  return std::nullopt;
}

/// Fails with TensorFlow's message if a number violates the condition of
/// attribute `kind`. Inputs: the numbers, such as divisors, exponents or rates,
/// and optionally the shape of the results that are computed with them. If this
/// shape has no elements, any number is valid.
INGOT_RUNTIME_OP(require_numbers) {
  if (op.numInputs() > 1)
    for (int64_t dim : op.input(1).integers())
      if (dim == 0)
        return Status::ok();
  return visitNumbers(op.input(0).dtype(), [&]<typename T>() -> Status {
    std::optional<const char *> said =
        findWrong<T>(op.text("kind"), op.input(0).as<T>());
    if (!said)
      return op.invalid("unknown check '" + std::string(op.text("kind")) +
                        "': compile the graph with the version of Ingot that "
                        "the runtime has");
    return *said ? op.invalid(*said) : Status::ok();
  });
}

static std::string listed(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return "{" + text + "}";
}

static Status checkPermutation(OpKernelContext &op,
                               const std::vector<int64_t> &numbers) {
  bool isInverted = op.text("kind") == "inverted";
  auto size = static_cast<int64_t>(numbers.size());
  std::vector<bool> isSeen(numbers.size());
  for (int64_t number : numbers) {
    int64_t place = number + (number < 0 && !isInverted ? size : 0);
    if (place < 0 || place >= size)
      return op.invalid(
          isInverted
              ? std::to_string(number) + " is not between 0 and " +
                    std::to_string(size) + ": expected a number in [0, " +
                    std::to_string(size) + ")"
              : std::to_string(number) + " is out of range [0 .. " +
                    std::to_string(size) + ")");
    if (isSeen[static_cast<size_t>(place)] && isInverted)
      return op.invalid(std::to_string(number) +
                        " is duplicated in the input.");
    isSeen[static_cast<size_t>(place)] = true;
  }
  for (size_t i = 0; i < isSeen.size(); ++i)
    if (!isSeen[i])
      return op.invalid(std::to_string(i) + " is missing from " +
                        listed(numbers) + ".");
  return Status::ok();
}

// Checks that segment ids are not negative and ascend, and that the number of
// segments, the last id + 1, is representable.
static Status checkSegments(OpKernelContext &op,
                            const std::vector<int64_t> &numbers) {
  bool isSparse = op.text("kind") == "sparse_segments";
  if (isSparse && !numbers.empty() && numbers.back() >= INT32_MAX)
    return op.invalid("Last segment id must be < kintmax, got " +
                      std::to_string(numbers.back()) + " limit " +
                      std::to_string(INT32_MAX));
  int64_t last = 0;
  for (int64_t number : numbers) {
    if (number < 0)
      return op.invalid("segment ids must be >= 0, but one is " +
                        std::to_string(number));
    if (number < last)
      return op.invalid(
          "segment ids are not increasing: " + std::to_string(number) +
          " follows " + std::to_string(last));
    last = number;
  }
  if (last == INT64_MAX)
    return op.invalid("Expected a non-negative size, got " +
                      std::to_string(INT64_MIN) + ": the last segment id, " +
                      std::to_string(last) + ", plus 1 overflows");
  return Status::ok();
}

INGOT_RUNTIME_OP(require_order) {
  std::vector<int64_t> numbers = op.input(0).integers();
  std::string_view kind = op.text("kind");
  if (kind == "segments" || kind == "sparse_segments")
    return checkSegments(op, numbers);
  return checkPermutation(op, numbers);
}
