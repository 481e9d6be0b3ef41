//===- InspectArtifact.h - Inspects artifacts -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads the descriptor of a compiled program without running it, whatever
// version of Ingot compiled it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_INSPECTARTIFACT_H
#define INGOT_COMPILER_DRIVER_INSPECTARTIFACT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace ingot::driver {

/// An image of device code for devices of one generation.
struct ArtifactDeviceImage {
  std::string device, arch; // "cuda", "sm_90a"
  bool isBinary = false;    // machine code rather than PTX
};

/// The fields of a descriptor that all versions of the ABI have, and `images`,
/// which is filled only if the descriptor's ABI version is that of this
/// compiler.
struct ArtifactInfo {
  uint32_t abiVersion = 0;
  std::string compiler, source, sourceHash;
  std::vector<std::string> targets;
  std::vector<ArtifactDeviceImage> images;
};

/// Reads the descriptor in the bytes of an artifact. A stripped static PIE has
/// no symbols, so the descriptor is found by its magic number, and its pointers
/// are read from the file's relocations. No offset in the file is trusted. The
/// error's text states the defect, and is to be printed after the file's name.
llvm::Expected<ArtifactInfo> readArtifact(llvm::StringRef bytes);

/// Prints the facts of the artifact at `path`, as text or as JSON. Adds a note
/// if its ABI version is not the one that this compiler writes. Returns the
/// exit code of the command: 0, or 1 if the file cannot be read, is damaged or
/// is not an artifact of Ingot.
int inspect(llvm::StringRef path, bool json);

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_INSPECTARTIFACT_H
