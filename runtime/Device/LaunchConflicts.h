//===- LaunchConflicts.h - Dependences among launches -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_LAUNCHCONFLICTS_H
#define INGOT_RUNTIME_DEVICE_LAUNCHCONFLICTS_H

#include "runtime/Device/Device.h"

#include <span>
#include <vector>

namespace ingot {

/// Which launches each has to wait for: those that have memory in common with
/// it that one of the two writes, less those that others wait for.
std::vector<std::vector<size_t>>
orderOf(std::span<const DeviceLaunch> launches);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_LAUNCHCONFLICTS_H
