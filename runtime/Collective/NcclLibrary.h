//===- NcclLibrary.h - Loads NCCL -------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// NCCL without nccl.h, for the memory of GPUs: a trainer is compiled once, and
// runs with the NCCL that a machine has, or without one.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_NCCLLIBRARY_H
#define INGOT_RUNTIME_COLLECTIVE_NCCLLIBRARY_H

#include "runtime/Support/Expected.h"

#include <cstddef>
#include <string>

namespace ingot {

/// The functions of an NCCL library.
struct NcclLibrary {
  using Comm = struct NcclCommunicator *;
  using Stream = void *; // a CUstream
  /// Identifies the communicator that ranks form.
  struct UniqueId {
    char bytes[128];
  };
  /// The first fields of ncclConfig_t, which NCCL 2.14 has. Later versions look
  /// at `size` and `version`, and use defaults for later fields.
  struct Config {
    size_t size = sizeof(Config);
    unsigned magic = 0xcafebeef, version = oldestVersion;
    int blocking = 1;
  };
  /// Results of functions, of which other values than these are failures.
  enum : int { success = 0, inProgress = 7 };
  /// The type of elements that are bytes.
  enum : int { uint8 = 1 };
  /// NCCL 2.14, the first version with communicators that do not block.
  static constexpr unsigned oldestVersion = 21400;

#define INGOT_NCCL(result, name, parameters) result(*name) parameters = nullptr;
#include "runtime/Collective/NcclLibrary.def"
  std::string version; // "NCCL 2.18.3"

  /// Loads the library `name`. Returns Unavailable, with the reason, if there
  /// is none, if it lacks a function or if it is older than NCCL 2.14.
  static Expected<NcclLibrary> load(const char *name = "libnccl.so.2");

  /// Returns the Status for the result `error` of nccl<function>, with the
  /// library's description of it. `comm` may be null.
  Status statusOf(int error, const char *function, Comm comm) const;
};

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_NCCLLIBRARY_H
