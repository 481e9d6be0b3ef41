//===- StreamingCopy.h - Copies by streaming stores -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H
#define INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H

#include <cstddef>

namespace ingot {

/// Copies `size` bytes between ranges that do not overlap and may have any
/// alignment. Uses streaming stores, which neither evict other data from the
/// caches nor read the destination first, so it suits data that is read much
/// later. Other threads see the copy once they synchronize with this thread.
void streamingCopy(void *to, const void *from, size_t size);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H
