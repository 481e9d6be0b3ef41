//===- Compile.h - Compiles one graph to one artifact -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// What `ingotc` does, as a library.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_COMPILE_H
#define INGOT_COMPILER_DRIVER_COMPILE_H

#include "codegen/Backend.h"
#include "compiler/Driver/KernelCache.h"
#include "compiler/Driver/LibraryName.h"
#include "compiler/Import/Import.h"

#include <memory>
#include <string>
#include <vector>

namespace ingot::driver {

enum class Emit {
  Executable,
  StaticLibrary,
  SharedLibrary,
  Object,
  LLVM,
  Kernels,
  MLIR
};
enum class Stage { Import, Graph, Linalg, MemRef, LLVM };

struct CompileOptions {
  std::string input; // .meta, .pb, .pbtxt or .mlir
  /// The program's text in MLIR; `input` is then only its name.
  std::string program;
  /// The program is an iteration of a search that runs once, and the user waits
  /// for its compilation. Kernels are optimized as ever.
  bool isForOneRun() const { return !program.empty(); }
  std::string tagSet; // graph of a SavedModel
  std::string output; // "-" or empty: standard output, for text
  Emit emit = Emit::Executable;
  LibraryName library;        // of Emit::StaticLibrary and SharedLibrary
  Stage stage = Stage::Graph; // of Emit::MLIR
  /// The backends of kernels, the least demanding target first; one of them
  /// compiles entries, too. With Emit::Kernels only kernels are compiled, by
  /// the first backend, joined to one image.
  std::vector<std::unique_ptr<codegen::Backend>> backends;
  /// Further backends of kernels, for the devices of a kind that a trainer may
  /// run them on: they make images. The last is for the oldest devices; its
  /// policy divides graphs into kernels.
  std::vector<std::unique_ptr<codegen::Backend>> devices;
  /// The options of all CPU backends, which are created with the same.
  Rewrites rewrites() const { return backends.front()->policy().rewrites; }
  bool isDeviceDefault = false; // the default of --device
  /// Launches of a training step may form one step kernel on devices.
  bool stepKernel = true;
  KernelCache cache;
  /// Seconds of autotuning, over all plans of the backends; 0: none.
  double tuneSeconds = 0;
  unsigned optimization = 3;
  unsigned defaultThreads = 0;
  bool check = false, json = false, timing = false, strip = false,
       remarks = false;
  bool embedGraph = true; // for the meta graphs that a trainer writes
  std::string dumpStages; // a folder, or empty
  std::string
      sdk; // the folder with the runtime and the libraries that it links with
  importer::ImportOptions import;
  /// The loss and the optimizer to add to an inference graph
  /// (ingot-add-training); empty for others.
  std::string loss, optimizer;
};

/// Compiles; messages go to standard error. Returns the command's exit code: 0;
/// 1 for failed reads or writes; 2 for unknown names; 3 for a graph that cannot
/// be compiled.
int compile(CompileOptions &options);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_COMPILE_H
