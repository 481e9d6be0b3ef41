//===- KernelCache.cpp - Cache of compiled kernels ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/KernelCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <link.h>

using namespace llvm;

namespace ingot::driver {

/// The first 8 bytes of a file, "INGOTKRN". The format's version follows.
static constexpr uint64_t magic = 0x4e524b544f474e49;
static constexpr uint64_t formatVersion = 4;
static constexpr auto maxAge = std::chrono::hours(30 * 24);
/// The largest valid value of three counts in a file: the number of dynamic
/// sizes (DynamicSizeTerm) that a grid or scratch size depends on, of tensor
/// maps, and of dimensions of a tensor map. A file with a larger count is
/// treated as damaged.
static constexpr uint64_t maxTerms = 64;
static constexpr size_t hashBytes = 32;

/// Returns the build id of this compiler, which differs between builds, or ""
/// if the compiler was linked without a build id.
static std::string buildId() {
  std::string id;
  // The first object that dl_iterate_phdr reports is the executable itself.
  // Returning 1 stops the iteration.
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *result) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto &header = info->dlpi_phdr[i];
          if (header.p_type != PT_NOTE)
            continue;
          auto *note =
              reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
          const char *end = note + header.p_memsz;
          while (end - note > 12) {
            auto *words = reinterpret_cast<const uint32_t *>(note);
            const char *name = note + 12;
            const char *content = name + alignTo(words[0], 4);
            if (words[2] == NT_GNU_BUILD_ID &&
                StringRef(name, words[0]) == StringRef("GNU", 4))
              *static_cast<std::string *>(result) =
                  toHex(StringRef(content, words[1]));
            note = content + alignTo(words[1], 4);
          }
        }
        return 1;
      },
      &id);
  return id;
}

std::string KernelCache::keyOf(StringRef content, StringRef target,
                               unsigned level) {
  static const std::string id = buildId();
  if (id.empty())
    return "";
  BLAKE3 hash;
  // Hash the size of each part before its bytes, so that moving bytes from one
  // part to the next changes the hash.
  auto add = [&](StringRef part) {
    hash.update(std::to_string(part.size()) + ":");
    hash.update(part);
  };
  add(id);
  add(LLVM_VERSION_STRING);
  add(target);
  add(std::to_string(level));
  add(content);
  return toHex(hash.final(), /*LowerCase=*/true);
}

std::string KernelCache::defaultFolder() {
  SmallString<128> path;
  if (!sys::path::cache_directory(path))
    return "";
  sys::path::append(path, "ingot", "kernels");
  return path.str().str();
}

Expected<KernelCache> KernelCache::open(StringRef folder) {
  if (std::error_code error = sys::fs::create_directories(folder))
    return createStringError(error, "cannot create the kernel cache '%s': %s",
                             folder.str().c_str(), error.message().c_str());
  KernelCache cache;
  cache.folder = folder.str();
  return cache;
}

KernelCache KernelCache::subcache(StringRef name, uint64_t maxBytes) const {
  if (!isOpen())
    return {};
  SmallString<128> path(folder);
  sys::path::append(path, name);
  Expected<KernelCache> cache = open(path);
  if (!cache) {
    consumeError(cache.takeError());
    return {};
  }
  cache->maxBytes = maxBytes;
  // A few large files reach the limit sooner than many small ones.
  cache->pruningInterval = std::chrono::minutes(1);
  return *cache;
}

