//===- ParametricDraw.cpp - Numbers for each parameter --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ParametricDraw.h"

#include "runtime/Ops/ElementTypeDispatch.h"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

/// The number of Philox blocks that TensorFlow reserves for each result.
constexpr uint64_t blocksPerNumber = 256;

static void store(double from, float &to) { to = static_cast<float>(from); }
static void store(double from, double &to) { to = from; }
static void store(double from, Half &to) {
  to.bits = floatToHalf(static_cast<float>(from));
}
// Converts a result to an integer type. Integers have neither infinity nor NaN,
// so 0 is stored instead, as in TensorFlow.
template <typename T>
  requires std::is_integral_v<T>
static void store(double from, T &to) {
  to = std::isfinite(from) ? static_cast<T>(from) : T(0);
}

/// Returns the largest number of type T that a double can represent; a larger
/// int64 would be rounded up.
template <typename T> static double largest() {
  if constexpr (std::is_same_v<T, Half>)
    return 65504;
  else if constexpr (std::is_same_v<T, int64_t>)
    return 9223372036854774784.0;
  else
    return static_cast<double>(std::numeric_limits<T>::max());
}

namespace {

template <typename T> struct ParametricSamplingArguments {
  Philox generator;
  DrawNumber draw;
  const std::vector<double> &parameters;
  std::span<T> numbers;
};

} // namespace

constexpr int64_t numbersAtOnce = 256;

/// Draws the numbers with the indices [begin * numbersAtOnce, end *
/// numbersAtOnce). For each index, a draw reads Philox blocks of its own, so
/// any thread can draw any number. Indices count all samples of the first
/// parameter, then those of the second one, and so on. The result is stored
/// transposed: the dimensions of the samples come first, then those of the
/// parameters.
template <typename T>
static void drawNumbers(void *const *arguments, int64_t begin, int64_t end) {
  const auto &work =
      *static_cast<const ParametricSamplingArguments<T> *>(arguments[0]);
  size_t count = work.numbers.size(), parameters = work.parameters.size();
  size_t samples = count / parameters;
  size_t last = std::min<size_t>(count, end * numbersAtOnce);
  for (size_t i = begin * numbersAtOnce; i < last; ++i) {
    Philox generator = work.generator;
    generator.skip(blocksPerNumber * i);
    size_t parameter = i / samples, sample = i % samples;
    store(work.draw(work.parameters[parameter], largest<T>(), generator),
          work.numbers[sample * parameters + parameter]);
  }
}

Status ingot::ops::drawOfEach(OpKernelContext &op, DrawNumber draw) {
  INGOT_ASSIGN_OR_RETURN(Philox generator,
                         generatorOf(op, op.input(2), op.input(3)));
  std::vector<int64_t> dims = op.input(0).integers();
  for (int64_t dim : dims)
    if (dim < 0)
      return op.invalid("shape " + dimsText(dims) +
                        " has a negative dimension");
  OpInput input = op.input(1);
  dims.insert(dims.end(), input.dims().begin(), input.dims().end());
  std::vector<double> parameters;
  INGOT_RETURN_IF_ERROR(visitNumbers(input.dtype(), [&]<typename T>() {
    for (T parameter : input.as<T>())
      parameters.push_back(static_cast<double>(parameter));
    return Status::ok();
  }));
  return visitNumbers(op.outputType(0), [&]<typename T>() -> Status {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Half> ||
                  std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>) {
      INGOT_ASSIGN_OR_RETURN(auto numbers, op.output<T>(0, dims));
      ParametricSamplingArguments<T> work{generator, draw, parameters, numbers};
      void *arguments[] = {&work};
      auto size = static_cast<int64_t>(numbers.size());
      if (size > 0)
        ingot_rt_parallel(&op.context(), drawNumbers<T>,
                          (size + numbersAtOnce - 1) / numbersAtOnce,
                          arguments);
      return Status::ok();
    } else {
      return unsupportedType(op.outputType(0));
    }
  });
}
