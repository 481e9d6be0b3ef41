//===- MpiLibrary.h - Loads an MPI library ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// MPI without mpi.h: a trainer is compiled once, and runs with whatever MPI
// library the cluster has. Three binary interfaces (ABIs) are supported, which
// differ in the values of constants and in the type of requests:
//
//   | ABI      | libraries                      | found by the symbol        |
//   | MPI 5's  | libmpi_abi.so.0                | MPI_Abi_get_version (>= 1) |
//   | Open MPI | libmpi.so.40, versions 3 to 5  | ompi_mpi_comm_world        |
//   | MPICH    | libmpi.so.12, libmpich.so.12:  | MPIR_Dup_fn, part of that  |
//   |          | MPICH, Intel, MVAPICH, Cray    | ABI's mpi.h                |
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_COLLECTIVE_MPILIBRARY_H
#define INGOT_RUNTIME_COLLECTIVE_MPILIBRARY_H

#include "runtime/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ingot {

/// The functions and constants of an MPI library.
struct MpiLibrary {
  using Handle = uintptr_t;

  /// MPI constants whose values differ between the ABIs.
  struct MpiAbiConstants {
    Handle world = 0, byte = 0, errorsReturn = 0;
    void *inPlace = nullptr, *statusesIgnore = nullptr;
    int funneled = 1, serialized = 2; // levels of thread support
    size_t requestBytes = sizeof(void *);
  };

#define INGOT_MPI(name, parameters) int(*name) parameters = nullptr;
#include "runtime/Collective/MpiLibrary.def"
  MpiAbiConstants constants;
  std::string path; // as given to the loader

  /// Returns the value of an environment variable, or null.
  using Environment = std::function<const char *(const char *)>;

  /// Returns the names of the libraries to try, in order: only `path` if it is
  /// not empty; otherwise, the library of the launcher that started this
  /// process comes first.
  static std::vector<std::string> candidates(const std::string &path,
                                             const Environment &environment);

  /// Loads the first library of `names` that exists. Returns NotFound, with the
  /// names that were tried, if there is none, and FailedPrecondition if the
  /// library has none of the three ABIs.
  static Expected<MpiLibrary> load(const std::vector<std::string> &names);

  /// Returns the name and version, such as "Open MPI 4.1.4" or "MPICH 4.0.2".
  std::string version() const;

  /// Returns the Status for error code `error` of MPI_<function>, with the
  /// library's description of it.
  Status statusOf(int error, const char *function) const;
};

/// Extracts the name and version from the text of MPI_Get_library_version().
std::string shortMpiVersion(const std::string &text);

} // namespace ingot

#endif // INGOT_RUNTIME_COLLECTIVE_MPILIBRARY_H
