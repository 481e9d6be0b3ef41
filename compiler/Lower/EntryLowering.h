//===- EntryLowering.h - Lowers an entry's body to a function ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of ingot-lower-entries-to-functions: they move the ops of an entry,
// or of a dataset's function, into a function whose arguments are the buffers
// of variables, feeds and fetches.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_LOWER_ENTRYLOWERING_H
#define INGOT_COMPILER_LOWER_ENTRYLOWERING_H

#include "compiler/Lower/Passes.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/SymbolIndices.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::ingot {
class ReadFileOp;
class RequireOp;
} // namespace mlir::ingot

namespace ingot::lower {

class EntryLowering {
public:
  EntryLowering(mlir::func::FuncOp function,
                const mlir::ingot::SymbolIndices &numbers);

  /// Returns the contents of the buffer that is the function's argument `index`
  /// as a tensor. `writable` must be set if the entry also writes to this
  /// buffer.
  mlir::Value load(unsigned index, mlir::Type type, bool writable);

  /// Returns `value`, a tensor of dynamic shape, to the caller as fetch
  /// `index`. The caller receives the buffer in which the tensor was computed,
  /// not a copy.
  void fetch(mlir::Value value, unsigned index);

  /// Writes the tensor `value` to the buffer that is the function's argument
  /// `index`.
  void store(mlir::Value value, unsigned index);

  /// Moves the ops of the entry's body into the function, lowering them to host
  /// ops.
  void lowerBody(mlir::Block &body);

private:
  void lower(mlir::Operation *op);
  void lowerNested(mlir::Block &block);
  void lowerConstant(mlir::ingot::ConstantOp constant);
  mlir::Attribute defaultOf(mlir::Value value);
  mlir::DictionaryAttr attributesOf(mlir::Operation *op);
  void lowerCall(mlir::Operation *op);
  void lowerParse(mlir::ingot::ParseExampleOp parse);
  void lowerReadFile(mlir::ingot::ReadFileOp read);
  void lowerRequire(mlir::ingot::RequireOp require);
  mlir::IntegerAttr numberOf(mlir::FlatSymbolRefAttr symbol);

  mlir::func::FuncOp function;
  const mlir::ingot::SymbolIndices &numbers;
  mlir::ImplicitLocOpBuilder builder;
};

/// Maps the results of a dataset's function, whose body is `body`, to the
/// features that it parses from its only argument, serialized
/// tf.train.Examples. Returns, for each result, the index of the feature, or -1
/// if the result is not a parsed feature. Returns null if `body` does not parse
/// Examples, or if any other op in it can fail.
mlir::DenseI32ArrayAttr parsedFeatures(mlir::Block &body);

} // namespace ingot::lower

#endif // INGOT_COMPILER_LOWER_ENTRYLOWERING_H
