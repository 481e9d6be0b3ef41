//===- ComputeSpec.h - Rows of the table of ops on tensors ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Describes TensorFlow ops that become one op of the ingot dialect: the name of
// that op, and how each attribute is translated.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_COMPUTESPEC_H
#define INGOT_COMPILER_IMPORT_COMPUTESPEC_H

#include "compiler/Import/Body.h"
#include "proto/Types.pb.h"
#include <vector>

namespace ingot::importer {

/// How one attribute of a TensorFlow op is translated: to attribute `ours` of
/// our op.
struct AttributeSpec {
  enum Kind {
    Implied, // not translated: follows from the operands' types
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
  /// For `ElementType`: the type that an absent attribute stands for;
  /// DT_INVALID if the attribute is required.
  proto::DataType typeByDefault = proto::DT_INVALID;
};

/// The value of `ComputeSpec::inputs` for an op with any number of inputs; -1
/// stands for at least one input.
constexpr int anyNumberOfInputs = -2;
/// One TensorFlow op: its name, the number of its inputs, the name of our op,
/// and its attributes except `T`, which nearly all ops have.
struct ComputeSpec {
  llvm::StringRef name;
  int inputs;
  llvm::StringRef ours;
  std::vector<AttributeSpec> attributes;
};

/// A TensorFlow op that becomes one op of ours, generated from our op's
/// definition.
struct OpRow {
  ComputeSpec spec;
  Effect effect;
  llvm::SmallVector<llvm::StringRef, 2> outputs; // OpInfo::outputs
};

/// Returns all rows. Of several TensorFlow ops that become the same op of ours,
/// the one that the exporter writes comes first.
llvm::ArrayRef<OpRow> getOpRows();
/// Returns the row of the TensorFlow op `name`, which must have one.
const ComputeSpec &getOpRow(llvm::StringRef name);

/// Translates the attributes of a node as `spec` says. Returns std::nullopt,
/// with a recorded problem, if an attribute is unknown or not supported.
std::optional<llvm::SmallVector<mlir::NamedAttribute>>
translateAttributes(NodeImport &node, const ComputeSpec &spec);

/// Imports a node according to its op's row.
void importCompute(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_COMPUTESPEC_H
