//===- SafetensorsFuzzer.cpp - Any bytes, read as a safetensors file ------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/ForgedTable.h"
#include "test/runtime/Support/FaultFileSystem.h"

#include <algorithm>
#include <cstring>

using namespace ingot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // If the first byte is not divisible by 4, correct the length of the header,
  // so that the code after its check is tested, too.
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
