//===- DataFile.h - Reads files that a graph names --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_OPS_DATAFILE_H
#define INGOT_RUNTIME_OPS_DATAFILE_H

#include "runtime/Ops/OpKernelContext.h"

namespace ingot::ops {

/// Returns the path of a file that the graph names. Relative names are resolved
/// against the data directory.
std::string pathOfDataFile(const OpKernelContext &op, std::string_view name);

/// Returns all bytes of the file.
Expected<std::string> readDataFile(const OpKernelContext &op,
                                   const std::string &path);

} // namespace ingot::ops

#endif // INGOT_RUNTIME_OPS_DATAFILE_H
