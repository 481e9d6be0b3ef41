//===- Descriptor.h - Build the program's descriptor ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the program's descriptor, the ingot_program of runtime/ABI/Program.h,
// and the tables to which it points.
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

/// A kernel's name and, for each CPU target, the properties of its machine code
/// (grid, scratch bytes, operations) that the backend returned with the code.
struct KernelMetadataByTarget {
  std::string name;
  /// facts[i] describes the code for target
  /// ProgramDescriptorContents::targets[i].
  std::vector<codegen::KernelMetadata> facts;
};

/// Counts slots in the argument tables of an entry point's kernel launches.
/// `slots` is the number of slots that the runtime fills only once, before the
/// first run. `constants` is how many of these hold the address of a constant.
struct StaticArgumentSlotCounts {
  size_t slots = 0, constants = 0;
};

/// A program's code for one type of device, such as "cuda".
struct DeviceCodeInfo {
  struct DeviceKernelInfo {
    /// The symbol of the kernel in the image; "" if the kernel runs on the host
    /// instead.
    std::string entry;
    codegen::KernelMetadata facts;
    /// If the step kernel (one GPU kernel that runs all launches of a step)
    /// calls a function for this kernel, `step` is the index of that function
    /// plus one. Otherwise it is 0.
    unsigned step = 0;
  };
  struct DeviceImage {
    /// The device's architecture, such as "sm_90a".
    std::string arch;
    codegen::DeviceImageFormat format;
    /// The image, with the code of all kernels.
    std::string bytes;
    /// The kernels in the program's order.
    std::vector<DeviceKernelInfo> kernels;
    /// Whether the image defines a step kernel (one GPU kernel that runs all
    /// launches of a step), whose symbol is codegen::stepSymbol.
    bool hasStep = false;
  };
  std::string name; // such as "cuda"
  /// The images for different devices, in order of preference.
  std::vector<DeviceImage> images;
  bool isDefault = false;
};

/// Memory that the host code of an entry point accesses itself, without a
/// kernel. If `kind` is INGOT_ARGUMENT_ARENA, this is the range of `size` bytes
/// at offset `number` of the entry point's arena. Otherwise it is the memory of
/// the variable or fetched tensor with the index `number`.
struct HostAccessedRange {
  uint32_t kind; // INGOT_ARGUMENT_ARENA, VARIABLE or FETCH
  bool isWritten;
  int64_t number, size;
};

/// Contents of the descriptor that are not in the program's IR.
struct ProgramDescriptorContents {
  std::string compiler;             // such as "ingotc 0.1.0, LLVM 22.1.8"
  std::string source;               // file name of the graph
  std::string sourceHash;           // SHA-256, hex
  std::vector<std::string> targets; // CPU levels, least demanding first
  std::vector<KernelMetadataByTarget> kernels; // in the program's order
  /// Maps the name of an entry point, or of a function that a dataset calls, to
  /// the size of its arena in bytes.
  llvm::StringMap<int64_t> arenaSizes;
  /// The numbers of slots in the argument tables of launches that the runtime
  /// fills only once, before the first run. The key is the name of the entry
  /// point that does the launches, or of the function that does them if a
  /// dataset calls it.
  llvm::StringMap<StaticArgumentSlotCounts> arguments;
  std::optional<DeviceCodeInfo> device;
  /// The memory that the host code of an entry point accesses itself, without a
  /// kernel. The key is the entry point's name.
  llvm::StringMap<std::vector<HostAccessedRange>> hostMemory;
  /// Texts of remarks that describe the copies between host and device, keyed
  /// by the name of the entry point. ingotc prints them; they are not part of
  /// the descriptor.
  llvm::StringMap<std::vector<std::string>> copies;
  /// Texts of remarks that tell which kernel launches are batched, keyed by the
  /// name of the entry point that launches them.
  llvm::StringMap<std::vector<std::string>> batches;
  /// Texts of remarks that tell how kernel launches run on a device, keyed by
  /// the name of the entry point that launches them.
  llvm::StringMap<std::vector<std::string>> deviceRemarks;
  unsigned defaultThreads = 0;
  /// The serialized MetaGraphDef as a zlib stream; "" if the artifact does not
  /// store it.
  std::string metaGraph;
  uint64_t metaGraphFullSize = 0;
  /// A hash of a library's C header, which becomes the value of the symbol
  /// `ingot_library_interface`. A caller compares it with the hash in the
  /// header that the caller was compiled with. "" in executables.
  std::string libraryInterface;
};

/// The object file of an entry point, or of a function that datasets call,
/// defines three symbols: its code, the initial contents of its launches'
/// argument tables, and a table of the constants to which these contents refer.
/// Return these symbols for the entry point or function `name`.
std::string codeSymbol(llvm::StringRef name);
std::string argumentsSymbol(llvm::StringRef name);
std::string constantsSymbol(llvm::StringRef name);
/// The symbol of a string with the node names of all launches. A row of a
/// launch table refers to a node name by its offset in this string.
inline constexpr llvm::StringLiteral nodesSymbol = "ingot_nodes";

/// Returns the symbol of the runtime's code for a type of device, such as
/// "cuda".
std::string deviceSymbol(llvm::StringRef name);

/// Returns the symbol of a kernel's code for a target, under which profilers
/// show the kernel.
std::string kernelSymbol(llvm::StringRef kernel, llvm::StringRef target);

/// Builds a module in the LLVM dialect that defines `ingot_main_program`.
/// `program` is the module after LowerEntriesToFunctions: it contains the
/// variables, iterators and savers, and functions with host.entry or
/// host.function.
mlir::OwningOpRef<mlir::ModuleOp>
buildDescriptor(mlir::ModuleOp program, const ProgramDescriptorContents &info);

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_DESCRIPTOR_H
