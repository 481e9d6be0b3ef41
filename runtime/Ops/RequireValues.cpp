//===- RequireValues.cpp - Numbers that cannot be computed with -----------===//
//
// Compiled code never traps: what it computes of such numbers is not used.
// Messages are those of TensorFlow's kernels on a CPU.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Op.h"
#include "runtime/Ops/Visit.h"

#include <algorithm>
#include <iterator>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// What holds of numbers of a kind, and what is said where it does not.
struct NumberKind {
  std::string_view name, message;
  bool (*holds)(double number);
};

constexpr NumberKind kinds[] = {
#define INGOT_NUMBER_KIND(name, condition, message)                            \
  {#name, message, [](double number) { return condition; }},
#include "runtime/ABI/NumberKinds.def"
};

} // namespace

/// Divisors, exponents and rates, and the shape of what is computed with them.
INGOT_RUNTIME_OP(require_numbers) {
  if (op.numInputs() > 1)
    for (int64_t dim : op.input(1).integers())
      if (dim == 0)
        return Status::ok();
  std::string_view name = op.text("kind");
  const auto *kind =
      std::find_if(std::begin(kinds), std::end(kinds),
                   [&](const NumberKind &other) { return other.name == name; });
  if (kind == std::end(kinds))
    return op.invalid("numbers of no kind");
  return visitNumbers(op.input(0).dtype(), [&]<typename T>() -> Status {
    for (T number : op.input(0).as<T>())
      if (!kind->holds(static_cast<double>(number)))
        return op.invalid(std::string(kind->message));
    return Status::ok();
  });
}

static std::string listed(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return "{" + text + "}";
}

static Status checkPermutation(Op &op, const std::vector<int64_t> &numbers) {
  bool isInverted = op.text("kind") == "inverted";
  auto size = static_cast<int64_t>(numbers.size());
  std::vector<bool> isSeen(numbers.size());
  for (int64_t number : numbers) {
    int64_t place = number + (number < 0 && !isInverted ? size : 0);
    if (place < 0 || place >= size)
      return op.invalid(
          isInverted ? std::to_string(number) + " is not between 0 and " +
                           std::to_string(size)
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

static Status checkSegments(Op &op, const std::vector<int64_t> &numbers) {
  int64_t last = 0;
  for (int64_t number : numbers) {
    if (number < 0)
      return op.invalid("segment ids must be >= 0");
    if (number < last)
      return op.invalid("segment ids are not increasing");
    last = number;
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(require_order) {
  std::vector<int64_t> numbers = op.input(0).integers();
  std::string_view kind = op.text("kind");
  if (kind == "segments")
    return checkSegments(op, numbers);
  return checkPermutation(op, numbers);
}
