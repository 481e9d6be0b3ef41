//===- Inspect.h - Inspects artifacts ---------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the descriptor of a compiled program without running it, whatever
// version of Ingot compiled it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_INSPECT_H
#define INGOT_COMPILER_DRIVER_INSPECT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// Device code of kernels for devices of one generation.
struct ArtifactImage {
  std::string device, arch; // "cuda", "sm_90a"
  bool isBinary = false;    // machine code, else PTX
};

/// The leading fields of every version's descriptor; for this version also the
/// devices that it has code for.
struct ArtifactInfo {
  uint32_t abiVersion = 0;
  std::string compiler, source, sourceHash;
  std::vector<std::string> targets;
  std::vector<ArtifactImage> images;
};

/// Reads the bytes of an artifact, a stripped static PIE: no symbol names its
/// descriptor, which is found by its magic number and by pointers that the
/// file's relocations set. No offset in the file is trusted; the error states
/// the fault, to follow the file's name.
llvm::Expected<ArtifactInfo> readArtifact(llvm::StringRef bytes);

/// Prints the facts of the artifact at `path`, on request as JSON, and whether
/// this compiler writes the same format. Returns the command's exit code: 0, or
/// 1 if the file cannot be read, is damaged or not Ingot's.
int inspect(llvm::StringRef path, bool json);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_INSPECT_H
