//===- ScopedDiagnosticPrinter.h - Prints diagnostics for users -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Prints MLIR's diagnostics. If a program was imported from a graph, its
// locations are the names of the user's nodes, and each message begins with
// such a name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_DRIVER_SCOPEDDIAGNOSTICPRINTER_H
#define INGOT_COMPILER_DRIVER_SCOPEDDIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <functional>
#include <string>

namespace ingot::driver {

/// Prints the diagnostics of an MLIR context as long as this object lives.
class ScopedDiagnosticPrinter {
public:
  /// `input` is the path of the input file. A message that is located at this
  /// file, and not at a node, is prefixed with the path.
  ScopedDiagnosticPrinter(mlir::MLIRContext &context, llvm::StringRef input);

  /// Receives each error that is located at a node. Returns true if it has
  /// recorded the error, which is then not printed.
  using Collector =
      std::function<bool(llvm::StringRef node, llvm::StringRef message)>;
  void setCollector(Collector value) { collector = std::move(value); }

  /// If `value` is true, errors are counted, but not printed. Warnings are
  /// printed in either case.
  void setQuiet(bool value) { quiet = value; }
  /// If `value` is true, remarks are printed, too.
  void setRemarks(bool value) { remarks = value; }
  bool sawErrors() const { return numErrors != 0; }

  /// Returns what was printed so far, for `printAgain`.
  llvm::StringRef messages() const { return theMessages; }
  /// Prints the messages that another compilation of the same graph printed,
  /// with the path of this one's input.
  void printAgain(llvm::StringRef messages) const;

private:
  bool isCollected(const mlir::Diagnostic &diagnostic) const;
  void print(mlir::Diagnostic &diagnostic);

  void printOne(const mlir::Diagnostic &diagnostic);

  std::string input;
  /// For each message its severity as a digit, its text, and a zero byte.
  std::string theMessages;
  Collector collector;
  bool quiet = false, remarks = false;
  unsigned numErrors = 0;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace ingot::driver

#endif // INGOT_COMPILER_DRIVER_SCOPEDDIAGNOSTICPRINTER_H
