//===- CostReport.h - Costs of kernels as a table or as JSON ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TEST_EMULATOR_COSTREPORT_H
#define INGOT_TEST_EMULATOR_COSTREPORT_H

#include "test/Emulator/Costs.h"
#include "test/Emulator/Occupancy.h"

namespace ingot::emulator {

/// Registers per thread that the kernel has, or at most may have where ptxas
/// did not say.
uint32_t registersOf(const KernelCosts &kernel);

/// On a GPU of this compute capability (80: 8.0).
std::optional<Occupancy> occupancyOf(int capability, const KernelCosts &kernel);

/// Reports of all kernels in `costs`, a row each: as a table with the kernels'
/// worst accesses below it, or as an array of JSON objects.
std::string costTable(const std::map<std::string, KernelCosts> &costs,
                      int capability);
std::string costJSON(const std::map<std::string, KernelCosts> &costs,
                     int capability);

} // namespace ingot::emulator

#endif // INGOT_TEST_EMULATOR_COSTREPORT_H
