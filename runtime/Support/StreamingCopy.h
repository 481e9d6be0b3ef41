//===- StreamingCopy.h - Copies that leave the caches alone -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H
#define INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H

#include <cstddef>

namespace ingot {

/// Copies `size` bytes between ranges that don't overlap, for a reader that
/// comes late: by streaming stores, which neither evict other data from the
/// caches nor read the destination first. Any alignment. Other threads see the
/// copy once they synchronize with this one.
void streamingCopy(void *to, const void *from, size_t size);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H
