//===- OneToOneOpSpec.h - TensorFlow ops that become one op -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Describes TensorFlow ops that become one op of the ingot dialect: the name of
// that op, and how each attribute is translated.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_ONETOONEOPSPEC_H
#define INGOT_COMPILER_IMPORT_OPS_ONETOONEOPSPEC_H

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "proto/Types.pb.h"
#include <vector>

namespace ingot::importer {

/// Describes how attribute `name` of a TensorFlow op is translated to attribute
/// `ours` of the ingot op.
struct AttributeSpec {
  enum Kind {
    Implied, // not translated, since operand types imply it
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
  /// The element type that the node has if an attribute of kind `ElementType`
  /// is absent. DT_INVALID if the attribute is required.
  proto::DataType typeByDefault = proto::DT_INVALID;
};

/// The value of `OneToOneOpSpec::inputs` for an op with any number of inputs,
/// zero included. The value -1 means at least one input.
constexpr int anyNumberOfInputs = -2;
/// Describes a TensorFlow op that becomes one op of the ingot dialect: its
/// name, the number of its inputs, the name of the ingot op (`ours`), and its
/// attributes except `T`, which nearly all ops have.
struct OneToOneOpSpec {
  llvm::StringRef name;
  int inputs;
  llvm::StringRef ours;
  std::vector<AttributeSpec> attributes;
};

/// A row of the op table for a TensorFlow op that becomes one ingot op. The
/// rows are generated from the definitions of the ingot ops.
struct OneToOneOpTableRow {
  OneToOneOpSpec spec;
  Effect effect;
  llvm::SmallVector<llvm::StringRef, 2> outputs; // output argument names
};

/// Returns the op table's rows of all TensorFlow ops that become one ingot op.
/// If several of them become the same ingot op, the one that the exporter
/// writes comes first.
llvm::ArrayRef<OneToOneOpTableRow> getOpRows();
/// Returns the row of the TensorFlow op `name`, which must have one.
const OneToOneOpSpec &getOpRow(llvm::StringRef name);

/// Translates the attributes of a node as `spec` says. Returns std::nullopt,
/// with a recorded problem, if an attribute is unknown or not supported.
std::optional<llvm::SmallVector<mlir::NamedAttribute>>
translateAttributes(NodeImport &node, const OneToOneOpSpec &spec);

/// Imports a node as the ingot op that the op table gives for the node's
/// TensorFlow op.
void importCompute(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_ONETOONEOPSPEC_H
