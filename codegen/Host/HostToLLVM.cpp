//===- HostToLLVM.cpp - Lower host ops to runtime calls -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/HostToLLVM.h"

#include "codegen/ABI/GlobalConstantPool.h"
#include "codegen/Host/BuildRuntimeCalls.h"
#include "codegen/Host/HostAccesses.h"
#include "runtime/ABI/Calls.h"

using namespace mlir;
using namespace ::ingot::hostgen;
using ::ingot::abi::GlobalConstantPool;

namespace {

/// Lowers host.bind_tensor: loads the buffer of a feed or of a fetch from its
/// ingot_tensor in the entry's table of feeds or of fetches.
struct LowerBindTensor : HostOpConversionPattern<host::BindTensorOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
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

struct LowerFetch : HostOpConversionPattern<host::FetchOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::FetchOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    // The entry's arguments are context, arena, variables, feeds and fetches.
    Value table = op->getParentOfType<FunctionOpInterface>().getArgument(4);
    auto index = static_cast<int32_t>(op.getIndex());
    LLVM::StoreOp::create(
        rewriter, loc,
        addressOf(rewriter, loc, op.getValue().getType(), adaptor.getValue()),
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

/// Emits the product of `first` and `factors`, none of which is negative. If
/// the product overflows 63 bits, emits a negative number, which the runtime's
/// allocation functions refuse.
Value totalOf(OpBuilder &builder, Location loc, int64_t first,
              ValueRange factors) {
  Type i64 = builder.getI64Type(), i1 = builder.getI1Type();
  auto pair = LLVM::LLVMStructType::getLiteral(builder.getContext(), {i64, i1});
  Value total = constant(builder, loc, i64, first), isLost;
  for (Value factor : factors) {
    Value product =
        LLVM::SMulWithOverflowOp::create(builder, loc, pair, total, factor);
    total = LLVM::ExtractValueOp::create(builder, loc, product, 0);
    Value over = LLVM::ExtractValueOp::create(builder, loc, product, 1);
    isLost =
        isLost ? Value(LLVM::OrOp::create(builder, loc, isLost, over)) : over;
  }
  return isLost ? Value(LLVM::SelectOp::create(builder, loc, isLost,
                                               constant(builder, loc, i64, -1),
                                               total))
                : total;
}

/// Lowers host.allocate to a call of the runtime. If the call returns null, the
/// entry point's function returns INGOT_RESOURCE_EXHAUSTED.
struct LowerAllocate : HostOpConversionPattern<host::AllocateOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::AllocateOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    for (int64_t size : type.getShape())
      bytes *= ShapedType::isDynamic(size) ? 1 : size;
    Value total = totalOf(rewriter, loc, bytes, adaptor.getSizes());
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    Value memory = call(rewriter, op,
                        op->hasAttr(::ingot::hostgen::forKernelsAttrName)
                            ? "ingot_rt_allocate_for_kernels"
                            : "ingot_rt_allocate",
                        pointer, {contextOf(op), total})
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

/// Lowers host.release: the runtime frees the buffer's memory.
struct LowerRelease : HostOpConversionPattern<host::ReleaseOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::ReleaseOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    call(rewriter, op,
         op->hasAttr(::ingot::hostgen::forKernelsAttrName)
             ? "ingot_rt_release_for_kernels"
             : "ingot_rt_release",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          addressOf(rewriter, op.getLoc(), op.getBuffer().getType(),
                    adaptor.getBuffer())});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers host.strings to the address of a constant array of ingot_string.
struct LowerStrings : HostOpConversionPattern<host::StringsOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::StringsOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    GlobalConstantPool data(op->getParentOfType<ModuleOp>());
    SmallVector<StringRef> texts(op.getValues().getAsValueRange<StringAttr>());
    auto type = cast<MemRefType>(op.getOutput().getType());
    // A splat attribute stores one element for all, but the table needs every
    // element.
    if (texts.size() == 1)
      texts.resize(type.getNumElements(), texts.front());
    Value address =
        data.addressOf(rewriter, op.getLoc(), data.strings(texts).address);
    rewriter.replaceOp(op, buffer(rewriter, op.getLoc(), type, address));
    return success();
  }
};

