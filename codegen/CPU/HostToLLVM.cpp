//===- HostToLLVM.cpp - Host ops to calls of the ABI ----------------------===//

#include "codegen/CPU/HostToLLVM.h"

#include "codegen/ABI/GlobalData.h"
#include "codegen/CPU/HostLowering.h"
#include "codegen/CPU/Passes.h"
#include "runtime/ABI/Calls.h"

using namespace mlir;
using namespace ::ingot::cpu;
using ::ingot::abi::GlobalData;

namespace {

struct LowerBind : HostPattern<host::BindOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::BindOp op, Adaptor adaptor,
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
    rewriter.replaceOp(op, buffer(rewriter, loc, op.getType(), address, sizes));
    return success();
  }
};

struct LowerBindTensor : HostPattern<host::BindTensorOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::BindTensorOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    auto index = static_cast<int32_t>(op.getIndex());
    auto load = [&](int32_t member) -> Value {
      return LLVM::LoadOp::create(
          rewriter, loc, pointer,
          memberOf(rewriter, loc, adaptor.getTable(), index, member));
    };
    Value address = load(0);
    SmallVector<Value> sizes;
    MemRefType type = op.getType();
    if (!type.hasStaticShape()) {
      Value dims = load(1);
      for (auto [dim, size] : llvm::enumerate(type.getShape())) {
        if (!ShapedType::isDynamic(size))
          continue;
        Value place = LLVM::GEPOp::create(
            rewriter, loc, pointer, rewriter.getI64Type(), dims,
            ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(dim)));
        sizes.push_back(
            LLVM::LoadOp::create(rewriter, loc, rewriter.getI64Type(), place));
      }
    }
    rewriter.replaceOp(op, buffer(rewriter, loc, type, address, sizes));
    return success();
  }
};

struct LowerFetch : HostPattern<host::FetchOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::FetchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    // (context, arena, variables, feeds, fetches)
    Value table = op->getParentOfType<FunctionOpInterface>().getArgument(4);
    auto index = static_cast<int32_t>(op.getIndex());
    LLVM::StoreOp::create(rewriter, loc,
                          addressOf(rewriter, loc, adaptor.getValue()),
                          memberOf(rewriter, loc, table, index, 0));
    Value dims = LLVM::LoadOp::create(rewriter, loc, pointer,
                                      memberOf(rewriter, loc, table, index, 1));
    auto type = cast<MemRefType>(op.getValue().getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value place = LLVM::GEPOp::create(
          rewriter, loc, pointer, rewriter.getI64Type(), dims,
          ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(dim)));
      LLVM::StoreOp::create(
          rewriter, loc,
          MemRefDescriptor(adaptor.getValue()).size(rewriter, loc, dim), place);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Compares the sizes, then calls the version with a longer table of feeds.
struct LowerDivert : HostPattern<host::DivertOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::DivertOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type();
    Value fits = constant(rewriter, loc, rewriter.getI1Type(), 1);
    for (auto [component, descriptor, type] :
         llvm::zip(op.getComponents(), adaptor.getComponents(),
                   op.getTypes().getAsValueRange<TypeAttr>())) {
      auto open = cast<MemRefType>(component.getType());
      for (auto [dim, size] :
           llvm::enumerate(cast<ShapedType>(type).getShape())) {
        if (!open.isDynamicDim(dim) || ShapedType::isDynamic(size))
          continue;
        Value same = LLVM::ICmpOp::create(
            rewriter, loc, LLVM::ICmpPredicate::eq,
            MemRefDescriptor(descriptor).size(rewriter, loc, dim),
            constant(rewriter, loc, i64, size));
        fits = LLVM::AndOp::create(rewriter, loc, fits, same);
      }
    }
    SmallVector<int32_t> dtypes(op.getNumFeeds() + op.getComponents().size(),
                                0);
    SmallVector<Type> types(op.getNumFeeds(),
                            MemRefType::get({}, rewriter.getI64Type()));
    llvm::append_range(types, op.getComponents().getTypes());
    TensorTable table(rewriter, op, types, dtypes);
    for (auto [index, descriptor] : llvm::enumerate(adaptor.getComponents()))
      table.describe(op.getNumFeeds() + index, descriptor);
    auto entry = op->getParentOfType<FunctionOpInterface>();
    if (op.getNumFeeds() != 0)
      LLVM::MemcpyOp::create(
          rewriter, loc, table.address(), entry.getArgument(3),
          constant(
              rewriter, loc, i64,
              static_cast<int64_t>(op.getNumFeeds() * sizeof(ingot_tensor))),
          /*isVolatile=*/false);
    Block *here = rewriter.getInsertionBlock();
    Block *next = rewriter.splitBlock(here, rewriter.getInsertionPoint());
    Block *leave = rewriter.createBlock(next);
    rewriter.setInsertionPointToEnd(leave);
    Value code =
        LLVM::CallOp::create(
            rewriter, loc, TypeRange(rewriter.getI32Type()), op.getVersion(),
            ValueRange{entry.getArgument(0), entry.getArgument(1),
                       entry.getArgument(2), table.address(),
                       entry.getArgument(4)})
            .getResult();
    LLVM::ReturnOp::create(rewriter, loc, code);
    rewriter.setInsertionPointToEnd(here);
    LLVM::CondBrOp::create(rewriter, loc, fits, leave, next);
    rewriter.setInsertionPointToStart(next);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerAllocate : HostPattern<host::AllocateOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::AllocateOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type();
    MemRefType type = op.getType();
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t size : type.getShape())
      bytes *= ShapedType::isDynamic(size) ? 1 : size;
    Value total = constant(rewriter, loc, i64, bytes);
    for (Value size : adaptor.getSizes())
      total = LLVM::MulOp::create(rewriter, loc, total, size);
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    Value memory =
        call(rewriter, op, "ingot_rt_allocate", pointer, {contextOf(op), total})
            .getResult();
    Value missing =
        LLVM::ICmpOp::create(rewriter, loc, LLVM::ICmpPredicate::eq, memory,
                             LLVM::ZeroOp::create(rewriter, loc, pointer));
    returnIf(rewriter, loc, missing,
             constant(rewriter, loc, rewriter.getI32Type(),
                      INGOT_RESOURCE_EXHAUSTED));
    rewriter.replaceOp(op,
                       buffer(rewriter, loc, type, memory, adaptor.getSizes()));
    return success();
  }
};

