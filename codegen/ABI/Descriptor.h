//===- Descriptor.h - The program's tables for the runtime ------*- C++ -*-===//
//
// Writes the ingot_program of runtime/ABI/Program.h.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_DESCRIPTOR_H
#define INGOT_CODEGEN_ABI_DESCRIPTOR_H

#include "codegen/Backend.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::abi {

/// A kernel, and what each target's code of it is.
struct KernelInfo {
  std::string name;
  std::vector<codegen::KernelFacts> facts; // by target
};

/// What argument tables of an entry or function hold from the start: how many
/// slots are set, and how many of them to addresses of constants.
struct ArgumentCounts {
  size_t slots = 0, constants = 0;
};

/// Kernels' code for a kind of device.
struct DeviceInfo {
  struct Kernel {
    std::string entry; // "": the kernel stays on the host
    codegen::KernelFacts facts;
    unsigned step = 0; // one more than its function's number; 0: it has none
  };
  struct Image {
    std::string arch; // "sm_90a"
    codegen::ImageFormat format;
    std::string bytes;           // all kernels' code
    std::vector<Kernel> kernels; // in the program's order
    bool hasStep = false;        // codegen::stepSymbol is there
  };
  std::string name;          // "cuda"
  std::vector<Image> images; // those that are preferred first
  bool isDefault = false;
};

/// Bytes that an entry's own code touches: `size` of them from `number` on of
/// its arena, or those of variable `number`.
struct HostMemory {
  bool isVariable, isWritten;
  int64_t number, size;
};

/// What the descriptor says besides what stands in the program itself.
struct DescriptorInfo {
  std::string compiler;                      // "ingotc 0.1.0, LLVM 22.1.8"
  std::string source;                        // file name of the graph
  std::string sourceHash;                    // SHA-256, hex
  std::vector<std::string> targets;          // rising
  std::vector<KernelInfo> kernels;           // in the program's order
  llvm::StringMap<int64_t> arenaSizes;       // by entry or function
  llvm::StringMap<ArgumentCounts> arguments; // likewise
  std::optional<DeviceInfo> device;
  llvm::StringMap<std::vector<HostMemory>> hostMemory; // by entry
  /// By entry, what is copied between host and device, in words; no part of
  /// the descriptor.
  llvm::StringMap<std::vector<std::string>> copies;
  /// Likewise, which launches are one.
  llvm::StringMap<std::vector<std::string>> batches;
  /// Likewise, how its launches run on a device.
  llvm::StringMap<std::vector<std::string>> deviceRemarks;
  unsigned defaultThreads = 0;
  std::string metaGraph; // a zlib stream; "": the artifact goes without
  uint64_t metaGraphFullSize = 0;
  /// Of a library: the hash of its header, as `ingot_library_interface`.
  std::string libraryInterface;
};

/// The symbols that objects of entries define, for entry or function `name`:
/// its code, what its argument tables hold from the start, and the constants
/// that these refer to.
std::string codeSymbol(llvm::StringRef name);
std::string argumentsSymbol(llvm::StringRef name);
std::string constantsSymbol(llvm::StringRef name);
/// The one with the names of nodes that rows refer to.
inline constexpr llvm::StringLiteral nodesSymbol = "ingot_nodes";

/// The runtime's own: how it opens a kind of device.
std::string deviceSymbol(llvm::StringRef name);

/// The symbol of a kernel's code for a target: what profiles show.
std::string kernelSymbol(llvm::StringRef kernel, llvm::StringRef target);

/// A module in the LLVM dialect that defines `ingot_main_program`. `program` is
/// what LowerEntries left: its variables, iterators and savers, and functions
/// with host.entry or host.function.
mlir::OwningOpRef<mlir::ModuleOp> buildDescriptor(mlir::ModuleOp program,
                                                  const DescriptorInfo &info);

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_DESCRIPTOR_H
