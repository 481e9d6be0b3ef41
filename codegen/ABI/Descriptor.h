//===- Descriptor.h - The program's tables for the runtime ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
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

/// A kernel, and each target's code of it.
struct KernelInfo {
  std::string name;
  std::vector<codegen::KernelFacts> facts; // by target
};

/// The initial contents of argument tables of an entry or function: the number
/// of slots that are set, and how many of them to addresses of constants.
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
    bool hasStep = false;        // whether codegen::stepSymbol is defined
  };
  std::string name;          // "cuda"
  std::vector<Image> images; // those that are preferred first
  bool isDefault = false;
};

/// Memory that an entry's own code accesses: `size` bytes from offset `number`
/// of its arena on, or those of variable `number`.
struct HostMemory {
  bool isVariable, isWritten;
  int64_t number, size;
};

/// Contents of the descriptor that are not in the program's IR.
struct DescriptorInfo {
  std::string compiler;                      // "ingotc 0.1.0, LLVM 22.1.8"
  std::string source;                        // file name of the graph
  std::string sourceHash;                    // SHA-256, hex
  std::vector<std::string> targets;          // least demanding first
  std::vector<KernelInfo> kernels;           // in the program's order
  llvm::StringMap<int64_t> arenaSizes;       // by entry or function
  llvm::StringMap<ArgumentCounts> arguments; // likewise
  std::optional<DeviceInfo> device;
  llvm::StringMap<std::vector<HostMemory>> hostMemory; // by entry
  /// By entry, the copies between host and device as text for remarks; not part
  /// of the descriptor.
  llvm::StringMap<std::vector<std::string>> copies;
  /// Likewise, which launches are batched.
  llvm::StringMap<std::vector<std::string>> batches;
  /// Likewise, how its launches run on a device.
  llvm::StringMap<std::vector<std::string>> deviceRemarks;
  unsigned defaultThreads = 0;
  std::string metaGraph; // a zlib stream; "": the artifact goes without
  uint64_t metaGraphFullSize = 0;
  /// Of a library: the hash of its header, as `ingot_library_interface`.
  std::string libraryInterface;
};

/// The symbols that objects of entries define for entry or function `name`: its
/// code, the initial contents of its argument tables, and the constants that
/// these refer to.
std::string codeSymbol(llvm::StringRef name);
std::string argumentsSymbol(llvm::StringRef name);
std::string constantsSymbol(llvm::StringRef name);
/// The one with the names of nodes that rows refer to.
inline constexpr llvm::StringLiteral nodesSymbol = "ingot_nodes";

/// The runtime's symbol that opens a kind of device.
std::string deviceSymbol(llvm::StringRef name);

/// The symbol of a kernel's code for a target, which profilers show.
std::string kernelSymbol(llvm::StringRef kernel, llvm::StringRef target);

/// A module in the LLVM dialect that defines `ingot_main_program`. `program` is
/// the module after LowerEntries: its variables, iterators and savers, and
/// functions with host.entry or host.function.
mlir::OwningOpRef<mlir::ModuleOp> buildDescriptor(mlir::ModuleOp program,
                                                  const DescriptorInfo &info);

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_DESCRIPTOR_H
