//===- NodeDecomposition.h - Nodes that become several ops ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for functions that import a node as several ingot ops. The op table
// has a row for the node's op, which states the op's inputs and attributes.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_NODEDECOMPOSITION_H
#define INGOT_COMPILER_IMPORT_OPS_NODEDECOMPOSITION_H

#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "dialects/Ingot/IR/Folding.h"

namespace ingot::importer {

/// Imports a node as several ops: reads its inputs and attributes, and creates
/// the ops. After the first problem no more ops are created, because `make`
/// returns null if an operand is null.
class NodeDecomposition {
public:
  explicit NodeDecomposition(NodeImport &node)
      : node(node), builder(node.body.builder) {
    auto found = translateAttributes(node, *node.info.compute);
    const OneToOneOpSpec &spec = *node.info.compute;
    if (!found || (spec.inputs < 0 ? !node.expectAtLeastInputs(1)
                                   : !node.expectInputs(spec.inputs)))
      return;
    attributes = *found;
    inputs = node.tensors(0, node.numInputs());
    isGood = !node.hasFailed() && node.attributes.error().empty();
  }

  explicit operator bool() const { return isGood && !node.hasFailed(); }

  template <typename OpT>
  mlir::Value make(mlir::ValueRange operands,
                   llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    return node.make<OpT>(operands, attributes);
  }
  mlir::Value scalar(int64_t value, mlir::Type type) {
    return constant(mlir::RankedTensorType::get({}, type), value);
  }
  mlir::Value vector(llvm::ArrayRef<int64_t> values, mlir::Type type) {
    llvm::SmallVector<llvm::APInt> elements;
    for (int64_t value : values)
      elements.push_back(
          llvm::APInt(type.getIntOrFloatBitWidth(), value, /*isSigned=*/true));
    auto tensor = mlir::RankedTensorType::get(
        {static_cast<int64_t>(values.size())}, type);
    return mlir::ingot::createConstant(
        builder, node.loc, mlir::ingot::makeConstant(tensor, elements));
  }
  mlir::Value i32(int64_t value) { return scalar(value, builder.getI32Type()); }
  /// Returns a scalar constant zero of element type `type`. For strings,
  /// records a problem and returns null.
  mlir::Value zero(mlir::Type type) {
    if (auto value =
            mlir::ingot::makeZeros(mlir::RankedTensorType::get({}, type)))
      return mlir::ingot::createConstant(builder, node.loc, value);
    node.unsupported("strings cannot be filled with zeros");
    return {};
  }
  mlir::NamedAttribute integers(llvm::StringRef name,
                                llvm::ArrayRef<int64_t> values) {
    return node.named(name, builder.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute text(llvm::StringRef name, llvm::StringRef value) {
    return node.named(name, builder.getStringAttr(value));
  }
  /// Sets output 0 of the node to `value`. Does nothing if `value` is null, as
  /// a problem has then been recorded.
  void finish(mlir::Value value) {
    if (value)
      node.setOutput(0, value);
  }
  mlir::NamedAttribute integer(llvm::StringRef name, int64_t value) {
    return node.named(name, builder.getI64IntegerAttr(value));
  }

  NodeImport &node;
  mlir::OpBuilder &builder;
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  llvm::SmallVector<mlir::Value> inputs;

private:
  mlir::Value constant(mlir::RankedTensorType type, int64_t value) {
    return mlir::ingot::createConstant(
        builder, node.loc,
        mlir::ingot::makeConstant(
            type, llvm::APInt(type.getElementTypeBitWidth(), value,
                              /*isSigned=*/true)));
  }

  bool isGood = false;
};

/// A row of the op table, and the function that imports nodes of its op.
using ImportedOp = std::pair<OneToOneOpSpec, void (*)(NodeImport &)>;

/// Adds the rows `ops` to the table. The table refers to the rows, so they must
/// outlive it.
inline void addImportedOps(OpTable &table, llvm::ArrayRef<ImportedOp> ops) {
  for (const auto &[row, function] : ops)
    table[row.name] = {Effect::Pure, function, &row, {}};
}

/// Adds the ops for padding, reversal, space-to-batch and diagonals
/// (RearrangeOps.cpp) to the table. addArrayOps() calls it.
void addRearrangeOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_NODEDECOMPOSITION_H
