//===- IndexFuzzer.cpp - Any bytes, read as a V2 checkpoint's index -------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/ForgedTable.h"
#include "test/runtime/Support/FaultFileSystem.h"

using namespace ingot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test::FaultFileSystem disk;
  disk.put("c.index", fuzz::forgeTable(data, size));
  // The data shards are the fuzzer's bytes, too.
  std::string bytes(reinterpret_cast<const char *>(data), size);
  for (const char *shard : {"c.data-00000-of-00001", "c.data-00000-of-00002",
                            "c.data-00001-of-00002"})
    disk.put(shard, bytes);
  fuzz::readEverything(disk, "c");
  return 0;
}
