//===- NpzFuzzer.cpp - Any bytes, read as an archive of arrays ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Formats/Npy.h"
#include "runtime/Formats/NpzReader.h"
#include "test/runtime/Support/FaultFileSystem.h"

using namespace ingot;

/// Reads an array in the same way as a feed of at most 65536 numbers.
static void readArray(const NpzReader &npz, const std::string &name) {
  auto file = npz.array(name);
  if (!file)
    return;
  auto shape = readNpyShape(**file, name);
  constexpr int64_t most = 1 << 16;
  int64_t count = 1;
  for (int64_t dim : shape ? *shape : std::vector<int64_t>{0})
    count = dim < 0 || dim > most ? 0 : std::min(count * dim, most + 1);
  if (count == 0 || count > most)
    return;
  std::vector<float> values(static_cast<size_t>(count));
  ingot_tensor_spec spec = {
      "x", INGOT_FLOAT, static_cast<uint32_t>(shape->size()), shape->data()};
  (void)readNpy(**file, name, spec, values.data()).isOk();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  test::FaultFileSystem disk;
  disk.put("f.npz", std::string(reinterpret_cast<const char *>(data), size));
  if (auto npz = NpzReader::open(disk, "f.npz"))
    for (const NpzReader::ArchiveMember &member : npz->members())
      readArray(*npz, member.name);
  return 0;
}
