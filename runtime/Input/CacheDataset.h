//===- CacheDataset.h - Caches elements in memory ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_CACHEDATASET_H
#define INGOT_RUNTIME_INPUT_CACHEDATASET_H

#include "runtime/Input/DatasetOp.h"

namespace ingot::input {

inline constexpr DatasetOperandConstraint cacheOperands[] = {
    {"filename", INGOT_STRING}};

/// Makes the iterator of a CacheDataset with an empty file name, which caches
/// elements in memory.
MakeIterator makeCacheDataset;

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_CACHEDATASET_H
