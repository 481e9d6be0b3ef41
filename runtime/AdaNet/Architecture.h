//===- Architecture.h - architecture-<t>.json -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The files in which AdaNet keeps finished iterations: the members of the
// winning ensemble, by name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_ADANET_ARCHITECTURE_H
#define INGOT_RUNTIME_ADANET_ARCHITECTURE_H

#include "runtime/Support/FileSystem.h"

#include <optional>
#include <string>
#include <vector>

namespace ingot::adanet {

struct Architecture {
  struct Member {
    int64_t iteration = 0;
    std::string builder;
    /// "t0_linear", as scopes of variables have it.
    std::string name() const {
      return "t" + std::to_string(iteration) + "_" + builder;
    }
  };
  int64_t iteration = 0;
  std::string candidate; // "linear_grow"
  /// Older layouts lack the following three.
  std::optional<std::string> ensembler;
  std::optional<int64_t> globalStep;
  std::vector<int64_t> replayIndices;
  std::vector<Member> members; // in the ensemble's order

  /// "t0_linear_grow_complexity_regularized", where the ensembler is known.
  std::string ensembleName() const;
};

/// `<directory>/architecture-<iteration>.json`.
std::string architecturePath(const std::string &directory, int64_t iteration);

/// Reads one. NotFound if it does not exist; DataLoss with file, offset and
/// remedy where it is damaged or lacks a field that every layout has.
Expected<Architecture> readArchitecture(FileSystem &fileSystem,
                                        const std::string &directory,
                                        int64_t iteration);

/// The architectures of iterations 0 to `iterations` - 1. A missing one is an
/// error that names it; so is a directory without any.
Expected<std::vector<Architecture>>
readArchitectures(FileSystem &fileSystem, const std::string &directory,
                  int64_t iterations);

/// How many iterations in a row the directory has architecture files of, from
/// 0 on to the highest; NotFound, naming it, where one between is missing.
Expected<int64_t> countArchitectures(FileSystem &fileSystem,
                                     const std::string &directory);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_ARCHITECTURE_H
