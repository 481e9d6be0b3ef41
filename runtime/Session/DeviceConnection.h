//===- DeviceConnection.h - Connects the devices of ranks -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_DEVICECONNECTION_H
#define INGOT_RUNTIME_SESSION_DEVICECONNECTION_H

#include "runtime/Session/DeviceSession.h"
#include "runtime/Session/RankGroup.h"
#include "runtime/Session/SessionLogger.h"

namespace ingot {

/// Decides, alike on all ranks, whether their devices exchange values with each
/// other or through the memory of the host, and connects the devices. `way` is
/// "host", "nccl" or "auto". Returns null if they exchange through the host.
/// With "auto" that is so if any rank has no library for it, or no device of
/// its own; rank 0 notes the reason. With "nccl" it is a failure of all ranks.
/// All ranks must call it.
Expected<std::unique_ptr<Collective>> connectDevices(RankGroup &ranks,
                                                     DeviceSession &device,
                                                     const std::string &way,
                                                     SessionLogger &logger);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_DEVICECONNECTION_H
