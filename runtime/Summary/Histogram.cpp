//===- Histogram.cpp - Histograms for TensorBoard -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/Histogram.h"

#include "proto/Event.pb.h"

#include <algorithm>

using namespace ingot;

static const std::vector<double> &limits() {
  static const std::vector<double> all = [] {
    std::vector<double> positive;
    for (double limit = 1e-12; limit < 1e20; limit *= 1.1)
      positive.push_back(limit);
    positive.push_back(DBL_MAX);
    std::vector<double> both;
    for (size_t i = positive.size(); i-- > 0;)
      both.push_back(-positive[i]);
    both.push_back(0);
    both.insert(both.end(), positive.begin(), positive.end());
    return both;
  }();
  return all;
}

Histogram::Histogram() : counts(limits().size()) {}

void Histogram::add(double value) {
  auto limit = std::upper_bound(limits().begin(), limits().end(), value);
  size_t bucket = std::min<size_t>(
      static_cast<size_t>(limit - limits().begin()), counts.size() - 1);
  ++counts[bucket];
  min = std::min(min, value);
  max = std::max(max, value);
  ++number;
  sum += value;
  squares += value * value;
}

void Histogram::write(proto::HistogramProto &proto) const {
  proto.set_min(number ? min : DBL_MAX);
  proto.set_max(number ? max : -DBL_MAX);
  proto.set_num(number);
  proto.set_sum(sum);
  proto.set_sum_squares(squares);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0 && i + 1 < counts.size() && counts[i + 1] == 0)
      continue;
    proto.add_bucket_limit(limits()[i]);
    proto.add_bucket(counts[i]);
  }
}