struct LowerRelease : HostPattern<host::ReleaseOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::ReleaseOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    call(
        rewriter, op, "ingot_rt_release",
        LLVM::LLVMVoidType::get(op.getContext()),
        {contextOf(op), addressOf(rewriter, op.getLoc(), adaptor.getBuffer())});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerStrings : HostPattern<host::StringsOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::StringsOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GlobalData data(op->getParentOfType<ModuleOp>());
    SmallVector<StringRef> texts(op.getValues().getAsValueRange<StringAttr>());
    auto type = cast<MemRefType>(op.getOutput().getType());
    // A splat is written out.
    if (texts.size() == 1)
      texts.resize(type.getNumElements(), texts.front());
    Value address = data.addressOf(rewriter, op.getLoc(), data.strings(texts));
    rewriter.replaceOp(op, buffer(rewriter, op.getLoc(), type, address));
    return success();
  }
};

struct LowerCall : HostPattern<host::CallOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::CallOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    TensorTable inputs(rewriter, op, op.getInputs().getTypes(),
                       op.getInputDtypes());
    for (auto [index, input] : llvm::enumerate(adaptor.getInputs()))
      inputs.describe(index, input);
    // Static and dynamic results, in the order of the op's.
    SmallVector<Type> types;
    SmallVector<Value> given;
    unsigned nextStatic = 0, nextDynamic = 0;
    for (bool isStatic :
         op->getAttrOfType<DenseBoolArrayAttr>("static_results").asArrayRef()) {
      given.push_back(isStatic ? adaptor.getOutputs()[nextStatic] : Value());
      types.push_back(isStatic ? op.getOutputs()[nextStatic++].getType()
                               : op.getResult(nextDynamic++).getType());
    }
    TensorTable outputs(rewriter, op, types, op.getOutputDtypes());
    for (auto [index, buffer] : llvm::enumerate(given)) {
      if (buffer)
        outputs.describe(index, buffer);
      else
        outputs.clear(index);
    }
    GlobalData data(op->getParentOfType<ModuleOp>());
    Value spec = data.addressOf(rewriter, loc, data.op(op));
    call(rewriter, op, "ingot_rt_enter",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          data.addressOf(rewriter, loc, data.string(op.getNode()))});
    callChecked(rewriter, op, op.getCallee(),
                {contextOf(op), spec, inputs.address(), outputs.address()});
    SmallVector<Value> results;
    for (auto [index, buffer] : llvm::enumerate(given))
      if (!buffer)
        results.push_back(outputs.read(index, *getTypeConverter()));
    rewriter.replaceOp(op, results);
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

/// The ABI's number of a type that has NaNs; 0 of any other.
int32_t floatingType(Type type) {
  if (type.isF32())
    return INGOT_FLOAT;
  if (type.isF64())
    return INGOT_DOUBLE;
  if (type.isBF16())
    return INGOT_BFLOAT16;
  return type.isF16() ? INGOT_HALF : 0;
}

