//===- V1Fuzzer.cpp - Any bytes, read as a V1 checkpoint ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/fuzz/ForgedTable.h"
#include "test/runtime/Support/FaultFileSystem.h"

using namespace ingot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test::FaultFileSystem disk;
  disk.put("c", fuzz::forgeTable(data, size));
  fuzz::readEverything(disk, "c");
  return 0;
}
