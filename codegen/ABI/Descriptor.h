//===- Descriptor.h - The program's tables for the runtime ------*- C++ -*-===//
//
// Writes the ingot_program of runtime/ABI/Program.h.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_DESCRIPTOR_H
#define INGOT_CODEGEN_ABI_DESCRIPTOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace ingot::abi {

/// What the descriptor says besides what stands in the program itself.
struct DescriptorInfo {
  std::string compiler;                // "ingotc 0.1.0, LLVM 22.1.8"
  std::string source;                  // file name of the graph
  std::string sourceHash;              // SHA-256, hex
  std::vector<std::string> targets;    // rising
  std::vector<std::string> kernels;    // names, for info
  llvm::StringMap<int64_t> arenaSizes; // by entry or function: the largest
  unsigned defaultThreads = 0;
  std::string metaGraph; // a zlib stream; "": the artifact goes without
  uint64_t metaGraphFullSize = 0;
};

/// The symbol under which the object for `target` defines the code of entry or
/// function `name`.
std::string codeSymbol(llvm::StringRef name, llvm::StringRef target);

/// A module in the LLVM dialect that defines `ingot_main_program`. `program` is
/// what LowerEntries left: its variables, iterators and savers, and functions
/// with host.entry or host.function.
mlir::OwningOpRef<mlir::ModuleOp> buildDescriptor(mlir::ModuleOp program,
                                                  const DescriptorInfo &info);

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_DESCRIPTOR_H
