//===- EntryLowering.h - Lowers an entry's body to a function ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of ingot-lower-entries: they move the ops of an entry, or of a
// dataset's function, into a function over storage.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ENTRYLOWERING_H
#define INGOT_COMPILER_LOWER_ENTRYLOWERING_H

#include "compiler/Lower/Passes.h"

#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/SymbolNumbers.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::ingot {
class RequireOp;
} // namespace mlir::ingot

namespace ingot::lower {

class EntryLowering {
public:
  EntryLowering(mlir::func::FuncOp function,
                const mlir::ingot::SymbolNumbers &numbers);

  /// The tensor in the storage of argument `index`; written if it is updated.
  mlir::Value load(unsigned index, mlir::Type type, bool writable);

  /// A result of dynamic shape is returned in the buffer in which it was
  /// computed.
  void fetch(mlir::Value value, unsigned index);

  /// Writes a tensor to argument `index`.
  void store(mlir::Value value, unsigned index);

  /// Moves the ops of the entry's body here, lowering them to host ops.
  void lowerBody(mlir::Block &body);

private:
  void lower(mlir::Operation *op);
  void lowerNested(mlir::Block &block);
  void lowerConstant(mlir::ingot::ConstantOp constant);
  mlir::Attribute defaultOf(mlir::Value value);
  mlir::DictionaryAttr attributesOf(mlir::Operation *op);
  void lowerCall(mlir::Operation *op);
  void lowerParse(mlir::ingot::ParseExampleOp parse);
  void lowerRequire(mlir::ingot::RequireOp require);
  mlir::IntegerAttr numberOf(mlir::FlatSymbolRefAttr symbol);

  mlir::func::FuncOp function;
  const mlir::ingot::SymbolNumbers &numbers;
  mlir::ImplicitLocOpBuilder builder;
};

/// For a function in which nothing but the parsing of its only argument can
/// fail: which parsed feature each result is. Null for other functions.
mlir::DenseI32ArrayAttr parsedFeatures(mlir::Block &body);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ENTRYLOWERING_H
