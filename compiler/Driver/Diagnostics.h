//===- Diagnostics.h - Prints diagnostics for users -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Locations are nodes of the user's graph; a message names its node.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_DIAGNOSTICS_H
#define INGOT_COMPILER_DRIVER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <string>

namespace ingot::driver {

/// Prints the diagnostics of a context while it lives.
class Diagnostics {
public:
  /// `input` is the file named in messages without a node.
  Diagnostics(mlir::MLIRContext &context, llvm::StringRef input);

  /// Handles an error about a node in place of printing it; false to print it.
  using Collector =
      std::function<bool(llvm::StringRef node, llvm::StringRef message)>;
  void setCollector(Collector value) { collector = std::move(value); }

  /// Counts errors without printing.
  void setQuiet(bool value) { quiet = value; }
  /// Prints remarks, too.
  void setRemarks(bool value) { remarks = value; }
  bool sawErrors() const { return numErrors != 0; }

private:
  bool isCollected(const mlir::Diagnostic &diagnostic) const;
  void print(mlir::Diagnostic &diagnostic);

  void printOne(const mlir::Diagnostic &diagnostic) const;

  std::string input;
  Collector collector;
  bool quiet = false, remarks = false;
  unsigned numErrors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_DIAGNOSTICS_H
