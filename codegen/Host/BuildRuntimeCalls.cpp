//===- BuildRuntimeCalls.cpp - Helpers to lower host ops to LLVM ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/BuildRuntimeCalls.h"

#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"

using namespace mlir;

namespace ingot::hostgen {

Value contextOf(Operation *op) {
  return op->getParentOfType<FunctionOpInterface>().getArgument(0);
}

Value makeTable(OpBuilder &builder, Operation *op, ArrayRef<Value> addresses) {
  Location loc = op->getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value table;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
    auto type = LLVM::LLVMArrayType::get(pointer,
                                         std::max<size_t>(addresses.size(), 1));
    table =
        LLVM::AllocaOp::create(builder, loc, pointer, type,
                               constant(builder, loc, builder.getI64Type(), 1));
  }
  for (auto [index, address] : llvm::enumerate(addresses)) {
    Value place = LLVM::GEPOp::create(builder, loc, pointer, pointer, table,
                                      ArrayRef<LLVM::GEPArg>(index));
    LLVM::StoreOp::create(builder, loc, address, place);
  }
  return table;
}

/// Returns the LLVM struct type of `ingot_tensor` in the ABI.
static Type tensorType(MLIRContext *context) {
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(context,
                                          {pointer, pointer, i32, i32});
}

Value memberOf(OpBuilder &builder, Location loc, Value table, int32_t index,
               int32_t member) {
  MLIRContext *context = builder.getContext();
  return LLVM::GEPOp::create(builder, loc, LLVM::LLVMPointerType::get(context),
                             tensorType(context), table,
                             ArrayRef<LLVM::GEPArg>{index, member});
}

RuntimeCallTensorTable::RuntimeCallTensorTable(OpBuilder &builder,
                                               Operation *op, TypeRange types,
                                               ArrayRef<int32_t> dtypes)
    : builder(builder), loc(op->getLoc()), types(types) {
  int64_t totalRank = 0;
  for (Type type : types)
    totalRank += cast<ShapedType>(type).getRank();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
    table = allocate(tensorType(builder.getContext()), types.size());
    dims = allocate(builder.getI64Type(), totalRank);
  }
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  int64_t offset = 0;
  for (auto [index, type] : llvm::enumerate(types)) {
    auto shaped = cast<ShapedType>(type);
    firstDim.push_back(offset);
    Value own = dimAt(index, 0);
    set(index, 1, own);
    set(index, 2, constant(builder, loc, i32, shaped.getRank()));
    set(index, 3, constant(builder, loc, i32, dtypes[index]));
    for (auto [dim, size] : llvm::enumerate(shaped.getShape()))
      if (!ShapedType::isDynamic(size))
        LLVM::StoreOp::create(builder, loc, constant(builder, loc, i64, size),
                              dimAt(index, dim));
    offset += shaped.getRank();
  }
}

void RuntimeCallTensorTable::describe(unsigned index, Value descriptor) {
  set(index, 0, addressOf(builder, loc, types[index], descriptor));
  auto type = cast<MemRefType>(types[index]);
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      LLVM::StoreOp::create(
          builder, loc, MemRefDescriptor(descriptor).size(builder, loc, dim),
          dimAt(index, dim));
}

void RuntimeCallTensorTable::clear(unsigned index) {
  set(index, 0,
      LLVM::ZeroOp::create(builder, loc,
                           LLVM::LLVMPointerType::get(builder.getContext())));
}

Value RuntimeCallTensorTable::read(unsigned index,
                                   const LLVMTypeConverter &converter) {
  auto type = cast<MemRefType>(types[index]);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value data = LLVM::LoadOp::create(builder, loc, pointer,
                                    memberOf(builder, loc, table, index, 0));
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(LLVM::LoadOp::create(builder, loc, builder.getI64Type(),
                                           dimAt(index, dim)));
  return describeBuffer(builder, loc, converter, type, data, sizes);
}

Value RuntimeCallTensorTable::allocate(Type element, int64_t count) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::AllocaOp::create(builder, loc, pointer, element,
                                constant(builder, loc, builder.getI64Type(),
                                         std::max<int64_t>(count, 1)));
}

Value RuntimeCallTensorTable::dimAt(unsigned index, int32_t dim) {
  return LLVM::GEPOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
      builder.getI64Type(), dims,
      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(firstDim[index]) + dim));
}

void RuntimeCallTensorTable::set(int32_t index, int32_t member, Value value) {
  LLVM::StoreOp::create(builder, loc, value,
                        memberOf(builder, loc, table, index, member));
}

LLVM::CallOp call(ConversionPatternRewriter &rewriter, Operation *op,
                  StringRef name, Type result, ValueRange arguments) {
  auto module = op->getParentOfType<ModuleOp>();
  FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
      rewriter, module, name, SmallVector<Type>(TypeRange(arguments)), result);
  return LLVM::CallOp::create(rewriter, op->getLoc(), *function, arguments);
}

/// The callee of the placeholder that `returnIf` leaves.
static constexpr llvm::StringLiteral returnIfName = "ingot.return_if";

void returnIf(ConversionPatternRewriter &rewriter, Location loc,
              Value condition, Value code) {
  LLVM::CallOp::create(rewriter, loc, TypeRange(), returnIfName,
                       ValueRange{condition, code});
}

/// Splits the block after a placeholder, and replaces the placeholder by a
/// branch to a block that returns.
static void expandReturnIf(LLVM::CallOp placeholder) {
  Location loc = placeholder.getLoc();
  Value condition = placeholder.getOperand(0), code = placeholder.getOperand(1);
  Block *here = placeholder->getBlock();
  Block *next = here->splitBlock(++placeholder->getIterator());
  auto *leave = new Block;
  here->getParent()->getBlocks().insert(next->getIterator(), leave);
  auto builder = OpBuilder::atBlockEnd(leave);
  LLVM::ReturnOp::create(builder, loc, code);
  builder.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(builder, loc, condition, leave, next);
  placeholder.erase();
}

void expandReturns(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    SmallVector<LLVM::CallOp> placeholders;
    function.walk([&](LLVM::CallOp call) {
      if (call.getCallee() == returnIfName)
        placeholders.push_back(call);
    });
    // From the last one to the first, so that each op is moved once.
    for (LLVM::CallOp placeholder : llvm::reverse(placeholders))
      expandReturnIf(placeholder);
  }
}

void callChecked(ConversionPatternRewriter &rewriter, Operation *op,
                 StringRef name, ValueRange arguments) {
  Location loc = op->getLoc();
  Type i32 = rewriter.getI32Type();
  Value code = call(rewriter, op, name, i32, arguments).getResult();
  Value failed = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne,
                                      code, constant(rewriter, loc, i32, 0));
  returnIf(rewriter, loc, failed, code);
}

} // namespace ingot::hostgen
