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

/// Stands for the input's path at the start of a message, because another
/// compilation of the same graph may read it from another path.
static constexpr llvm::StringLiteral inputMark("\1");

static llvm::raw_ostream &streamOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return llvm::WithColor::error();
  case DiagnosticSeverity::Warning:
    return llvm::WithColor::warning();
  case DiagnosticSeverity::Remark:
    return llvm::WithColor::remark();
  case DiagnosticSeverity::Note:
    return llvm::WithColor::note();
  }
  llvm_unreachable("all severities are listed");
}

void ScopedDiagnosticPrinter::printOne(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::StringRef node = nodeOf(diagnostic.getLocation());
  if (node == input && !node.empty())
    os << inputMark;
  else if (!node.empty())
    os << "node '" << node << "': ";
  else if (auto file = dyn_cast<FileLineColLoc>(diagnostic.getLocation()))
    os << file.getFilename().getValue() << ':' << file.getLine() << ": ";
  os << diagnostic.str();
  std::string message =
      char('0' + unsigned(diagnostic.getSeverity())) + text + '\0';
  printAgain(message);
  theMessages += message;
}

void ScopedDiagnosticPrinter::printAgain(llvm::StringRef messages) const {
  while (!messages.empty()) {
    auto [message, others] = messages.split('\0');
    llvm::raw_ostream &os = streamOf(DiagnosticSeverity(message.front() - '0'));
    llvm::StringRef text = message.drop_front();
    if (text.consume_front(inputMark))
      os << input << ": ";
    os << text << '\n';
    messages = others;
  }
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
