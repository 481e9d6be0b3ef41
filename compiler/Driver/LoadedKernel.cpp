//===- LoadedKernel.cpp - Loads a kernel's object into this process -------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/LoadedKernel.h"

#include "codegen/Backend.h"

#include "llvm/ExecutionEngine/RuntimeDyld.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/Object/ObjectFile.h"

#include <cstring>

using namespace llvm;

namespace ingot::driver {

/// Returns the address of memset, memcpy or memmove, or 0 for any other name.
/// LLVM turns loops into calls of these three functions. A kernel that calls
/// another function is not loaded.
static uint64_t addressOf(StringRef name) {
  if (name == "memset")
    return reinterpret_cast<uint64_t>(
        static_cast<void *(*)(void *, int, size_t)>(std::memset));
  if (name == "memcpy")
    return reinterpret_cast<uint64_t>(
        static_cast<void *(*)(void *, const void *, size_t)>(std::memcpy));
  if (name == "memmove")
    return reinterpret_cast<uint64_t>(
        static_cast<void *(*)(void *, const void *, size_t)>(std::memmove));
  return 0;
}

namespace {
/// The memory of kernels that run in this process. The only functions that a
/// kernel may call are memset, memcpy and memmove.
class KernelMemoryManager final : public SectionMemoryManager {
public:
  uint64_t getSymbolAddress(const std::string &name) override {
    return addressOf(name);
  }
  // Kernels throw no exceptions, so no unwinder needs their frames.
  void registerEHFrames(uint8_t *, uint64_t, size_t) override {}
  void deregisterEHFrames() override {}
};
} // namespace

struct LoadedKernel::Memory {
  KernelMemoryManager manager;
  RuntimeDyld linker{manager, manager};
};

LoadedKernel::LoadedKernel() : memory(std::make_unique<Memory>()) {}
LoadedKernel::~LoadedKernel() = default;

/// Returns whether an object file has no undefined symbols besides memset,
/// memcpy and memmove.
static bool asksForNothingElse(const object::ObjectFile &object) {
  for (const object::SymbolRef &symbol : object.symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      return false;
    }
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty() &&
        addressOf(*name) == 0)
      return false;
  }
  return true;
}

std::unique_ptr<LoadedKernel> LoadedKernel::load(StringRef image) {
  Expected<std::unique_ptr<object::ObjectFile>> object =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(image, "kernel"));
  if (!object) {
    consumeError(object.takeError());
    return nullptr;
  }
  if (!asksForNothingElse(**object))
    return nullptr;
  std::unique_ptr<LoadedKernel> kernel(new LoadedKernel());
  RuntimeDyld &linker = kernel->memory->linker;
  linker.loadObject(**object);
  linker.resolveRelocations();
  if (linker.hasError() || kernel->memory->manager.finalizeMemory())
    return nullptr;
  void *address = linker.getSymbolLocalAddress(codegen::kernelSymbol);
  if (!address)
    return nullptr;
  kernel->function =
      reinterpret_cast<void (*)(void *const *, int64_t, int64_t)>(address);
  return kernel;
}

} // namespace ingot::driver
