//===- EntryLowering.h - An entry's body as a function's --------*- C++ -*-===//
//
// What ingot-lower-entries moves the ops of an entry, or of a function of
// datasets, with: into a function over storage.
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

  /// The tensor behind argument `index`; written where it is updated.
  mlir::Value load(unsigned index, mlir::Type type, bool writable);

  /// A result of dynamic shape is handed out where it lies.
  void fetch(mlir::Value value, unsigned index);

  /// Writes a tensor to argument `index`.
  void store(mlir::Value value, unsigned index);

  /// Moves the ops of the entry's body here, as what they are on this side.
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

/// Of a function in which nothing can fail but a parse of its only argument:
/// which of the parsed features each result is. Null for any other.
mlir::DenseI32ArrayAttr parsedFeatures(mlir::Block &body);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ENTRYLOWERING_H
