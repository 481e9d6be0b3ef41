//===- ArtifactCache.cpp - Cache of linked trainers -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ArtifactCache.h"

#include "compiler/Driver/Autotuning.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>

using namespace llvm;

namespace ingot::driver {

/// Returns a hash of the names and contents of all files in the runtime's
/// folder, or std::nullopt if a file cannot be read.
static std::optional<std::string> digestOf(StringRef sdk) {
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator it(sdk, error), end; it != end && !error;
       it.increment(error))
    paths.push_back(it->path());
  if (error || paths.empty())
    return std::nullopt;
  std::sort(paths.begin(), paths.end());
  std::string digest;
  for (const std::string &path : paths) {
    auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    if (!file)
      return std::nullopt;
    XXH128_hash_t hash =
        xxh3_128bits(arrayRefFromStringRef((*file)->getBuffer()));
    digest += (sys::path::filename(path) + " " + utohexstr(hash.high64) + " " +
               utohexstr(hash.low64) + "\n")
                  .str();
  }
  return digest;
}

/// Returns the options' part of the cache key: the values of all options that
/// change the trainer. The structured binding below must name every field of
/// CompileOptions. So whoever adds a field gets a compile error here, and has
/// to decide whether the key contains the field.
static std::string describe(const CompileOptions &options) {
  // The returned text omits some fields. The contents of `program` and `sdk`
  // are in the key already. `output` and `cache` are paths, which do not change
  // the trainer. `tagSet`, `import`, `library` and `stage` have no effect on an
  // executable made from program text. `emit`, `check`, `remarks` and
  // `dumpStages` have fixed values if there is a key (see the constructor).
  // `json`, `timing` and `progress` change only what is printed.
  const auto &[input, program, tagSet, output, emit, library, stage, backends,
               devices, isDeviceDefault, stepKernel, cache, tuneSeconds,
               isParallel, slices, optimization, defaultThreads, check, json,
               timing, strip, remarks, progress, embedGraph, dumpStages, sdk,
               import, loss, optimizer] = options;
  std::string text;
  raw_string_ostream os(text);
  os << "trainer " << sys::path::filename(input);
  for (const auto &backend : backends)
    os << " " << planName(*backend, 0);
  for (const auto &device : devices)
    os << " " << planName(*device, 0)
       << (device->imageFormat().isBinary ? ".cubin" : "");
  os << " by default " << isDeviceDefault << " step kernel " << stepKernel
     << " parallel " << isParallel << " slices " << slices << " tuned for "
     << tuneSeconds << " O" << optimization << " threads " << defaultThreads
     << " strip " << strip << " graph " << embedGraph << " loss " << loss
     << " optimizer " << optimizer;
  return text;
}

ArtifactCache::ArtifactCache(const CompileOptions &options) : options(options) {
  if (options.program.empty() || !options.cache.isOpen() ||
      options.emit != OutputKind::Executable || options.check ||
      options.remarks || !options.dumpStages.empty())
    return;
  if (auto runtime = digestOf(options.sdk))
    key = KernelCache::keyOf(*runtime + options.program, describe(options),
                             options.optimization);
}

bool ArtifactCache::reuse() const {
  if (key.empty())
    return false;
  auto kept = options.cache.find(key);
  if (!kept)
    return false;
  // Write to a temporary file in the output's folder and rename it, as the
  // linker does. If the output exists but is not a regular file (/dev/null, for
  // example), return false, so that the linker writes to it.
  sys::fs::file_status status;
  if (!sys::fs::status(options.output, status) &&
      !sys::fs::is_regular_file(status))
    return false;
  if (llvm::Error error = writeToOutput(options.output, [&](raw_ostream &os) {
        os << StringRef(kept->image.data(), kept->image.size());
        return llvm::Error::success();
      })) {
    consumeError(std::move(error)); // the linker will report the cause
    return false;
  }
  auto mode = sys::fs::perms::all_read | sys::fs::perms::all_exe |
              sys::fs::perms::owner_write;
  return !sys::fs::setPermissions(options.output, mode);
}

void ArtifactCache::keep() const {
  if (key.empty())
    return;
  auto file = MemoryBuffer::getFile(options.output, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return;
  codegen::CompiledKernelImage code;
  StringRef bytes = (*file)->getBuffer();
  code.image.assign(bytes.begin(), bytes.end());
  options.cache.store(key, code);
}

} // namespace ingot::driver
