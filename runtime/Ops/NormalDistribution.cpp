//===- NormalDistribution.cpp - Normally distributed random numbers -------===//
// SPDX-License-Identifier: Apache-2.0
//
// Normally distributed random numbers, by the Box-Muller transform with the C
// library's functions as in TensorFlow, so that the results are the same bit by
// bit.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Random.h"

#include <cmath>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// Random numbers are drawn in groups of `count` numbers of type `Type`.
/// Results of 16-bit types are drawn as floats.
template <typename T> struct SampleGroupTraits {
  using Type = float;
  static constexpr size_t count = 4;
};
template <> struct SampleGroupTraits<double> {
  using Type = double;
  static constexpr size_t count = 2;
};

template <typename T>
using Group = std::array<typename SampleGroupTraits<T>::Type,
                         SampleGroupTraits<T>::count>;

} // namespace

static void convert(float from, float &to) { to = from; }
static void convert(double from, double &to) { to = from; }
static void convert(float from, Half &to) { to.bits = floatToHalf(from); }
static void convert(float from, Bfloat16 &to) {
  to.bits = floatToBfloat16(from);
}

/// Draws the group of random numbers with the index `group`, from the Philox
/// block with the same index.
static void drawNormal(Philox generator, uint64_t group,
                       std::array<float, 4> &numbers) {
  generator.skip(group);
  Philox::Block bits = generator.next();
  auto [a, b] = boxMuller(bits[0], bits[1]);
  auto [c, d] = boxMuller(bits[2], bits[3]);
  numbers = {a, b, c, d};
}

static void drawNormal(Philox generator, uint64_t group,
                       std::array<double, 2> &numbers) {
  generator.skip(group);
  Philox::Block bits = generator.next();
  numbers = boxMuller(bits[0], bits[1], bits[2], bits[3]);
}

static std::array<float, 2> nextPair(PhiloxSamples &samples, float) {
  uint32_t x0 = samples.next();
  return boxMuller(x0, samples.next());
}

static std::array<double, 2> nextPair(PhiloxSamples &samples, double) {
  uint32_t x0 = samples.next(), x1 = samples.next(), x2 = samples.next();
  return boxMuller(x0, x1, x2, samples.next());
}

/// Draws a group of normal numbers in (-2, 2), by rejecting all others. The
/// number of Philox blocks that this takes is not known in advance. So
/// TensorFlow reserves 256 numbers of the generator for each result of a group,
/// and the next group starts after these.
template <typename T, size_t N>
static void drawTruncated(Philox generator, uint64_t group,
                          std::array<T, N> &numbers) {
  generator.skip(group * (N * 256 / 4));
  PhiloxSamples samples(generator);
  for (size_t found = 0; found < N;)
    for (T number : nextPair(samples, T()))
      if (std::abs(number) < T(2) && found < N)
        numbers[found++] = number;
}

namespace {

/// The arguments of drawGroups(), which several threads run on different
/// groups.
template <typename T> struct NormalSamplingArguments {
  Philox generator;
  std::span<T> numbers;
  bool truncated;
};

} // namespace

constexpr int64_t groupsAtOnce = 1024;

template <typename T>
static void drawGroups(void *const *arguments, int64_t begin, int64_t end) {
  const auto &work =
      *static_cast<const NormalSamplingArguments<T> *>(arguments[0]);
  constexpr size_t count = SampleGroupTraits<T>::count;
  size_t groups = (work.numbers.size() + count - 1) / count;
  size_t last = std::min<size_t>(groups, end * groupsAtOnce);
  for (size_t group = begin * groupsAtOnce; group < last; ++group) {
    Group<T> numbers;
    if (work.truncated)
      drawTruncated(work.generator, group, numbers);
    else
      drawNormal(work.generator, group, numbers);
    size_t first = group * count;
    for (size_t i = 0; i < count && first + i < work.numbers.size(); ++i)
      convert(numbers[i], work.numbers[first + i]);
  }
}

template <typename T>
static Status drawTensor(OpKernelContext &op, Philox generator,
                         bool truncated) {
  std::vector<int64_t> dims = op.input(0).integers();
  for (int64_t dim : dims)
    if (dim < 0)
      return op.invalid("shape " + dimsText(dims) +
                        " has a negative dimension");
  INGOT_ASSIGN_OR_RETURN(auto numbers, op.output<T>(0, dims));
  NormalSamplingArguments<T> work{generator, numbers, truncated};
  void *arguments[] = {&work};
  auto chunk = static_cast<int64_t>(SampleGroupTraits<T>::count) * groupsAtOnce;
  auto size = static_cast<int64_t>(numbers.size());
  ingot_rt_parallel(&op.context(), drawGroups<T>, (size + chunk - 1) / chunk,
                    arguments);
  return Status::ok();
}

static Status draw(OpKernelContext &op, bool truncated) {
  INGOT_ASSIGN_OR_RETURN(Philox generator,
                         generatorOf(op, op.input(1), op.input(2)));
  switch (op.outputType(0)) {
  case INGOT_FLOAT:
    return drawTensor<float>(op, generator, truncated);
  case INGOT_DOUBLE:
    return drawTensor<double>(op, generator, truncated);
  case INGOT_HALF:
    return drawTensor<Half>(op, generator, truncated);
  case INGOT_BFLOAT16:
    return drawTensor<Bfloat16>(op, generator, truncated);
  default:
    return unsupportedType(op.outputType(0));
  }
}

INGOT_RUNTIME_OP(stateless_random_normal) { return draw(op, false); }

INGOT_RUNTIME_OP(stateless_truncated_normal) { return draw(op, true); }
