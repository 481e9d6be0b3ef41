//===- ComputeSpec.h - Rows of the table of ops on tensors ------*- C++ -*-===//
//
// How an op that becomes one op of ours is described: what it becomes, and
// what becomes of each of its attributes.
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
    Implied, // says nothing that the operands' types do not
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
  /// Where an absent attribute has to be written out.
  proto::DataType typeByDefault = proto::DT_INVALID;
};

/// One op: the number of its inputs (-1: at least one; anyNumberOfInputs), what
/// it becomes, and its attributes besides `T`, which nearly all have.
constexpr int anyNumberOfInputs = -2;
struct ComputeSpec {
  llvm::StringRef name;
  int inputs;
  llvm::StringRef ours;
  std::vector<AttributeSpec> attributes;
};

/// An op that becomes one op of ours, as the definition of that one says.
struct OpRow {
  ComputeSpec spec;
  Effect effect;
  llvm::SmallVector<llvm::StringRef, 2> outputs; // OpInfo::outputs
};

/// All of them; of those that become the same op, the one to export first.
llvm::ArrayRef<OpRow> getOpRows();
/// The row of a name that has one.
const ComputeSpec &getOpRow(llvm::StringRef name);

/// Our attributes of a node as the row of its op says; nothing, with the
/// problem recorded, where one is not known or not supported.
std::optional<llvm::SmallVector<mlir::NamedAttribute>>
translateAttributes(NodeImport &node, const ComputeSpec &spec);

/// Imports a node as the row of its op says.
void importCompute(NodeImport &node);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_COMPUTESPEC_H
