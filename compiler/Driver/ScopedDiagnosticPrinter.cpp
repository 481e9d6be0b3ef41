//===- ScopedDiagnosticPrinter.cpp - Prints diagnostics for users ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ScopedDiagnosticPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace ingot::driver {

/// Returns the name of the node at a location: the first name in the location,
/// which may be fused from several locations.
static llvm::StringRef nodeOf(Location location) {
  llvm::StringRef node;
  location->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name)
      return WalkResult::advance();
    node = name.getName().getValue();
    return WalkResult::interrupt();
  });
  return node;
}

void ScopedDiagnosticPrinter::printOne(const Diagnostic &diagnostic) const {
  llvm::raw_ostream &os =
      diagnostic.getSeverity() == DiagnosticSeverity::Error
          ? llvm::WithColor::error()
      : diagnostic.getSeverity() == DiagnosticSeverity::Warning
          ? llvm::WithColor::warning()
      : diagnostic.getSeverity() == DiagnosticSeverity::Remark
          ? llvm::WithColor::remark()
          : llvm::WithColor::note();
  llvm::StringRef node = nodeOf(diagnostic.getLocation());
  if (node == input && !node.empty())
    os << input << ": ";
  else if (!node.empty())
    os << "node '" << node << "': ";
  else if (auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    os << file.getFilename().getValue() << ':' << file.getLine() << ": ";
  os << diagnostic.str() << '\n';
}

ScopedDiagnosticPrinter::ScopedDiagnosticPrinter(MLIRContext &context,
                                                 llvm::StringRef input)
    : input(input), handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          ++numErrors;
        if (isCollected(diagnostic))
          return success();
        bool isWarning =
            diagnostic.getSeverity() == DiagnosticSeverity::Warning;
        bool isRemark = diagnostic.getSeverity() == DiagnosticSeverity::Remark;
        if (isWarning || (!quiet && (remarks || !isRemark)))
          print(diagnostic);
        return success();
      }) {}

bool ScopedDiagnosticPrinter::isCollected(const Diagnostic &diagnostic) const {
  if (!collector || diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return false;
  llvm::StringRef node = nodeOf(diagnostic.getLocation());
  return !node.empty() && node != input && collector(node, diagnostic.str());
}

void ScopedDiagnosticPrinter::print(Diagnostic &diagnostic) {
  printOne(diagnostic);
  for (const Diagnostic &note : diagnostic.getNotes())
    printOne(note);
}

} // namespace ingot::driver