struct LowerLaunch : HostPattern<host::LaunchOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::LaunchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    SmallVector<Value> addresses;
    for (auto [operand, descriptor] :
         llvm::zip(op->getOperands(), adaptor.getOperands())) {
      addresses.push_back(addressOf(rewriter, loc, descriptor));
      for (Value size : openSizes(
               rewriter, loc, cast<MemRefType>(operand.getType()), descriptor))
        addresses.push_back(
            LLVM::IntToPtrOp::create(rewriter, loc, pointer, size));
    }
    Value table = makeTable(rewriter, op, addresses);
    Type i64 = rewriter.getI64Type();
    auto nothing = LLVM::LLVMVoidType::get(op.getContext());
    GlobalData data(op->getParentOfType<ModuleOp>());
    Value node = data.addressOf(
        rewriter, loc, op->getAttrOfType<StringAttr>(launchNodeAttrName));
    call(rewriter, op, "ingot_rt_enter", nothing, {contextOf(op), node});
    Value count = gridOf(rewriter, op, adaptor);
    auto fact = [&](StringRef name) {
      auto number = op->getAttrOfType<IntegerAttr>(name);
      return constant(rewriter, loc, i64, number ? number.getInt() : 0);
    };
    if (count) {
      Value address = LLVM::AddressOfOp::create(
          rewriter, loc, LLVM::LLVMPointerType::get(op.getContext()),
          op.getKernel());
      call(rewriter, op, "ingot_rt_grid",
           LLVM::LLVMVoidType::get(op.getContext()),
           {contextOf(op), address, count, fact(host::flopsAttrName),
            fact(host::bytesAttrName), table});
    } else {
      LLVM::CallOp::create(rewriter, loc, TypeRange(), op.getKernel(),
                           ValueRange{table, constant(rewriter, loc, i64, 0),
                                      constant(rewriter, loc, i64, 1)});
    }
    for (auto [buffer, descriptor] :
         llvm::zip(op.getOutputs(), adaptor.getOutputs())) {
      auto type = cast<MemRefType>(buffer.getType());
      int32_t dtype = floatingType(type.getElementType());
      if (dtype == 0)
        continue;
      int64_t known = 1;
      for (int64_t size : type.getShape())
        known *= ShapedType::isDynamic(size) ? 1 : size;
      Value elements = constant(rewriter, loc, i64, known);
      for (Value size : openSizes(rewriter, loc, type, descriptor))
        elements = LLVM::MulOp::create(rewriter, loc, elements, size);
      call(rewriter, op, "ingot_rt_computed", nothing,
           {contextOf(op), node,
            constant(rewriter, loc, rewriter.getI32Type(), dtype),
            addressOf(rewriter, loc, descriptor), elements});
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// The number of the kernel's iterations; null where it has one.
  static Value gridOf(ConversionPatternRewriter &rewriter, host::LaunchOp op,
                      Adaptor adaptor) {
    Location loc = op.getLoc();
    Type i64 = rewriter.getI64Type();
    auto known = op->getAttrOfType<IntegerAttr>(host::gridAttrName);
    if (known)
      return known.getInt() > 1 ? constant(rewriter, loc, i64, known.getInt())
                                : Value();
    auto open = op->getAttrOfType<ArrayAttr>(host::gridAttrName);
    if (!open)
      return Value();
    auto number = [&](unsigned index) {
      return cast<IntegerAttr>(open[index]).getInt();
    };
    Value size = MemRefDescriptor(adaptor.getOperands()[number(1)])
                     .size(rewriter, loc, number(2));
    Value above = LLVM::AddOp::create(
        rewriter, loc, size, constant(rewriter, loc, i64, number(0) - 1));
    return LLVM::UDivOp::create(rewriter, loc, above,
                                constant(rewriter, loc, i64, number(0)));
  }
};

struct LowerIteratorNext : HostPattern<host::IteratorNextOp> {
  using HostPattern::HostPattern;
  LogicalResult
  matchAndRewrite(host::IteratorNextOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<int32_t> dtypes(op.getNumResults(), 0); // the iterator's
    TensorTable table(rewriter, op, op.getResultTypes(), dtypes);
    callChecked(
        rewriter, op, "ingot_rt_iterator_next",
        {contextOf(op),
         constant(rewriter, loc, rewriter.getI32Type(), op.getIterator()),
         table.address()});
    SmallVector<Value> buffers;
    for (unsigned index = 0; index < op.getNumResults(); ++index)
      buffers.push_back(table.read(index, *getTypeConverter()));
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
    // Below zero: as many as there are.
    int64_t known = static_cast<int64_t>(op.getCount());
    Value count =
        known >= 0
            ? constant(rewriter, loc, rewriter.getI64Type(), known)
            : MemRefDescriptor(adaptor.getSerialized()).size(rewriter, loc, 0);
    Value table = makeTable(rewriter, op, outputs);
    callChecked(rewriter, op, "ingot_rt_parse_example",
                {contextOf(op), spec, serialized, count, table});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void ::ingot::cpu::populateHostToLLVMPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerBind, LowerBindTensor, LowerDivert, LowerFetch,
               LowerAllocate, LowerRelease, LowerStrings, LowerCall, LowerSlice,
               LowerLaunch, LowerIteratorNext, LowerIteratorMake,
               LowerScalarSummary, LowerReport, LowerParseExample>(converter);
  patterns.add<LowerSaver<host::SaveOp>>(converter, "ingot_rt_save");
  patterns.add<LowerSaver<host::RestoreOp>>(converter, "ingot_rt_restore");
}