// LLVM's pruneCache only removes files with the prefix "llvmcache-".
std::string KernelCache::pathOf(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

/// Serializes the code of a kernel for its file: the magic number, the format
/// version, facts about the kernel such as its grid, its strings (image, device
/// function, error messages), and at the end a BLAKE3 hash of all bytes before
/// the hash.
static std::string serialize(const codegen::CompiledKernelImage &code) {
  std::string bytes;
  raw_string_ostream stream(bytes);
  auto number = [&](uint64_t value) {
    char word[8];
    support::endian::write64le(word, value);
    stream.write(word, sizeof(word));
  };
  const codegen::KernelMetadata &facts = code.facts;
  for (uint64_t value :
       {magic, formatVersion, uint64_t(facts.grid.base),
        uint64_t(facts.grid.step), uint64_t(facts.scratchBytes),
        uint64_t(facts.flops), uint64_t(facts.bytes),
        uint64_t(facts.threadsPerBlock), uint64_t(facts.sharedBytes),
        uint64_t(facts.dynamicSharedBytes), uint64_t(facts.isPersistent),
        uint64_t(facts.dynamicScratch.base)})
    number(value);
  for (ArrayRef<codegen::Grid::DynamicSizeTerm> terms :
       {ArrayRef(facts.grid.terms), ArrayRef(facts.dynamicScratch.terms)}) {
    number(terms.size());
    for (const codegen::Grid::DynamicSizeTerm &term : terms) {
      number(term.slot);
      number(term.coefficient);
    }
  }
  number(facts.maps.size());
  for (const codegen::TensorMapSpec &map : facts.maps) {
    for (int64_t value : {map.slot, map.elementBytes, int64_t(map.dims.size())})
      number(value);
    for (const codegen::TensorMapSpec::TensorMapDim &dim : map.dims)
      for (int64_t value : {dim.size, dim.slot, dim.box})
        number(value);
  }
  number(facts.strides.size());
  for (int64_t stride : facts.strides)
    number(stride);
  for (const std::string *text :
       {&code.reason, &code.apart, &code.function, &code.image}) {
    number(text->size());
    stream << *text;
  }
  stream << toStringRef(BLAKE3::hash(arrayRefFromStringRef(bytes)));
  return bytes;
}

/// Parses the bytes of a file in the cache. Returns std::nullopt if they are
/// damaged or have another format version.
static std::optional<codegen::CompiledKernelImage> parse(StringRef bytes) {
  if (bytes.size() < hashBytes)
    return std::nullopt;
  StringRef content = bytes.drop_back(hashBytes);
  if (toStringRef(BLAKE3::hash(arrayRefFromStringRef(content))) !=
      bytes.take_back(hashBytes))
    return std::nullopt;
  // The hash matches, so the bytes are undamaged. From here on, only the
  // lengths of the parts need to be checked.
  bool isShort = false;
  auto number = [&]() -> uint64_t {
    if (content.size() < 8) {
      isShort = true;
      return 0;
    }
    uint64_t value = support::endian::read64le(content.data());
    content = content.drop_front(8);
    return value;
  };
  if (number() != magic || number() != formatVersion)
    return std::nullopt;
  codegen::CompiledKernelImage code;
  code.facts.grid.base = number();
  code.facts.grid.step = number();
  code.facts.scratchBytes = number();
  code.facts.flops = number();
  code.facts.bytes = number();
  code.facts.threadsPerBlock = number();
  code.facts.sharedBytes = number();
  code.facts.dynamicSharedBytes = number();
  code.facts.isPersistent = number() != 0;
  code.facts.dynamicScratch.base = number();
  for (auto *terms :
       {&code.facts.grid.terms, &code.facts.dynamicScratch.terms}) {
    uint64_t numTerms = number();
    if (numTerms > maxTerms)
      return std::nullopt;
    for (uint64_t i = 0; i < numTerms; ++i) {
      int64_t slot = number(), coefficient = number();
      terms->push_back({slot, coefficient});
    }
  }
  uint64_t numMaps = number();
  if (numMaps > maxTerms)
    return std::nullopt;
  for (uint64_t i = 0; i < numMaps; ++i) {
    codegen::TensorMapSpec &map = code.facts.maps.emplace_back();
    map.slot = number();
    map.elementBytes = number();
    uint64_t numDims = number();
    if (numDims > maxTerms)
      return std::nullopt;
    for (uint64_t j = 0; j < numDims; ++j) {
      int64_t size = number(), slot = number(), box = number();
      map.dims.push_back({size, slot, box});
    }
  }
  uint64_t numStrides = number();
  if (numStrides > content.size() / 8)
    return std::nullopt;
  for (uint64_t i = 0; i < numStrides; ++i)
    code.facts.strides.push_back(number());
  for (std::string *text :
       {&code.reason, &code.apart, &code.function, &code.image}) {
    uint64_t size = number();
    if (isShort || size > content.size())
      return std::nullopt;
    *text = content.take_front(size).str();
    content = content.drop_front(size);
  }
  if (!content.empty())
    return std::nullopt;
  return code;
}

std::optional<codegen::CompiledKernelImage>
KernelCache::find(StringRef key) const {
  if (!isOpen() || key.empty())
    return std::nullopt;
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      pathOf(key), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file ? parse((*file)->getBuffer()) : std::nullopt;
}

bool writeAll(sys::fs::TempFile &file, StringRef bytes) {
  raw_fd_ostream stream(file.FD, /*shouldClose=*/false);
  stream << bytes;
  stream.flush();
  bool isWhole = !stream.has_error();
  // The destructor of a stream with an error ends the process.
  stream.clear_error();
  return isWhole;
}

void KernelCache::store(StringRef key,
                        const codegen::CompiledKernelImage &code) const {
  if (!isOpen() || key.empty())
    return;
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(pathOf("tmp-%%%%%%%%%%"));
  if (!file)
    return consumeError(file.takeError());
  // Give the file its final name only once it is complete, so that other
  // compilers never read an incomplete file.
  consumeError(writeAll(*file, serialize(code)) ? file->keep(pathOf(key))
                                                : file->discard());
}

void KernelCache::prune() const {
  if (!isOpen())
    return;
  CachePruningPolicy policy;
  policy.Expiration = maxAge;
  policy.MaxSizeBytes = maxBytes;
  policy.Interval = pruningInterval;
  pruneCache(folder, policy);
}

} // namespace ingot::driver
