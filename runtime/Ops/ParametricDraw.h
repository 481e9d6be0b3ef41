//===- ParametricDraw.h - Numbers for each parameter ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Ops that draw a tensor of samples for each element of their parameter
// tensors, as RandomGamma does for `alpha`. A sample uses a number of uniform
// numbers that is not known in advance, so each sample has its own range of the
// generator's sequence, as in TensorFlow. The results therefore do not depend
// on how samples are distributed among threads.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_OPS_PARAMETRICDRAW_H
#define INGOT_RUNTIME_OPS_PARAMETRICDRAW_H

#include "runtime/Ops/Random.h"

namespace ingot::ops {

/// Draws uniform doubles in [0, 1) from a generator. Each block of the
/// generator yields two of them, the second one first, as in TensorFlow.
class UniformDoubleGenerator {
public:
  explicit UniformDoubleGenerator(Philox &generator) : generator(generator) {}

  double next() {
    if (left == 0) {
      Philox::Block bits = generator.next();
      numbers = {uniformDouble(bits[0], bits[1]),
                 uniformDouble(bits[2], bits[3])};
      left = 2;
    }
    return numbers[--left];
  }

private:
  Philox &generator;
  std::array<double, 2> numbers{};
  size_t left = 0;
};

/// Draws one number for a parameter. `most` is the largest number of the
/// result's type.
using DrawNumber = double (*)(double parameter, double most, Philox generator);

/// Runs an op that draws several samples for each parameter. Inputs: the shape
/// of the samples of one parameter, the parameters, and a generator's key and
/// counter.
Status drawOfEach(OpKernelContext &op, DrawNumber draw);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_PARAMETRICDRAW_H
