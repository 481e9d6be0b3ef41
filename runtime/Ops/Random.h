//===- Random.h - Random generators of runtime ops --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_RANDOM_H
#define INGOT_RUNTIME_OPS_RANDOM_H

#include "runtime/Ops/Op.h"
#include "runtime/Support/Philox.h"

namespace ingot::ops {

/// Returns the generator for a key of shape [1] and a counter of shape [2].
inline Expected<Philox> generatorOf(const Op &op, const Input &key,
                                    const Input &counter) {
  if (key.numElements() != 1 || counter.numElements() != 2)
    return op.invalid("its key and counter have shapes " +
                      dimsText(key.dims()) + " and " +
                      dimsText(counter.dims()) + ", not [1] and [2]");
  auto words = counter.as<uint64_t>();
  return Philox(key.as<uint64_t>()[0], words[0], words[1]);
}

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_RANDOM_H
