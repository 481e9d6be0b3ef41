//===- BuildRuntimeCalls.h - Helpers to lower host ops to LLVM --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers of the patterns that lower host ops: they make tables of addresses
// and of ingot_tensor on the stack, and call the runtime. An op that is passed
// to a helper must be in the function of an entry point, whose first argument
// is the context that calls of the runtime need.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_BUILDRUNTIMECALLS_H
#define INGOT_CODEGEN_HOST_BUILDRUNTIMECALLS_H

#include "codegen/LLVM/MemRefDescriptors.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

namespace ingot::hostgen {

using llvmgen::addressOf;
using llvmgen::constant;
using llvmgen::describeBuffer;
using llvmgen::dynamicSizes;

/// Returns the runtime's context (ingot_context), which is the first argument
/// of the entry that contains `op`.
mlir::Value contextOf(mlir::Operation *op);

/// Returns the address of a table on the stack that holds `addresses`. Its
/// memory is reserved at the function's entry, so that loops do not grow the
/// stack.
mlir::Value makeTable(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ArrayRef<mlir::Value> addresses);

/// Returns the address of the field with index `member` in element `index` of a
/// table of ingot_tensor.
mlir::Value memberOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value table, int32_t index, int32_t member);

/// A table of ingot_tensor on the stack.
class RuntimeCallTensorTable {
public:
  /// Makes a table for buffers with the given types. Data pointers and dynamic
  /// sizes are set by `describe`.
  RuntimeCallTensorTable(mlir::OpBuilder &builder, mlir::Operation *op,
                         mlir::TypeRange types, mlir::ArrayRef<int32_t> dtypes);

  mlir::Value address() const { return table; }

  /// Stores a buffer's data pointer and dynamic sizes as element `index` of the
  /// table; `descriptor` is the memref descriptor.
  void describe(unsigned index, mlir::Value descriptor);

  /// Sets the data pointer of element `index` to null, which makes the runtime
  /// allocate the memory.
  void clear(unsigned index);

  /// Returns the memref descriptor of the buffer that element `index`
  /// describes. The runtime may have set its data pointer and sizes.
  mlir::Value read(unsigned index, const mlir::LLVMTypeConverter &converter);

private:
  mlir::Value allocate(mlir::Type element, int64_t count);
  mlir::Value dimAt(unsigned index, int32_t dim);
  void set(int32_t index, int32_t member, mlir::Value value);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::TypeRange types;
  mlir::Value table, dims;
  mlir::SmallVector<int64_t> firstDim;
};

/// Emits a call of function `name` of the runtime.
mlir::LLVM::CallOp call(mlir::ConversionPatternRewriter &rewriter,
                        mlir::Operation *op, mlir::StringRef name,
                        mlir::Type result, mlir::ValueRange arguments);

/// Emits a placeholder for a branch that returns the status `code` from the
/// entry point's function if `condition` is true. `expandReturns` makes it the
/// branch. To split a block, a dialect conversion moves and records each op
/// after the place, which would take a time quadratic in an entry's ops.
void returnIf(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
              mlir::Value condition, mlir::Value code);

/// Expands the placeholders of `returnIf` in a module, in linear time.
void expandReturns(mlir::ModuleOp module);

/// Emits a call of a runtime function that returns a status code. If the code
/// is not 0, the entry point's function returns it at once.
void callChecked(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                 mlir::StringRef name, mlir::ValueRange arguments);

/// The base of the patterns that lower a host op.
template <typename OpTy>
struct HostOpConversionPattern : mlir::ConvertOpToLLVMPattern<OpTy> {
  using mlir::ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  using Adaptor = typename OpTy::Adaptor;

  mlir::Value buffer(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Type type, mlir::Value address,
                     mlir::ValueRange sizes = {}) const {
    return describeBuffer(builder, loc, *this->getTypeConverter(),
                          mlir::cast<mlir::MemRefType>(type), address, sizes);
  }
};

} // namespace ingot::hostgen

#endif // INGOT_CODEGEN_HOST_BUILDRUNTIMECALLS_H
