//===- ComputeSpec.h - Rows of the table of ops on tensors ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The description of an op that becomes one op of ours: its name, and the
// translation of each attribute.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_COMPUTESPEC_H
#define INGOT_COMPILER_IMPORT_COMPUTESPEC_H

#include "compiler/Import/Body.h"
#include "proto/Types.pb.h"
#include <vector>

namespace ingot::importer {

/// One attribute of one of TensorFlow's ops.
struct AttributeSpec {
  enum Kind {
    Implied, // follows from the operands' types
    Bool,
    ElementType,
    Ints,
    String,
    Int,
    Float,
    MustBeFalse
  };
  llvm::StringRef name;
  Kind kind = Implied;
  llvm::StringRef ours = "";
  /// For an absent attribute: the value to write.
  proto::DataType typeByDefault = proto::DT_INVALID;
};

/// One op: the number of its inputs (-1: at least one; anyNumberOfInputs), our
/// op, and its attributes besides `T`, which nearly all have.
constexpr int anyNumberOfInputs = -2;
struct ComputeSpec {
  llvm::StringRef name;
  int inputs;
  llvm::StringRef ours;
  std::vector<AttributeSpec> attributes;
};

/// An op that becomes one op of ours, according to the latter's definition.
struct OpRow {
  ComputeSpec spec;
  Effect effect;
  llvm::SmallVector<llvm::StringRef, 2> outputs; // OpInfo::outputs
};

/// All of them; of those that become the same op, the one to export comes
/// first.
llvm::ArrayRef<OpRow> getOpRows();
/// The row of a name, if it has one.
const ComputeSpec &getOpRow(llvm::StringRef name);

/// Our attributes of a node according to its op's row; nothing, with a problem,
/// if one is unknown or not supported.
std::optional<llvm::SmallVector<mlir::NamedAttribute>>
translateAttributes(NodeImport &node, const ComputeSpec &spec);

/// Imports a node according to its op's row.
void importCompute(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_COMPUTESPEC_H
