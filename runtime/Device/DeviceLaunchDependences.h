//===- DeviceLaunchDependences.h - Dependences of GPU launches --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_DEVICE_DEVICELAUNCHDEPENDENCES_H
#define INGOT_RUNTIME_DEVICE_DEVICELAUNCHDEPENDENCES_H

#include "runtime/Device/Device.h"

#include <span>
#include <vector>

namespace ingot {

/// Returns, for each launch, the indices of the earlier launches that it has to
/// wait for, because both access the same memory and at least one of the two
/// writes it. Dependences that follow from others are left out (transitive
/// reduction).
std::vector<std::vector<size_t>>
orderOf(std::span<const DeviceLaunch> launches);

} // namespace ingot

#endif // INGOT_RUNTIME_DEVICE_DEVICELAUNCHDEPENDENCES_H
