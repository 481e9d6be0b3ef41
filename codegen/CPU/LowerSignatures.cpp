//===- LowerSignatures.cpp - Entries and kernels as the ABI has them ------===//

#include "codegen/CPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_LOWERSIGNATURESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

/// A kernel that computes less than this many operations is not worth a
/// second thread.
static constexpr int64_t minParallelFlops = 2'000'000;

/// The loop whose iterations may run on several threads, or null.
static scf::ForOp gridLoop(func::FuncOp kernel) {
  auto flops = kernel->getAttrOfType<IntegerAttr>(host::flopsAttrName);
  if (!flops || flops.getInt() < minParallelFlops)
    return {};
  scf::ForOp grid;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && !grid) {
      grid = loop;
      continue;
    }
    // Each range runs all of the kernel but this loop: what else it does must
    // be its own business.
    auto store = dyn_cast<memref::StoreOp>(op);
    bool isOwn = store && store.getMemRef().getDefiningOp<memref::AllocaOp>();
    if (!isOwn && !isa<memref::LoadOp, memref::AllocaOp>(op) &&
        !isMemoryEffectFree(&op))
      return {};
  }
  if (!grid || !grid->hasAttr(::ingot::cpu::gridLoopAttrName) ||
      grid.getNumResults() != 0 || !grid.getStaticTripCount())
    return {};
  return grid;
}

static void bind(OpBuilder &builder, Location loc, Value table, int32_t index,
                 BlockArgument argument) {
  Value buffer =
      host::BindOp::create(builder, loc, cast<MemRefType>(argument.getType()),
                           table, builder.getI32IntegerAttr(index));
  argument.replaceAllUsesWith(buffer);
}

static void lowerKernel(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  Block &body = kernel.getBody().front();
  Location loc = kernel.getLoc();
  unsigned numBuffers = body.getNumArguments();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto i64 = IntegerType::get(context, 64);
  Value table = body.addArgument(pointer, loc);
  Value begin = body.addArgument(i64, loc);
  Value end = body.addArgument(i64, loc);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  int32_t slot = 0;
  for (unsigned index = 0; index < numBuffers; ++index) {
    bind(builder, loc, table, slot, body.getArgument(index));
    // Sizes that the type leaves open follow the address.
    slot +=
        1 +
        cast<MemRefType>(body.getArgument(index).getType()).getNumDynamicDims();
  }
  if (scf::ForOp grid = gridLoop(kernel)) {
    builder.setInsertionPoint(grid);
    kernel->setAttr(
        host::gridAttrName,
        builder.getI64IntegerAttr(grid.getStaticTripCount()->getSExtValue()));
    auto bound = [&](Value index) -> Value {
      Value number = arith::IndexCastOp::create(builder, loc,
                                                builder.getIndexType(), index);
      Value distance =
          arith::MulIOp::create(builder, loc, number, grid.getStep());
      return arith::AddIOp::create(builder, loc, grid.getLowerBound(),
                                   distance);
    };
    Value from = bound(begin), to = bound(end);
    grid.setLowerBound(from);
    grid.setUpperBound(to);
  }
  body.eraseArguments(0, numBuffers);
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
}

static void lowerEntry(func::FuncOp entry) {
  MLIRContext *context = entry.getContext();
  Block &body = entry.getBody().front();
  Location loc = entry.getLoc();
  auto pointer = LLVM::LLVMPointerType::get(context);
  unsigned numBuffers = body.getNumArguments() - 1; // the arena comes last
  Value arena = body.getArguments().back();
  SmallVector<Value> tables; // context, arena, variables, feeds, fetches
  for (unsigned i = 0; i < 5; ++i)
    tables.push_back(body.addArgument(pointer, loc));
  arena.replaceAllUsesWith(tables[1]);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  constexpr StringLiteral kinds[] = {host::variableAttrName, host::feedAttrName,
                                     host::fetchAttrName};
  for (unsigned index = 0; index < numBuffers; ++index) {
    unsigned table = 0;
    int32_t number = 0;
    for (auto [position, name] : llvm::enumerate(kinds))
      if (auto attribute = entry.getArgAttrOfType<IntegerAttr>(index, name)) {
        table = 2 + position;
        number = attribute.getInt();
      }
    BlockArgument argument = body.getArgument(index);
    if (table == 2) {
      bind(builder, loc, tables[table], number, argument);
      continue;
    }
    argument.replaceAllUsesWith(
        host::BindTensorOp::create(
            builder, loc, cast<MemRefType>(argument.getType()), tables[table],
            builder.getI32IntegerAttr(number))
            .getBuffer());
  }
  body.eraseArguments(0, numBuffers + 1);
  auto i32 = builder.getI32Type();
  entry.setAllArgAttrs(ArrayRef<DictionaryAttr>());
  entry.setType(builder.getFunctionType(body.getArgumentTypes(), {i32}));
  builder.setInsertionPoint(body.getTerminator());
  Value success = arith::ConstantIntOp::create(builder, loc, i32, 0);
  body.getTerminator()->setOperands(success);
}

namespace {
struct LowerSignatures
    : ::ingot::cpu::impl::LowerSignaturesPassBase<LowerSignatures> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(host::kernelAttrName))
        lowerKernel(function);
      else if (!function.isExternal())
        lowerEntry(function);
    }
  }
};
} // namespace
