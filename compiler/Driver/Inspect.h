//===- Inspect.h - Which Ingot made an artifact -----------------*- C++ -*-===//
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

/// Kernels' code for devices of one generation.
struct ArtifactImage {
  std::string device, arch; // "cuda", "sm_90a"
  bool isBinary = false;    // machine code, else PTX
};

/// What every version's descriptor says in its leading fields; of this
/// version's also what devices it has code for.
struct ArtifactInfo {
  uint32_t abiVersion = 0;
  std::string compiler, source, sourceHash;
  std::vector<std::string> targets;
  std::vector<ArtifactImage> images;
};

/// Reads the bytes of an artifact, a stripped static PIE: no symbol names its
/// descriptor, which is found by its magic number and by pointers that the
/// file's relocations fill in. No offset in the file is trusted; the error says
/// what is wrong, for a message that names the file in front.
llvm::Expected<ArtifactInfo> readArtifact(llvm::StringRef bytes);

/// Prints what the artifact at `path` is, as JSON where asked, and whether this
/// Ingot makes the same format. Returns the command's exit code: 0, or 1 where
/// the file cannot be read, is damaged or none of Ingot's.
int inspect(llvm::StringRef path, bool json);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_INSPECT_H
