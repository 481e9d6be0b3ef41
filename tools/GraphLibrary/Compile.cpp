//===- Compile.cpp - From a graph in memory to a trainer ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Compile.h"
#include "codegen/CPU/CPUBackend.h"
#include "compiler/Builder/GraphImpl.h"
#include "tools/GraphLibrary/CompileText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdio>

namespace ingot::graph {

static bool fail(const std::string &message) {
  fprintf(stderr, "error: %s\n", message.c_str());
  return false;
}

static std::string besideProgram() {
  llvm::SmallString<128> path(llvm::sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&compileText)));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "..", "lib", "ingot");
  return path.str().str();
}

static bool addBackends(std::vector<std::string> names,
                        driver::CompileOptions &options) {
  if (names.empty())
    for (llvm::StringRef level : cpu::levelNames())
      names.push_back(level.str());
  for (const std::string &name : names) {
    auto backend = cpu::createBackend(name, /*sanitize=*/false);
    if (!backend)
      return fail("unknown CPU level '" + name + "': expected native, " +
                  llvm::join(cpu::levelNames(), ", "));
    if (llvm::none_of(options.backends, [&](const auto &other) {
          return other->name() == backend->name();
        }))
      options.backends.push_back(std::move(backend));
  }
  llvm::sort(options.backends, [](const auto &a, const auto &b) {
    return a->name() < b->name();
  });
  return true;
}

// Opens the kernel cache. Fails if the caller has chosen a folder that cannot
// be used. If the default folder cannot be used, the compilation continues
// without a cache.
static bool openCache(const CompileOptions &asked,
                      driver::CompileOptions &options) {
  std::string folder = asked.cacheFolder.empty()
                           ? driver::KernelCache::defaultFolder()
                           : asked.cacheFolder;
  if (!asked.useCache || folder.empty())
    return true;
  llvm::Expected<driver::KernelCache> cache = driver::KernelCache::open(folder);
  if (cache) {
    options.cache = *cache;
    return true;
  }
  std::string message = llvm::toString(cache.takeError());
  return asked.cacheFolder.empty() || fail(message);
}

/// Sets the kind of the output (executable, static or shared library) and the
/// library's name in `options`. Returns false, after printing an error, if the
/// name does not suit the kind.
static bool setArtifact(const ArtifactSpec &artifact,
                        driver::CompileOptions &options) {
  if (artifact.kind == ArtifactSpec::Executable)
    return artifact.name.empty() ||
           fail("name '" + artifact.name +
                "' is given for an executable, but only libraries have names");
  bool isStatic = artifact.kind == ArtifactSpec::StaticLibrary;
  options.emit = isStatic ? driver::OutputKind::StaticLibrary
                          : driver::OutputKind::SharedLibrary;
  llvm::Expected<driver::LibraryName> name = driver::LibraryName::of(
      options.output, isStatic ? ".a" : ".so", artifact.name);
  if (!name)
    return fail(llvm::toString(name.takeError()));
  options.library = *name;
  return true;
}

int compileText(std::string program, const std::string &name,
                const std::string &output, const CompileOptions &asked,
                const ArtifactSpec &artifact) {
  driver::CompileOptions options;
  options.input = name;
  options.program = std::move(program);
  options.output = output;
  options.strip = true;
  options.defaultThreads = asked.threads;
  options.isParallel = asked.isParallel;
  options.slices = asked.slices;
  options.sdk =
      asked.runtimeFolder.empty() ? besideProgram() : asked.runtimeFolder;
  constexpr unsigned mostSlices = 256;
  if (asked.slices != 0 && !asked.isParallel) {
    fail("slices is " + std::to_string(asked.slices) +
         ", but isParallel is not set: only a program for several processes "
         "divides batches into slices");
    return 2;
  }
  if (asked.slices > mostSlices) {
    fail("slices: expected a number from 1 to " + std::to_string(mostSlices) +
         ", found " + std::to_string(asked.slices));
    return 2;
  }
  if (asked.isParallel && artifact.kind != ArtifactSpec::Executable) {
    fail("isParallel is set for a library, but only executables can run as "
         "several processes");
    return 2;
  }
  if (!addBackends(asked.cpus, options) || !setArtifact(artifact, options))
    return 2;
  return openCache(asked, options) ? driver::compile(options) : 1;
}

bool compile(Graph &graph, const std::string &path,
             const CompileOptions &asked) {
  if (!graph.finish())
    return fail("the graph has errors:\n" + graph.errors());
  return compileText(graph.toMLIR(), path + ".mlir", path, asked) == 0;
}

} // namespace ingot::graph
