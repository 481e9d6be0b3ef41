//===- HostToLLVM.cpp - Host ops to calls of the ABI ----------------------===//

#include "codegen/CPU/HostToLLVM.h"

#include "codegen/ABI/GlobalData.h"
#include "codegen/CPU/Passes.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"

using namespace mlir;
using namespace ::ingot::cpu;
using ::ingot::abi::GlobalData;

namespace {

Value constant(OpBuilder &builder, Location loc, Type type, int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type,
                                  builder.getIntegerAttr(type, value));
}

/// The address that a buffer's descriptor holds.
Value addressOf(OpBuilder &builder, Location loc, Value descriptor) {
  return MemRefDescriptor(descriptor).alignedPtr(builder, loc);
}

/// What entries get besides their buffers: the context comes first.
Value contextOf(Operation *op) {
  return op->getParentOfType<FunctionOpInterface>().getArgument(0);
}

/// A table of addresses on the stack, made once for a function.
Value makeTable(OpBuilder &builder, Operation *op, ArrayRef<Value> addresses,
                size_t size) {
  Location loc = op->getLoc();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value table;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
    auto type = LLVM::LLVMArrayType::get(pointer, std::max<size_t>(size, 1));
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

/// Calls a function of the runtime.
LLVM::CallOp call(ConversionPatternRewriter &rewriter, Operation *op,
                  StringRef name, Type result, ValueRange arguments) {
  auto module = op->getParentOfType<ModuleOp>();
  FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
      rewriter, module, name, SmallVector<Type>(TypeRange(arguments)), result);
  return LLVM::CallOp::create(rewriter, op->getLoc(), *function, arguments);
}

/// Calls a function that may fail; then the entry returns its code at once.
void callChecked(ConversionPatternRewriter &rewriter, Operation *op,
                 StringRef name, ValueRange arguments) {
  Location loc = op->getLoc();
  Type i32 = rewriter.getI32Type();
  Value code = call(rewriter, op, name, i32, arguments).getResult();
  Value failed = LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::ne,
                                      code, constant(rewriter, loc, i32, 0));
  Block *here = rewriter.getInsertionBlock();
  Block *next = rewriter.splitBlock(here, rewriter.getInsertionPoint());
  Block *leave = rewriter.createBlock(next);
  rewriter.setInsertionPointToEnd(leave);
  LLVM::ReturnOp::create(rewriter, loc, code);
  rewriter.setInsertionPointToEnd(here);
  LLVM::CondBrOp::create(rewriter, loc, failed, leave, next);
  rewriter.setInsertionPointToStart(next);
}

template <typename OpTy> struct HostPattern : ConvertOpToLLVMPattern<OpTy> {
  using ConvertOpToLLVMPattern<OpTy>::ConvertOpToLLVMPattern;
  using Adaptor = typename OpTy::Adaptor;

  Value buffer(OpBuilder &builder, Location loc, Type type,
               Value address) const {
    return MemRefDescriptor::fromStaticShape(builder, loc,
                                             *this->getTypeConverter(),
                                             cast<MemRefType>(type), address);
  }
};

struct LowerBind : HostPattern<host::BindOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::BindOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    Value place = LLVM::GEPOp::create(
        rewriter, op.getLoc(), pointer, pointer, adaptor.getTable(),
        ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(op.getIndex())));
    Value address = LLVM::LoadOp::create(rewriter, op.getLoc(), pointer, place);
    rewriter.replaceOp(op,
                       buffer(rewriter, op.getLoc(), op.getType(), address));
    return success();
  }
};

struct LowerSlice : HostPattern<host::SliceOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::SliceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    Value offset =
        constant(rewriter, op.getLoc(), rewriter.getI64Type(), op.getOffset());
    Value address =
        LLVM::GEPOp::create(rewriter, op.getLoc(), pointer,
                            rewriter.getI8Type(), adaptor.getArena(), offset);
    rewriter.replaceOp(op,
                       buffer(rewriter, op.getLoc(), op.getType(), address));
    return success();
  }
};

