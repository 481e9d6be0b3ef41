//===- SafetensorsFuzzer.cpp - Any bytes, read as a safetensors file ------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/ForgedTable.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The header's length is right most of the time, or nothing follows it:
  // the first byte says.
  std::string bytes(reinterpret_cast<const char *>(data), size);
  if (size > 9 && data[0] % 4 != 0) {
    bytes.erase(0, 1);
    size_t end = bytes.rfind('}');
    uint64_t length = end == std::string::npos || end < 8 ? 0 : end + 1 - 8;
    std::memcpy(bytes.data(), &length, sizeof(length));
  }
  test::FaultFileSystem disk;
  disk.put("c.safetensors", bytes);
  fuzz::readEverything(disk, "c");
  return 0;
}
