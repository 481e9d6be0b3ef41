//===- Compile.h - Compiles one graph to one artifact -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The `ingotc` command as a library: import, all stages, and the link.
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

enum class OutputKind {
  Executable,
  StaticLibrary,
  SharedLibrary,
  Object,
  LLVM,
  Kernels,
  MLIR
};
enum class Stage { Import, Graph, Linalg, MemRef, LLVM };

/// The input, the targets and the outputs of a compilation: the flags of
/// `ingotc`.
struct CompileOptions {
  std::string input; // a .meta, .pb, .pbtxt or .mlir file
  /// The program as MLIR text. If not empty, this text is compiled instead of a
  /// file, and `input` is only a name for messages.
  std::string program;
  /// Returns whether the program is an iteration of an AdaNet search. Such a
  /// program runs only once, while the user waits, so its entries are not
  /// optimized and linking is quicker. Its kernels are optimized as in any
  /// other compilation.
  bool isForOneRun() const { return !program.empty(); }
  std::string tagSet; // selects the graph of a SavedModel
  /// The file that says what arguments and results of a step in StableHLO are;
  /// "": the one beside the input.
  std::string roles;
  std::string output; // "-" or empty: text goes to standard output
  OutputKind emit = OutputKind::Executable;
  LibraryName library;        // for OutputKind::StaticLibrary and SharedLibrary
  Stage stage = Stage::Graph; // for OutputKind::MLIR
  /// The backends that compile kernels: those of CPUs, in ascending order of
  /// the CPU features that they require. Entries are compiled once, for the CPU
  /// of the first backend. With OutputKind::Kernels there is a single backend,
  /// for a GPU, and the output is one image of all kernels.
  std::vector<std::unique_ptr<codegen::Backend>> backends;
  /// Backends for the device that a trainer may run its kernels on, one for
  /// each image of device code. The last one is for the oldest devices; its
  /// policy decides how graphs are divided into kernels.
  std::vector<std::unique_ptr<codegen::Backend>> devices;
  /// Returns which rewrites (optional optimizations, codegen/Rewrites.def) are
  /// enabled. All CPU backends are created with the same set.
  OptionalPassSet rewrites() const {
    return backends.front()->policy().rewrites;
  }
  bool isDeviceDefault = false; // the trainer uses the device by default
  /// Whether consecutive launches in a training step may be compiled to one
  /// GPU kernel, a step kernel.
  bool stepKernel = false;
  KernelCache cache;
  /// The time for autotuning in seconds, for all backends together. 0 turns
  /// autotuning off.
  double tuneSeconds = 0;
  /// Whether several processes may train the program, and the number of slices
  /// into which they divide a batch. 0 means the number that defaultSlices()
  /// returns.
  bool isParallel = false;
  /// With --shard-optimizer: the least size of a slot that processes divide
  /// among them. 0: they divide none.
  uint64_t leastShardedBytes = 0;
  unsigned slices = 0;
  /// The most bytes that the arena of a training step may have. 0: as few as
  /// possible.
  std::optional<uint64_t> maxStepMemory;
  unsigned optimization = 3;
  unsigned defaultThreads = 0;
  bool check = false, json = false, timing = false, strip = false,
       remarks = false, progress = false;
  /// Whether the process ends after the compilation, so that it need not free
  /// its memory.
  bool endsProcess = false;
  bool embedGraph = true; // for the trainer's option --write-meta-graph
  std::string dumpStages; // the folder of --dump-stages, or empty
  std::string
      sdk; // the folder with the runtime and the libraries that it links with
  importer::ImportOptions import;
  /// The loss and the optimizer of a training step that is added to an
  /// inference graph (ingot-add-training-step): the name of a tensor, and text
  /// such as "adam:0.001". Both are empty if no step is added.
  std::string loss, optimizer;
};

/// Compiles according to `options`, and prints messages to standard error.
/// Returns the exit code of the command: 0 on success, 1 if a file cannot be
/// read or written, 2 for an unknown name, 3 if the graph cannot be compiled.
int compile(CompileOptions &options);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_COMPILE_H
