//===- Replay.cpp - Runs a fuzzer's function over files -------------------===//

#include "llvm/Support/MemoryBuffer.h"
#include <cstdint>
#include <cstdio>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    auto file = llvm::MemoryBuffer::getFile(argv[i]);
    if (!file) {
      std::fprintf(stderr, "cannot read '%s'\n", argv[i]);
      return 1;
    }
    LLVMFuzzerTestOneInput(
        reinterpret_cast<const uint8_t *>((*file)->getBufferStart()),
        (*file)->getBufferSize());
  }
  std::printf("%d files\n", argc - 1);
  return 0;
}