/// Lowers host.call to a call of a runtime op, with tables of its input and
/// output tensors on the stack. Results of dynamic size are allocated by the
/// runtime and read from the output table. The call is between calls of
/// ingot_rt_enter and ingot_rt_leave, which tell the runtime which node is
/// running.
struct LowerCall : HostOpConversionPattern<host::CallOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::CallOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RuntimeCallTensorTable inputs(rewriter, op, op.getInputs().getTypes(),
                                  op.getInputDtypes());
    for (auto [index, input] : llvm::enumerate(adaptor.getInputs()))
      inputs.describe(index, input);
    // Collect the types of all results in order. The entry point's function
    // provides the memory of results of static size (`given`); the runtime
    // allocates those of dynamic size.
    SmallVector<Type> types;
    SmallVector<Value> given;
    unsigned nextStatic = 0, nextDynamic = 0;
    // Bufferization sets `static_results`: which results have a static size. A
    // call without tensors was not bufferized, and has no results.
    auto staticResults =
        op->getAttrOfType<DenseBoolArrayAttr>("static_results");
    for (bool isStatic :
         staticResults ? staticResults.asArrayRef() : ArrayRef<bool>()) {
      given.push_back(isStatic ? adaptor.getOutputs()[nextStatic] : Value());
      types.push_back(isStatic ? op.getOutputs()[nextStatic++].getType()
                               : op.getResult(nextDynamic++).getType());
    }
    RuntimeCallTensorTable outputs(rewriter, op, types, op.getOutputDtypes());
    for (auto [index, buffer] : llvm::enumerate(given)) {
      if (buffer)
        outputs.describe(index, buffer);
      else
        outputs.clear(index);
    }
    GlobalConstantPool data(op->getParentOfType<ModuleOp>());
    Value spec = data.addressOf(rewriter, loc, data.op(op));
    call(rewriter, op, "ingot_rt_enter",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          data.addressOf(rewriter, loc, data.string(op.getNode()))});
    callChecked(rewriter, op, op.getCallee(),
                {contextOf(op), spec, inputs.address(), outputs.address()});
    call(rewriter, op, "ingot_rt_leave",
         LLVM::LLVMVoidType::get(op.getContext()), {contextOf(op)});
    SmallVector<Value> results;
    for (auto [index, buffer] : llvm::enumerate(given))
      if (!buffer)
        results.push_back(outputs.read(index, *getTypeConverter()));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Lowers host.slice to the arena's address plus an offset.
struct LowerSlice : HostOpConversionPattern<host::SliceOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
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

/// Lowers host.set_argument: stores a buffer's address and then its dynamic
/// sizes to consecutive slots of an argument table, which is in the arena.
struct LowerSetArgument : HostOpConversionPattern<host::SetArgumentOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::SetArgumentOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op.getContext());
    int64_t next = op.getOffset();
    auto store = [&](Value value) {
      // The offset is a value, not a constant index of the GEP, because
      // constant indices have 32 bits and an arena may be larger.
      Value offset = constant(rewriter, loc, rewriter.getI64Type(), next);
      Value slot =
          LLVM::GEPOp::create(rewriter, loc, pointer, rewriter.getI8Type(),
                              adaptor.getArena(), offset);
      next += 8;
      LLVM::StoreOp::create(rewriter, loc, value, slot);
    };
    store(addressOf(rewriter, loc, op.getBuffer().getType(),
                    adaptor.getBuffer()));
    for (Value size :
         dynamicSizes(rewriter, loc, cast<MemRefType>(op.getBuffer().getType()),
                      adaptor.getBuffer()))
      store(size);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers host.iterator_next: the runtime fills a table with the buffers of the
/// next element's components.
struct LowerIteratorNext : HostOpConversionPattern<host::IteratorNextOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::IteratorNextOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // The dtypes in the table are 0, as the iterator itself knows the types of
    // its elements.
    SmallVector<int32_t> dtypes(op.getNumResults(), 0);
    RuntimeCallTensorTable table(rewriter, op, op.getResultTypes(), dtypes);
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

/// Lowers host.iterator_make to a call of the runtime with the iterator's
/// index.
struct LowerIteratorMake : HostOpConversionPattern<host::IteratorMakeOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
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

