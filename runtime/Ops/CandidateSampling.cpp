//===- CandidateSampling.cpp - Candidate sampling of classes --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Random.h"

#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// Draws classes in [0, range), as TensorFlow's uniform, log-uniform or "all"
/// candidate sampler does. The last one draws each class once.
class CandidateSampler {
public:
  CandidateSampler(Philox generator, int64_t range,
                   std::string_view distribution)
      : numbers(generator), range(range), isLog(distribution == "log_uniform"),
        isAll(distribution == "all"),
        logRange(std::log1p(static_cast<double>(range))) {}

  int64_t draw() {
    return isAll ? nextClass++ : isLog ? drawLog() : drawUniform();
  }

  /// Returns the expected number of occurrences of the class `value` among
  /// `count` sampled classes. Sampling them took `tries` draws, which is more
  /// than `count` if the sampled classes have to be unique.
  float expectedCount(int64_t value, int64_t count, int64_t tries) const {
    if (isAll)
      return 1;
    float p = probability(value);
    if (tries == count)
      return p * static_cast<float>(count);
    return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
  }

private:
  float probability(int64_t value) const {
    if (!isLog)
      return 1.0f / static_cast<float>(range);
    double at = static_cast<double>(value);
    return static_cast<float>(std::log((at + 2.0) / (at + 1.0)) / logRange);
  }
  int64_t drawLog() {
    uint32_t upper = numbers.next();
    double at = uniformDouble(upper, numbers.next()) * logRange;
    return (static_cast<int64_t>(std::exp(at)) - 1) % range;
  }
  int64_t drawUniform() {
    auto n = static_cast<uint64_t>(range);
    if ((n & (n - 1)) == 0)
      return static_cast<int64_t>(next64() & (n - 1));
    // Reject numbers below `rest`, which is 2^64 mod n, and draw again: then
    // the number of accepted values is a multiple of n, so that `number % n` is
    // uniform.
    uint64_t rest = std::numeric_limits<uint64_t>::max() % n + 1;
    uint64_t number = next64();
    while (number < rest)
      number = next64();
    return static_cast<int64_t>(number % n);
  }
  uint64_t next64() {
    uint64_t lower = numbers.next();
    return lower | static_cast<uint64_t>(numbers.next()) << 32;
  }

  PhiloxSamples numbers;
  int64_t range, nextClass = 0;
  bool isLog, isAll;
  double logRange;
};

} // namespace

// Samples classes, as TensorFlow's candidate samplers do. Inputs: the true
// classes of each example, and a generator's key and counter. Outputs: the
// sampled classes, then how often each true class and each sampled class is
// expected to be sampled.
INGOT_RUNTIME_OP(candidate_sample) {
  OpInput classes = op.input(0);
  if (classes.rank() != 2)
    return op.invalid("true_classes must be a matrix, but has shape " +
                      dimsText(classes.dims()));
  INGOT_ASSIGN_OR_RETURN(Philox generator,
                         generatorOf(op, op.input(1), op.input(2)));
  int64_t count = op.integer("num_sampled", 0);
  int64_t range = op.integer("range_max", 1);
  CandidateSampler sampler(generator, range, op.text("distribution"));
  INGOT_ASSIGN_OR_RETURN(auto sampled, op.output<int64_t>(0, {count}));
  int64_t tries = 0;
  std::unordered_set<int64_t> used;
  for (size_t i = 0; i < sampled.size(); ++tries) {
    int64_t value = sampler.draw();
    if (!op.flag("unique") || used.insert(value).second)
      sampled[i++] = value;
  }
  INGOT_ASSIGN_OR_RETURN(auto ofTrue, op.output<float>(1, classes.dims()));
  auto known = classes.as<int64_t>();
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] < 0 || known[i] >= range)
      return op.invalid("`true_candidate` out of range [0, " +
                        std::to_string(range) + "), received " +
                        std::to_string(known[i]));
    ofTrue[i] = sampler.expectedCount(known[i], count, tries);
  }
  INGOT_ASSIGN_OR_RETURN(auto ofSampled, op.output<float>(2, {count}));
  for (size_t i = 0; i < sampled.size(); ++i)
    ofSampled[i] = sampler.expectedCount(sampled[i], count, tries);
  return Status::ok();
}

// Finds sampled classes that are true classes of an example. Outputs, for each
// such hit: the index of the example, the index of the sampled class, and the
// weight, the lowest float. Added to the class's logit, the weight removes the
// hit from the loss.
INGOT_RUNTIME_OP(accidental_hits) {
  OpInput classes = op.input(0);
  if (classes.rank() != 2)
    return op.invalid("true_classes must be a matrix, but has shape " +
                      dimsText(classes.dims()));
  auto known = classes.as<int64_t>(), sampled = op.input(1).as<int64_t>();
  std::unordered_map<int64_t, int64_t> placeOf;
  for (size_t i = 0; i < sampled.size(); ++i)
    placeOf[sampled[i]] = static_cast<int64_t>(i);
  std::vector<std::pair<int64_t, int64_t>> hits;
  for (size_t i = 0; i < known.size(); ++i)
    if (auto found = placeOf.find(known[i]); found != placeOf.end())
      hits.emplace_back(static_cast<int64_t>(i) / classes.dim(1),
                        found->second);
  auto size = static_cast<int64_t>(hits.size());
  INGOT_ASSIGN_OR_RETURN(auto rows, op.output<int32_t>(0, {size}));
  INGOT_ASSIGN_OR_RETURN(auto places, op.output<int64_t>(1, {size}));
  INGOT_ASSIGN_OR_RETURN(auto weights, op.output<float>(2, {size}));
  for (size_t i = 0; i < hits.size(); ++i) {
    rows[i] = static_cast<int32_t>(hits[i].first);
    places[i] = hits[i].second;
    weights[i] = std::numeric_limits<float>::lowest();
  }
  return Status::ok();
}
