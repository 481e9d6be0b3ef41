//===- HookHostImage.h - The hook host's executable -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_HOOKS_HOOKHOSTIMAGE_H
#define INGOT_RUNTIME_HOOKS_HOOKHOSTIMAGE_H

/// The executable of HookHost.c, embedded in the trainer: its first byte and
/// the byte after its last.
extern "C" __attribute__((visibility("hidden"))) const char ingot_hook_host[];
extern "C" __attribute__((visibility("hidden")))
const char ingot_hook_host_end[];

#endif // INGOT_RUNTIME_HOOKS_HOOKHOSTIMAGE_H