/// Lowers host.save and host.restore to a call of the runtime with the saver's
/// index and the address of the checkpoint's prefix.
template <typename OpTy> struct LowerSaver : HostOpConversionPattern<OpTy> {
  LowerSaver(const LLVMTypeConverter &converter, StringRef function)
      : HostOpConversionPattern<OpTy>(converter), function(function) {}
  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    callChecked(
        rewriter, op, function,
        {contextOf(op),
         constant(rewriter, op.getLoc(), rewriter.getI32Type(), op.getSaver()),
         addressOf(rewriter, op.getLoc(), op.getPrefix().getType(),
                   adaptor.getPrefix())});
    rewriter.eraseOp(op);
    return success();
  }
  StringRef function;
};

/// Lowers host.scalar_summary to a call of the runtime with the tag and the
/// value's address.
struct LowerScalarSummary : HostOpConversionPattern<host::ScalarSummaryOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::ScalarSummaryOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GlobalConstantPool data(op->getParentOfType<ModuleOp>());
    call(rewriter, op, "ingot_rt_scalar_summary",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          data.addressOf(rewriter, loc, data.string(op.getTag())),
          constant(rewriter, loc, rewriter.getI32Type(), op.getDtype()),
          addressOf(rewriter, loc, op.getValue().getType(),
                    adaptor.getValue())});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers a copy that is marked `host.copied_there` to a call of the runtime,
/// as its bytes may be on a device.
struct LowerCopy : HostOpConversionPattern<memref::CopyOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(memref::CopyOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op->hasAttr(copiedThereAttrName))
      return rewriter.notifyMatchFailure(
          op, "expected a copy with attribute 'host.copied_there'");
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getSource().getType());
    call(rewriter, op, "ingot_rt_copy",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          addressOf(rewriter, loc, op.getTarget().getType(),
                    adaptor.getTarget()),
          addressOf(rewriter, loc, op.getSource().getType(),
                    adaptor.getSource()),
          constant(rewriter, loc, rewriter.getI64Type(), *bytesOf(type))});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers host.report_uninitialized to a call of the runtime with the
/// variables' indices.
struct LowerReportUninitialized
    : HostOpConversionPattern<host::ReportUninitializedOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::ReportUninitializedOp op, Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GlobalConstantPool data(op->getParentOfType<ModuleOp>());
    call(rewriter, op, "ingot_rt_report_uninitialized",
         LLVM::LLVMVoidType::get(op.getContext()),
         {contextOf(op),
          constant(rewriter, loc, rewriter.getI32Type(),
                   op.getVariables().size()),
          data.addressOf(rewriter, loc,
                         data.integers32(op.getVariables()).address)});
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers host.parse_example to a call of the runtime with a constant
/// description of the features, the serialized Examples and a table of the
/// results' addresses.
struct LowerParseExample : HostOpConversionPattern<host::ParseExampleOp> {
  using HostOpConversionPattern::HostOpConversionPattern;
  LogicalResult
  matchAndRewrite(host::ParseExampleOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> outputs;
    for (auto [buffer, output] :
         llvm::zip(op.getOutputs(), adaptor.getOutputs()))
      outputs.push_back(addressOf(rewriter, loc, buffer.getType(), output));
    GlobalConstantPool data(op->getParentOfType<ModuleOp>());
    Value spec = data.addressOf(rewriter, loc, data.parseSpec(op));
    Value serialized = addressOf(rewriter, loc, op.getSerialized().getType(),
                                 adaptor.getSerialized());
    // If the count is negative, the number of serialized Examples is dynamic.
    // It is then the size of the input tensor at run time.
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

void ::ingot::hostgen::populateHostToLLVMPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  ::ingot::llvmgen::populateBindPattern(converter, patterns);
  patterns.add<LowerBindTensor, LowerFetch, LowerAllocate, LowerRelease,
               LowerStrings, LowerCall, LowerSlice, LowerSetArgument,
               LowerIteratorNext, LowerIteratorMake, LowerScalarSummary,
               LowerReportUninitialized, LowerParseExample>(converter);
  // LowerCopy has a higher benefit than MLIR's own pattern for memref.copy, so
  // that it is tried first.
  patterns.add<LowerCopy>(converter, /*benefit=*/2);
  patterns.add<LowerSaver<host::SaveOp>>(converter, "ingot_rt_save");
  patterns.add<LowerSaver<host::RestoreOp>>(converter, "ingot_rt_restore");
}
