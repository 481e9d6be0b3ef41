//===- HostLowering.h - Helpers to lower host ops to LLVM -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tables of addresses and of ingot_tensor on the stack, and calls of the
// runtime, which the patterns that lower host ops share. An operation that a
// function takes is in an entry, whose first argument is the context.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_HOST_HOSTLOWERING_H
#define INGOT_CODEGEN_HOST_HOSTLOWERING_H

#include "codegen/LLVM/Buffers.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

namespace ingot::hostgen {

using llvmgen::addressOf;
using llvmgen::constant;
using llvmgen::describeBuffer;
using llvmgen::dynamicSizes;

/// The arguments of entries besides their buffers: the context comes first.
mlir::Value contextOf(mlir::Operation *op);

/// A table of `addresses` on the stack, made once for a function.
mlir::Value makeTable(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ArrayRef<mlir::Value> addresses);

/// The address of a member of element `index` of a table of ingot_tensor.
mlir::Value memberOf(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value table, int32_t index, int32_t member);

/// A table of ingot_tensor on the stack.
class TensorTable {
public:
  /// For buffers of the given types; data and dynamic sizes are not set.
  TensorTable(mlir::OpBuilder &builder, mlir::Operation *op,
              mlir::TypeRange types, mlir::ArrayRef<int32_t> dtypes);

  mlir::Value address() const { return table; }

  /// Puts a buffer into the table.
  void describe(unsigned index, mlir::Value descriptor);

  /// Leaves the data pointer to the runtime.
  void clear(unsigned index);

  /// The buffer that the table describes now.
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

/// Calls a function of the runtime.
mlir::LLVM::CallOp call(mlir::ConversionPatternRewriter &rewriter,
                        mlir::Operation *op, mlir::StringRef name,
                        mlir::Type result, mlir::ValueRange arguments);

/// Leaves the entry with `code` where `condition` holds.
void returnIf(mlir::ConversionPatternRewriter &rewriter, mlir::Location loc,
              mlir::Value condition, mlir::Value code);

/// Calls a function that may fail; then the entry returns its code at once.
void callChecked(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                 mlir::StringRef name, mlir::ValueRange arguments);

/// A pattern that lowers a host op.
template <typename OpTy>
struct HostPattern : mlir::ConvertOpToLLVMPattern<OpTy> {
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

#endif // INGOT_CODEGEN_HOST_HOSTLOWERING_H
