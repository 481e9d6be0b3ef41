//===- StreamingCopy.h - Copies that leave the caches alone -----*- C++ -*-===//
#ifndef INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H
#define INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H

#include <cstddef>

namespace ingot {

/// Copies `size` bytes between stretches that don't overlap, for a reader that
/// comes late: the copy doesn't displace what the caches hold, and is written
/// without being read first. Of any alignment. Other threads see it once they
/// synchronize with this one.
void streamingCopy(void *to, const void *from, size_t size);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_STREAMINGCOPY_H