struct LowerLaunch : HostPattern<host::LaunchOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::LaunchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> addresses;
    for (Value operand : adaptor.getOperands())
      addresses.push_back(addressOf(rewriter, loc, operand));
    Value table = makeTable(rewriter, op, addresses, addresses.size());
    Operation *kernel =
        SymbolTable::lookupNearestSymbolFrom(op, op.getKernelAttr());
    auto grid = kernel->getAttrOfType<IntegerAttr>(host::gridAttrName);
    Type i64 = rewriter.getI64Type();
    Value count = constant(rewriter, loc, i64, grid ? grid.getInt() : 1);
    if (grid && grid.getInt() > 1) {
      Value address = LLVM::AddressOfOp::create(
          rewriter, loc, LLVM::LLVMPointerType::get(op.getContext()),
          op.getKernel());
      call(rewriter, op, "ingot_rt_parallel",
           LLVM::LLVMVoidType::get(op.getContext()),
           {contextOf(op), address, count, table});
    } else {
      LLVM::CallOp::create(
          rewriter, loc, TypeRange(), op.getKernel(),
          ValueRange{table, constant(rewriter, loc, i64, 0), count});
    }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerIteratorNext : HostPattern<host::IteratorNextOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::IteratorNextOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value table = makeTable(rewriter, op, {}, op.getNumResults());
    callChecked(
        rewriter, op, "ingot_rt_iterator_next",
        {contextOf(op),
         constant(rewriter, loc, rewriter.getI32Type(), op.getIterator()),
         table});
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    SmallVector<Value> buffers;
    for (auto [index, type] : llvm::enumerate(op.getResultTypes())) {
      Value place = LLVM::GEPOp::create(
          rewriter, loc, pointer, pointer, table,
          ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(index)));
      Value address = LLVM::LoadOp::create(rewriter, loc, pointer, place);
      buffers.push_back(buffer(rewriter, loc, type, address));
    }
    rewriter.replaceOp(op, buffers);
    return success();
  }
};

struct LowerIteratorMake : HostPattern<host::IteratorMakeOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::IteratorMakeOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callChecked(
        rewriter, op, "ingot_rt_iterator_make",
        {contextOf(op), constant(rewriter, op.getLoc(), rewriter.getI32Type(),
                                 op.getIterator())});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Save and restore: a saver and the address of the prefix.
template <typename OpTy> struct LowerSaver : HostPattern<OpTy> {
  LowerSaver(const LLVMTypeConverter &converter, StringRef function)
      : HostPattern<OpTy>(converter), function(function) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callChecked(
        rewriter, op, function,
        {contextOf(op),
         constant(rewriter, op.getLoc(), rewriter.getI32Type(), op.getSaver()),
         addressOf(rewriter, op.getLoc(), adaptor.getPrefix())});
    rewriter.eraseOp(op);
    return success();
  }
  StringRef function;
};

struct LowerScalarSummary : HostPattern<host::ScalarSummaryOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::ScalarSummaryOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GlobalData data(op->getParentOfType<ModuleOp>());
    call(rewriter, op, "ingot_rt_scalar_summary",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          data.addressOf(rewriter, loc, data.string(op.getTag())),
          constant(rewriter, loc, rewriter.getI32Type(), op.getDtype()),
          addressOf(rewriter, loc, adaptor.getValue())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerReport : HostPattern<host::ReportUninitializedOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::ReportUninitializedOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GlobalData data(op->getParentOfType<ModuleOp>());
    call(rewriter, op, "ingot_rt_report_uninitialized",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          constant(rewriter, loc, rewriter.getI32Type(),
                   op.getVariables().size()),
          data.addressOf(rewriter, loc, data.integers32(op.getVariables()))});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerParseExample : HostPattern<host::ParseExampleOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::ParseExampleOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> outputs;
    for (Value output : adaptor.getOutputs())
      outputs.push_back(addressOf(rewriter, loc, output));
    GlobalData data(op->getParentOfType<ModuleOp>());
    Value spec = data.addressOf(rewriter, loc, data.parseSpec(op));
    Value serialized = addressOf(rewriter, loc, adaptor.getSerialized());
    Value count = constant(rewriter, loc, rewriter.getI64Type(), op.getCount());
    Value table = makeTable(rewriter, op, outputs, outputs.size());
    callChecked(rewriter, op, "ingot_rt_parse_example",
                {contextOf(op), spec, serialized, count, table});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void ::ingot::cpu::populateHostToLLVMPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerBind, LowerSlice, LowerLaunch, LowerIteratorNext,
               LowerIteratorMake, LowerScalarSummary, LowerReport,
               LowerParseExample>(converter);
  patterns.add<LowerSaver<host::SaveOp>>(converter, "ingot_rt_save");
  patterns.add<LowerSaver<host::RestoreOp>>(converter, "ingot_rt_restore");
}
