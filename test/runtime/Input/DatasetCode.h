//===- DatasetCode.h - Dataset code of hand-written tables ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Compiled programs refer to the code of datasets by symbols. Tests that write
// tables by hand refer to it by the names of TensorFlow's ops.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_RUNTIME_INPUT_DATASETCODE_H
#define INGOT_TEST_RUNTIME_INPUT_DATASETCODE_H

#include <string_view>

namespace ingot::test {

/// Returns the code for TensorFlow's dataset op `op`; null if the op is
/// unknown.
const void *datasetCode(std::string_view op);

} // namespace ingot::test

#endif // INGOT_TEST_RUNTIME_INPUT_DATASETCODE_H
