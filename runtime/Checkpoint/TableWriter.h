//===- TableWriter.h - Writes the sorted table of an index ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds tables with leveldb's table builder and the options that TensorFlow
// uses, so that the bytes are the same.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_CHECKPOINT_TABLEWRITER_H
#define INGOT_RUNTIME_CHECKPOINT_TABLEWRITER_H

#include "runtime/Support/Expected.h"

#include <map>
#include <string>

namespace ingot {

/// Returns the contents of a table file with `records`.
Expected<std::string>
buildTable(const std::map<std::string, std::string> &records);

} // namespace ingot

#endif // INGOT_RUNTIME_CHECKPOINT_TABLEWRITER_H
