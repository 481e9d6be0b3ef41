//===- ProgramInfo.h - The output of the verb info --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_PROGRAMINFO_H
#define INGOT_RUNTIME_COMMANDLINE_PROGRAMINFO_H

#include "runtime/ABI/Program.h"

#include <string>

namespace ingot {

/// Returns the text of `info`: the program's origin and purpose, its entries,
/// variables, iterators and the names of its kernels.
std::string infoTable(const ingot_program &program);

/// Returns the text of `info --kernels`: for each kernel, the grid, arithmetic
/// and memory that the compiler estimates for the highest CPU target and for
/// devices.
std::string kernelTable(const ingot_program &program);

/// Returns the text of `info --exchanges`: the values that processes exchange
/// in each entry, how many bytes they send and, if `gigabits` is positive, how
/// long these bytes take at `gigabits` Gbit/s.
std::string exchangeTable(const ingot_program &program, double gigabits);

/// Returns the name of an ingot_exchange_kind, such as "sum".
std::string exchangeKindName(uint32_t kind);

/// Returns the number of bytes that a rank sends in a call of `entry` in a run
/// with `ranks` ranks: the maximum over all ranks. Excludes gathered rows of
/// batches whose size is known only at run time.
uint64_t mostBytesSent(const ingot_entry &entry, uint32_t slices,
                       unsigned ranks);

/// Returns the contents of infoTable() and kernelTable(), and the savers, as
/// one line of JSON.
std::string infoJson(const ingot_program &program);

/// Returns how many kernels of `image` run on the device; the others run on the
/// host.
size_t kernelsOnDevice(const ingot_device_image &image);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_PROGRAMINFO_H
