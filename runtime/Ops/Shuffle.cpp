//===- Shuffle.cpp - A tensor's rows in random order ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Random.h"

#include <cstring>
#include <numeric>

using namespace ingot;
using namespace ingot::ops;

INGOT_RUNTIME_OP(random_shuffle) {
  OpInput value = op.input(0);
  INGOT_ASSIGN_OR_RETURN(Philox generator,
                         generatorOf(op, op.input(1), op.input(2)));
  if (value.numElements() <= 1 || value.rank() == 0 || value.dim(0) <= 1)
    return op.forward(0, value);
  auto rows = static_cast<size_t>(value.dim(0));
  std::vector<size_t> order(rows);
  std::iota(order.begin(), order.end(), size_t(0));
  PhiloxSamples samples(generator);
  for (size_t i = 0; i + 1 < rows; ++i) {
    auto left = static_cast<uint32_t>(rows - i);
    std::swap(order[i], order[i + samples.next() % left]);
  }
  INGOT_ASSIGN_OR_RETURN(void *output, op.allocate(0, value.dims()));
  size_t bytes = static_cast<size_t>(value.numElements()) / rows *
                 elementSize(value.dtype());
  for (size_t i = 0; i < rows; ++i)
    std::memcpy(static_cast<char *>(output) + i * bytes,
                static_cast<const char *>(value.data()) + order[i] * bytes,
                bytes);
  return Status::ok();
}
