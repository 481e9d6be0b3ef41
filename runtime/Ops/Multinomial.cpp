//===- Multinomial.cpp - Classes drawn by their log-probabilities ---------===//

#include "runtime/Ops/Random.h"
#include "runtime/Ops/Visit.h"

#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::ops;

/// The running sums of a row's probabilities, up to a factor; what is not
/// finite has none.
template <typename T>
static void accumulate(std::span<const T> logits, std::vector<double> &sums) {
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

template <typename T, typename ClassT>
static Status drawClasses(Op &op, const Input &logits, Philox generator) {
  int64_t samples = op.input(1).integer(0);
  if (samples < 0)
    return op.invalid("the number of samples is " + std::to_string(samples));
  if (logits.dim(1) == 0 && logits.dim(0) > 0)
    return op.invalid("there are no classes to draw from");
  INGOT_ASSIGN_OR_RETURN(auto drawn,
                         op.output<ClassT>(0, {logits.dim(0), samples}));
  PhiloxSamples numbers(generator);
  auto classes = static_cast<size_t>(logits.dim(1));
  std::vector<double> sums(classes);
  auto next = drawn.begin();
  for (int64_t row = 0; row < logits.dim(0); ++row) {
    accumulate(
        logits.as<T>().subspan(static_cast<size_t>(row) * classes, classes),
        sums);
    for (int64_t i = 0; i < samples; ++i) {
      uint32_t upper = numbers.next();
      double wanted = uniformDouble(upper, numbers.next()) * sums.back();
      *next++ = static_cast<ClassT>(
          std::upper_bound(sums.begin(), sums.end(), wanted) - sums.begin());
    }
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(multinomial) {
  Input logits = op.input(0);
  INGOT_ASSIGN_OR_RETURN(Philox generator,
                         generatorOf(op, op.input(2), op.input(3)));
  return visitNumbers(logits.dtype(), [&]<typename T>() {
    return op.outputType(0) == INGOT_INT32
               ? drawClasses<T, int32_t>(op, logits, generator)
               : drawClasses<T, int64_t>(op, logits, generator);
  });
}
