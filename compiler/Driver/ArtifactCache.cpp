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

/// The size limit of the cache of trainers, and that of a trainer: one with
/// large constants would displace too many others.
static constexpr uint64_t maxBytes = uint64_t(256) << 20;
static constexpr uint64_t maxTrainerBytes = uint64_t(64) << 20;

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
  // The text omits some fields. The contents of `program`, `roles` and `sdk`
  // are in the key already. `output` and `cache` are paths, which do not change
  // the trainer. `tagSet` selects a graph of a SavedModel, for which there is
  // no key. `import` has a text of its own, as it has no effect on program
  // text. `library` and `stage` have none on an executable. `emit`, `check`,
  // `remarks` and `dumpStages` have fixed values if there is a key.
  // `json`, `timing` and `progress` change only what is printed, `endsProcess`
  // only what is freed.
  const auto &[input, program, tagSet, roles, output, emit, library, stage,
               backends, devices, isDeviceDefault, stepKernel, cache,
               tuneSeconds, isParallel, leastShardedBytes, slices,
               maxStepMemory, optimization, defaultThreads, check, json, timing,
               strip, remarks, progress, endsProcess, embedGraph, dumpStages,
               sdk, import, loss, optimizer] = options;
  std::string text;
  raw_string_ostream os(text);
  os << "trainer " << sys::path::filename(input);
  for (const auto &backend : backends)
    os << " " << planName(*backend, 0);
  for (const auto &device : devices)
    os << " " << planName(*device, 0)
       << (device->imageFormat().isBinary ? ".cubin" : "");
  os << " by default " << isDeviceDefault << " step kernel " << stepKernel
     << " parallel " << isParallel << " shards from " << leastShardedBytes
     << " slices " << slices << " step memory "
     << (maxStepMemory ? std::to_string(*maxStepMemory) : "any")
     << " tuned for " << tuneSeconds << " O" << optimization << " threads "
     << defaultThreads << " strip " << strip << " graph " << embedGraph
     << " loss " << loss << " optimizer " << optimizer;
  return text;
}

/// Returns the import options' part of the key for a graph, like the function
/// above. `checkpoint` is set for SavedModels only, and `inputName` is the
/// input's path, whose last part is in the key already.
static std::string describe(const importer::ImportOptions &options) {
  const auto &[inputName, step, afterStep, entries, only, without, shapes,
               observe, checkpoint, saver, upgradeSavers, importScope, feeds,
               iterators] = options;
  std::string text;
  raw_string_ostream os(text);
  // Write the size of each name and list first, so that no two options have
  // the same text.
  auto name = [&](StringRef one) { os << one.size() << ":" << one; };
  auto names = [&](ArrayRef<std::string> list) {
    os << " " << list.size() << " ";
    for_each(list, name);
  };
  for (const auto *list :
       {&step, &afterStep, &only, &without, &observe, &feeds, &iterators})
    names(*list);
  os << " entries " << entries.size();
  for (const auto &entry : entries) {
    name(entry.name);
    names(entry.feeds);
    names(entry.fetches);
  }
  os << " shapes " << shapes.size();
  for (const auto &shape : shapes) {
    name(shape.tensor);
    os << " " << shape.dims.size();
    for (int64_t dim : shape.dims)
      os << " " << dim;
  }
  os << " saver ";
  name(saver);
  os << " " << upgradeSavers << " scope ";
  name(importScope);
  return text;
}

bool ArtifactCache::isEnabled() const {
  return options.cache.isOpen() && options.emit == OutputKind::Executable &&
         !options.check && !options.remarks && options.dumpStages.empty();
}

void ArtifactCache::setKey(StringRef content) {
  std::optional<std::string> digest = runtime.get();
  if (!digest)
    return;
  cache = options.cache.subcache("trainers", maxBytes);
  key = KernelCache::keyOf((*digest + content).str(),
                           describe(options) + " plans " +
                               planGeneration(options.cache),
                           options.optimization);
}

ArtifactCache::ArtifactCache(const CompileOptions &options) : options(options) {
  if (!isEnabled())
    return;
  runtime = std::async(std::launch::async,
                       [&options] { return digestOf(options.sdk); });
  if (!options.program.empty())
    setKey(options.program);
}

void ArtifactCache::setGraph(const importer::GraphFile &file) {
  if (isEnabled() && file.kind != importer::GraphFile::SavedModel &&
      options.devices.empty() && options.tuneSeconds == 0)
    setKey("graph " + file.hash + describe(options.import));
}

std::optional<std::string> ArtifactCache::reuse() const {
  if (key.empty())
    return std::nullopt;
  auto kept = cache.find(key);
  if (!kept)
    return std::nullopt;
  // Write to a temporary file in the output's folder and rename it, as the
  // linker does. If the output exists but is not a regular file (/dev/null, for
  // example), return std::nullopt, so that the linker writes to it.
  sys::fs::file_status status;
  if (!sys::fs::status(options.output, status) &&
      !sys::fs::is_regular_file(status))
    return std::nullopt;
  // After a failure, such as a full disk, the linker will report the cause.
  auto file = sys::fs::TempFile::create(options.output + ".tmp-%%%%%%%%");
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  bool isWritten =
      writeAll(*file, StringRef(kept->image.data(), kept->image.size()));
  if (llvm::Error error =
          isWritten ? file->keep(options.output) : file->discard()) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  if (!isWritten)
    return std::nullopt;
  auto mode = sys::fs::perms::all_read | sys::fs::perms::all_exe |
              sys::fs::perms::owner_write;
  if (sys::fs::setPermissions(options.output, mode))
    return std::nullopt;
  return std::move(kept->reason);
}

void ArtifactCache::keep(StringRef messages) const {
  if (key.empty())
    return;
  auto file = MemoryBuffer::getFile(options.output, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file || (*file)->getBufferSize() > maxTrainerBytes)
    return;
  codegen::CompiledKernelImage code;
  StringRef bytes = (*file)->getBuffer();
  code.image.assign(bytes.begin(), bytes.end());
  code.reason = messages.str();
  cache.store(key, code);
  cache.prune();
}

} // namespace ingot::driver
