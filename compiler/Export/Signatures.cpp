//===- Signatures.cpp - The arguments of TensorFlow's ops -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Signatures.h"

#include "llvm/ADT/StringMap.h"

using llvm::StringRef;

namespace ingot::exporter {

// Parses a list of arguments, such as "values:N*T axis:Tidx names:=string
// inputs:Tin[]": N tensors of type T, a tensor of type Tidx, a string tensor,
// and a list of tensors whose types are in Tin.
static llvm::SmallVector<OpArgument, 4> parse(StringRef text) {
  llvm::SmallVector<OpArgument, 4> arguments;
  while (!text.empty()) {
    StringRef word;
    std::tie(word, text) = text.split(' ');
    OpArgument argument;
    StringRef kind;
    std::tie(argument.name, kind) = word.split(':');
    if (kind.contains('*'))
      std::tie(argument.number, kind) = kind.split('*');
    argument.isTypeList = kind.consume_back("[]");
    if (!kind.starts_with("="))
      argument.type = kind;
    arguments.push_back(argument);
  }
  return arguments;
}

const OpSignature *findSignature(StringRef op) {
  static const llvm::StringMap<OpSignature> signatures = [] {
    struct OpSignatureTableRow {
      const char *op, *inputs, *outputs;
    };
    static constexpr OpSignatureTableRow rows[] = {
#include "compiler/Export/Signatures.inc"
    };
    llvm::StringMap<OpSignature> result;
    for (const OpSignatureTableRow &row : rows)
      result[row.op] = {parse(row.inputs), parse(row.outputs)};
    return result;
  }();
  auto found = signatures.find(op);
  return found == signatures.end() ? nullptr : &found->second;
}

} // namespace ingot::exporter
