//===- MapDataset.h - Maps that call their function in order ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_INPUT_MAPDATASET_H
#define INGOT_RUNTIME_INPUT_MAPDATASET_H

#include "runtime/Input/Dataset.h"

namespace ingot::input {

/// Makes the iterator of a map that calls its function on one element after the
/// other, on the thread that reads elements.
Expected<std::unique_ptr<DatasetIterator>>
makeMapDataset(const DatasetContext &context);

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_MAPDATASET_H
