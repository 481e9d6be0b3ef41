//===- BufferizeEntries.cpp - Every tensor gets a buffer ------------------===//

#include "codegen/Host/Passes.h"

#include "dialects/Host/HostAttributes.h"
#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_BUFFERIZEENTRIESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

/// A kernel's declaration, on buffers: results are written to the last ones.
static void bufferizeDeclaration(func::FuncOp kernel) {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(
        tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType())
               : type);
  }
  kernel.setType(FunctionType::get(kernel.getContext(), types, {}));
}

/// Gives each use of an empty tensor memory of its own. One that all share, as
/// CSE leaves it, says the same, but to find that out takes the analysis time
/// that grows with the third power of their number.
static void separateDestinations(func::FuncOp function) {
  SmallVector<tensor::EmptyOp> empties;
  function.walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(bufferization::AllocTensorOp::create(
          builder, empty.getLoc(), empty.getType(), empty.getDynamicSizes()));
    }
    empty.erase();
  }
}

/// Where a function of a dataset hands `value` out: the argument that is this
/// result's memory, as a tensor like `value`. Reshapes in between are undone.
/// Null where it is no result.
static Value resultMemory(OpBuilder &builder, Value value) {
  for (Operation *user : value.getUsers()) {
    Location loc = user->getLoc();
    if (auto store =
            dyn_cast<bufferization::MaterializeInDestinationOp>(user)) {
      Value memory = store.getDest();
      if (store.getSource() == value && isa<BlockArgument>(memory))
        return bufferization::ToTensorOp::create(builder, loc, value.getType(),
                                                 memory, /*restrict=*/true,
                                                 /*writable=*/true);
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
      if (Value memory = resultMemory(builder, expand.getResult()))
        return tensor::CollapseShapeOp::create(
            builder, loc, cast<RankedTensorType>(value.getType()), memory,
            expand.getReassociationIndices());
    }
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
      if (Value memory = resultMemory(builder, collapse.getResult()))
        return tensor::ExpandShapeOp::create(
            builder, loc, value.getType(), memory,
            collapse.getReassociationIndices());
    }
  }
  return nullptr;
}

/// What a dataset's function computes last it computes in the memory of its
/// results: rows of a batch, say, that nothing is to be copied to afterwards.
static void computeInResults(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (!destination || !isa<host::HostDialect>(op.getDialect()))
      continue;
    OpBuilder builder(&op);
    for (OpOperand &init : destination.getDpsInitsMutable()) {
      auto type = cast<RankedTensorType>(init.get().getType());
      if (!init.get().getDefiningOp<tensor::EmptyOp>() ||
          !type.hasStaticShape())
        continue;
      if (Value memory =
              resultMemory(builder, destination.getTiedOpResult(&init)))
        init.set(memory);
    }
  }
}

namespace {
struct BufferizeEntries
    : ::ingot::hostgen::impl::BufferizeEntriesPassBase<BufferizeEntries> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferAlignment = INGOT_ALIGNMENT;
    bufferization::BufferizationState state;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function->hasAttr(host::kernelAttrName)) {
        if (function.isExternal())
          bufferizeDeclaration(function);
        continue;
      }
      if (function->hasAttr(host::functionAttrName))
        computeInResults(function);
      separateDestinations(function);
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
    }
  }
};
} // namespace
