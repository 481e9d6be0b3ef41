//===- InputCardinality.cpp - Entries that never run out of input ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Program.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

/// Returns true if dataset `index` certainly yields elements for ever.
static bool isEndless(const ingot_program &program, uint32_t index) {
  const ingot_dataset &dataset = program.datasets[index];
  auto is = [&](const char *op) { return std::strcmp(dataset.op, op) == 0; };
  auto isEndlessInput = [&](uint32_t input) {
    return input < index && isEndless(program, input);
  };
  const uint32_t *begin = dataset.inputs, *end = begin + dataset.num_inputs;
  bool isCounted =
      is("RepeatDataset") || is("TakeDataset") || is("SkipDataset");
  const ingot_constant *count = isCounted && dataset.num_operands > 0
                                    ? dataset.operands[0].constant
                                    : nullptr;
  // A negative count means that a repeat never ends, and that a take or a skip
  // applies to all elements of its input.
  bool isWhole = count && *static_cast<const int64_t *>(count->data) < 0;
  if (is("RepeatDataset") && isWhole)
    return true;
  if ((is("TakeDataset") && !isWhole) || (is("SkipDataset") && isWhole) ||
      is("TakeWhileDataset"))
    return false;
  if (is("ConcatenateDataset"))
    return std::any_of(begin, end, isEndlessInput);
  // A dataset of several inputs, such as a zip, may end with the first input
  // that ends, so all of them must be endless.
  return begin != end && std::all_of(begin, end, isEndlessInput);
}

bool ingot::neverEnds(const ingot_program &program, const ingot_entry &entry) {
  return std::all_of(entry.iterators, entry.iterators + entry.num_iterators,
                     [&](uint32_t iterator) {
                       // An initializer may start the iterator over an
                       // alternative dataset, which may end.
                       for (uint32_t i = 0; i < program.num_alternatives; ++i)
                         if (program.alternatives[i].iterator == iterator)
                           return false;
                       return isEndless(program,
                                        program.iterators[iterator].dataset);
                     });
}
