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

ArtifactCache::ArtifactCache(const CompileOptions &options) : options(options) {
  if (options.program.empty() || !options.cache.isOpen() ||
      options.emit != Emit::Executable || options.check || options.remarks ||
      !options.dumpStages.empty())
    return;
  auto runtime = digestOf(options.sdk);
  if (!runtime)
    return;
  std::string levels = "trainer";
  for (const auto &backend : options.backends)
    levels += " " + planName(*backend, 0);
  for (const auto &device : options.devices)
    levels += " " + planName(*device, 0) +
              (device->imageFormat().isBinary ? ".cubin" : "");
  levels += options.isDeviceDefault ? " by default" : "";
  levels += options.stepKernel ? " step kernel" : "";
  if (options.isParallel)
    levels += " slices " + std::to_string(options.slices);
  if (options.tuneSeconds > 0)
    levels += " tuned for " + std::to_string(options.tuneSeconds);
  if (!options.loss.empty())
    levels += " trains " + options.loss + " by " + options.optimizer;
  // The key also contains the options that change only the descriptor, not the
  // code: the default thread count, whether the artifact is stripped and has
  // the graph, and the name of the source.
  std::string rest = (Twine(options.defaultThreads) + " " +
                      Twine(options.strip) + " " + Twine(options.embedGraph) +
                      " " + sys::path::filename(options.input) + "\n")
                         .str();
  key = KernelCache::keyOf(*runtime + rest + options.program, levels,
                           options.optimization);
}

bool ArtifactCache::reuse() const {
  if (key.empty())
    return false;
  auto kept = options.cache.find(key);
  if (!kept)
    return false;
  // Write to a temporary file beside the output and rename it, as the linker
  // does. If the output is not a regular file (/dev/null), return false, so
  // that the linker writes it.
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
  codegen::KernelCode code;
  StringRef bytes = (*file)->getBuffer();
  code.image.assign(bytes.begin(), bytes.end());
  options.cache.store(key, code);
}

} // namespace ingot::driver
