//===- LowerSignatures.cpp - Entries and kernels as the ABI has them ------===//

#include "codegen/CPU/KernelAccess.h"
#include "codegen/CPU/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_LOWERSIGNATURESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

using namespace mlir;

/// Whether what the kernel does beside its grid is its own business: each
/// range does all of it.
static bool isOwnBusiness(Operation *op) {
  if (isMemoryEffectFree(op) || isa<memref::LoadOp, vector::LoadOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](MemoryEffects::EffectInstance &effect) {
    return !isa<MemoryEffects::Write>(effect.getEffect()) ||
           (effect.getValue() &&
            isa_and_nonnull<memref::AllocaOp, memref::AllocOp>(
                ::ingot::cpu::rootOf(effect.getValue()).getDefiningOp()));
  });
}

/// The loop whose iterations may run on several threads, or null.
static scf::ForOp gridLoop(func::FuncOp kernel) {
  scf::ForOp grid = ::ingot::cpu::gridLoopOf(kernel);
  if (!grid || grid.getNumResults() != 0)
    return {};
  WalkResult others =
      kernel.getBody().front().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op == grid.getOperation())
          return WalkResult::skip();
        return isOwnBusiness(op) || op->hasTrait<OpTrait::IsTerminator>()
                   ? WalkResult::advance()
                   : WalkResult::interrupt();
      });
  return others.wasInterrupted() ? scf::ForOp() : grid;
}

/// How many iterations the loop has, as the attribute says it; null where it
/// is no multiple of one argument's size. Arguments are not bound yet.
static Attribute gridOf(scf::ForOp loop) {
  Builder builder(loop.getContext());
  if (std::optional<APInt> trips = loop.getStaticTripCount())
    return builder.getI64IntegerAttr(trips->getSExtValue());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  auto end = loop.getUpperBound().getDefiningOp<memref::DimOp>();
  if (!step || !end || getConstantIntValue(loop.getLowerBound()) != 0)
    return {};
  auto argument = dyn_cast<BlockArgument>(end.getSource());
  std::optional<int64_t> dim = end.getConstantIndex();
  if (!argument || !dim)
    return {};
  return builder.getI64ArrayAttr({*step, argument.getArgNumber(), *dim});
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
  scf::ForOp grid = gridLoop(kernel);
  Attribute count = grid ? gridOf(grid) : Attribute();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  int32_t slot = 0;
  for (unsigned index = 0; index < numBuffers; ++index) {
    bind(builder, loc, table, slot, body.getArgument(index));
    // Sizes that the type leaves open follow the address.
    slot +=
        1 +
        cast<MemRefType>(body.getArgument(index).getType()).getNumDynamicDims();
  }
  if (count) {
    builder.setInsertionPoint(grid);
    kernel->setAttr(host::gridAttrName, count);
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
