//===- Multinomial.cpp - Samples classes by logits ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Random.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

/// Sets `sums` to the cumulative sums of a row's probabilities, up to a common
/// factor. Non-finite logits have probability 0.
template <typename T>
static void accumulate(const OpInput &input, size_t row,
                       std::vector<double> &sums) {
  auto logits = input.as<T>().subspan(row * sums.size(), sums.size());
  double largest = std::numeric_limits<double>::lowest();
  for (T logit : logits)
    if (double value = static_cast<double>(logit); std::isfinite(value))
      largest = std::max(largest, value);
  double sum = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (double value = static_cast<double>(logits[i]); std::isfinite(value))
      sum += std::exp(value - largest);
    sums[i] = sum;
  }
}

using Accumulate = void (*)(const OpInput &input, size_t row,
                            std::vector<double> &sums);

static Status drawClasses(OpKernelContext &op, const OpInput &logits,
                          Philox generator, Accumulate accumulate) {
  int64_t samples = op.input(1).integer(0);
  if (samples < 0)
    return op.invalid("the number of samples must not be negative, but is " +
                      std::to_string(samples));
  if (logits.dim(1) == 0 && logits.dim(0) > 0)
    return op.invalid(
        "logits must have at least one class to draw from, but have shape " +
        dimsText(logits.dims()));
  const int64_t dims[] = {logits.dim(0), samples};
  INGOT_ASSIGN_OR_RETURN(void *drawn, op.allocate(0, dims));
  bool isWide = op.outputType(0) == INGOT_INT64;
  PhiloxSamples numbers(generator);
  std::vector<double> sums(static_cast<size_t>(logits.dim(1)));
  size_t next = 0;
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    accumulate(logits, static_cast<size_t>(row), sums);
    for (int64_t i = 0; i < samples; ++i) {
      uint32_t upper = numbers.next();
      double wanted = uniformDouble(upper, numbers.next()) * sums.back();
      int64_t chosen =
          std::upper_bound(sums.begin(), sums.end(), wanted) - sums.begin();
      if (isWide)
        static_cast<int64_t *>(drawn)[next++] = chosen;
      else
        static_cast<int32_t *>(drawn)[next++] = static_cast<int32_t>(chosen);
    }
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(multinomial) {
  OpInput logits = op.input(0);
  INGOT_ASSIGN_OR_RETURN(Philox generator,
                         generatorOf(op, op.input(2), op.input(3)));
  Accumulate ofType = nullptr;
  INGOT_RETURN_IF_ERROR(visitNumbers(logits.dtype(), [&]<typename T>() {
    ofType = accumulate<T>;
    return Status::ok();
  }));
  return drawClasses(op, logits, generator, ofType);
}
