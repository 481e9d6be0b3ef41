//===- ProgramInfo.h - Lists the tables of a program ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_PROGRAMINFO_H
#define INGOT_RUNTIME_COMMANDLINE_PROGRAMINFO_H

#include "runtime/ABI/Program.h"

#include <string>

namespace ingot {

/// The program's origin and purpose, its entries, variables, iterators and the
/// names of its kernels.
std::string infoTable(const ingot_program &program);

/// Each kernel's code for the highest target and for devices: its grid,
/// arithmetic and memory, as the compiler estimates them.
std::string kernelTable(const ingot_program &program);

/// Both, and its savers, as one JSON object on a line.
std::string infoJson(const ingot_program &program);

/// How many kernels of `image` do not stay on the host.
size_t kernelsOnDevice(const ingot_device_image &image);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_PROGRAMINFO_H
