//===- Compile.h - One graph to one artifact --------------------*- C++ -*-===//
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
  /// The text of the program itself, in MLIR, where `input` only names what it
  /// was made of.
  std::string program;
  /// Such a program is an iteration of a search, which runs once: its code is
  /// waited for. Kernels are as good as any.
  bool isForOneRun() const { return !program.empty(); }
  std::string tagSet; // which graph of a SavedModel
  std::string output; // "-" or empty: standard output, for text
  Emit emit = Emit::Executable;
  LibraryName library;        // of Emit::StaticLibrary and SharedLibrary
  Stage stage = Stage::Graph; // of Emit::MLIR
  /// What kernels are compiled by, the least demanding target first; one of
  /// them has a machine for entries, but for Emit::Kernels: kernels alone, by
  /// the first, joined to one image.
  std::vector<std::unique_ptr<codegen::Backend>> backends;
  /// What kernels are compiled by besides, for a kind of device that a trainer
  /// may run them on: images by them. The last is for the oldest devices;
  /// graphs are divided as it asks for.
  std::vector<std::unique_ptr<codegen::Backend>> devices;
  /// Those of the CPU's backends, which are all made with the same.
  Rewrites rewrites() const { return backends.front()->policy().rewrites; }
  bool isDeviceDefault = false; // where nobody says --device
  /// Launches of a training step may be one kernel on devices.
  bool stepKernel = true;
  KernelCache cache;
  /// So long kernels are measured under all plans that their backend has; 0:
  /// not at all.
  double tuneSeconds = 0;
  unsigned optimization = 3;
  unsigned defaultThreads = 0;
  bool check = false, json = false, timing = false, strip = false,
       remarks = false;
  bool embedGraph = true; // for the meta graphs that a trainer writes
  std::string dumpStages; // a folder, or empty
  std::string sdk;        // the folder with the runtime and what it links with
  importer::ImportOptions import;
  /// What a graph that only predicts is to be trained for, and how
  /// (ingot-add-training); empty for others.
  std::string loss, optimizer;
};

/// Compiles; messages go to standard error. Returns the command's exit code:
/// 0; 1 where something could not be read or written; 2 for names that the
/// graph does not have; 3 for a graph that cannot be compiled.
int compile(CompileOptions &options);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_COMPILE_H
