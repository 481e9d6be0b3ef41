//===- MemRefDescriptors.cpp - Dense buffers in the LLVM dialect ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/LLVM/MemRefDescriptors.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;

namespace ingot::llvmgen {

Value constant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

Value addressOf(OpBuilder &builder, Location loc, Type type, Value descriptor) {
  MemRefDescriptor buffer(descriptor);
  Value memory = buffer.alignedPtr(builder, loc);
  auto memref = cast<MemRefType>(type);
  if (memref.getLayout().isIdentity())
    return memory;
  return LLVM::GEPOp::create(builder, loc, memory.getType(),
                             memref.getElementType(), memory,
                             buffer.offset(builder, loc));
}

Value describeBuffer(OpBuilder &builder, Location loc,
                     const LLVMTypeConverter &converter, MemRefType type,
                     Value address, ValueRange sizes) {
  if (type.hasStaticShape())
    return MemRefDescriptor::fromStaticShape(builder, loc, converter, type,
                                             address);
  auto descriptor =
      MemRefDescriptor::poison(builder, loc, converter.convertType(type));
  descriptor.setAllocatedPtr(builder, loc, address);
  descriptor.setAlignedPtr(builder, loc, address);
  descriptor.setConstantOffset(builder, loc, 0);
  Type i64 = builder.getI64Type();
  SmallVector<Value> all;
  unsigned next = 0;
  for (int64_t size : type.getShape())
    all.push_back(ShapedType::isDynamic(size)
                      ? sizes[next++]
                      : constant(builder, loc, i64, size));
  Value stride = constant(builder, loc, i64, 1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    descriptor.setSize(builder, loc, dim, all[dim]);
    descriptor.setStride(builder, loc, dim, stride);
    stride = LLVM::MulOp::create(builder, loc, stride, all[dim]);
  }
  return descriptor;
}

SmallVector<Value> dynamicSizes(OpBuilder &builder, Location loc,
                                MemRefType type, Value descriptor) {
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(MemRefDescriptor(descriptor).size(builder, loc, dim));
  return sizes;
}

namespace {

/// Lowers host.bind: builds a memref descriptor from the slots of an argument
/// table. The first slot has the buffer's address, and the following ones its
/// dynamic sizes.
struct LowerHostBind : ConvertOpToLLVMPattern<host::BindOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(host::BindOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    auto load = [&](int32_t index, Type type) -> Value {
      Value place = LLVM::GEPOp::create(rewriter, loc, pointer, pointer,
                                        adaptor.getTable(),
                                        ArrayRef<LLVM::GEPArg>(index));
      return LLVM::LoadOp::create(rewriter, loc, type, place);
    };
    auto next = static_cast<int32_t>(op.getIndex());
    Value address = load(next, pointer);
    SmallVector<Value> sizes;
    for (size_t i = 0; i < op.getType().getNumDynamicDims(); ++i)
      sizes.push_back(load(++next, rewriter.getI64Type()));
    rewriter.replaceOp(op, describeBuffer(rewriter, loc, *getTypeConverter(),
                                          op.getType(), address, sizes));
    return success();
  }
};

} // namespace

void populateBindPattern(const LLVMTypeConverter &converter,
                         RewritePatternSet &patterns) {
  patterns.add<LowerHostBind>(converter);
}

} // namespace ingot::llvmgen
