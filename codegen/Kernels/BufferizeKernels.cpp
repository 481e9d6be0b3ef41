//===- BufferizeKernels.cpp - Bufferize kernels ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "runtime/ABI/Tensor.h"

#include "llvm/Support/Debug.h"

namespace ingot::kernels {
#define GEN_PASS_DEF_BUFFERIZEKERNELSPASS
#include "codegen/Kernels/Passes.h.inc"

void registerBufferizationModels(mlir::DialectRegistry &registry) {
  mlir::arith::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  mlir::linalg::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::linalg::registerTilingInterfaceExternalModels(registry);
  mlir::scf::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerBufferizableOpInterfaceExternalModels(registry);
  mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
  mlir::tensor::registerTilingInterfaceExternalModels(registry);
}
} // namespace ingot::kernels

#define DEBUG_TYPE "ingot-bufferize-kernels"

using namespace mlir;

/// If `result` is the result of a loop that updates parts of an input, such as
/// rows selected by indices, copies the input to the result's buffer before the
/// loop, and makes the loop update it there. Otherwise bufferization would
/// allocate another buffer, and copy twice.
static void startInResult(OpBuilder &builder, Value result, Value buffer,
                          unsigned firstOutput) {
  auto loop = result.getDefiningOp<scf::ForOp>();
  if (!loop || llvm::any_of(buffer.getUsers(),
                            [](Operation *user) { return !user->use_empty(); }))
    return;
  OpOperand &init =
      loop.getInitsMutable()[cast<OpResult>(result).getResultNumber()];
  auto input = init.get().getDefiningOp<bufferization::ToTensorOp>();
  auto argument = input ? dyn_cast<BlockArgument>(input.getBuffer()) : nullptr;
  if (!argument || argument.getArgNumber() >= firstOutput ||
      argument.getType() != buffer.getType())
    return;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop);
  Value memory = bufferization::ToTensorOp::create(
      builder, loop.getLoc(), init.get().getType(), buffer, /*restrict=*/true,
      /*writable=*/true);
  init.set(bufferization::MaterializeInDestinationOp::create(
               builder, loop.getLoc(), init.get().getType(), init.get(), memory)
               .getResult());
}

/// Changes a kernel's signature from tensors to buffers. The kernel then writes
/// its results to its last arguments (destination-passing style).
static void bufferizeSignature(func::FuncOp kernel) {
  Block &body = kernel.getBody().front();
  Operation *terminator = body.getTerminator();
  unsigned numOutputs = terminator->getNumOperands();
  unsigned firstOutput = body.getNumArguments() - numOutputs;
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (BlockArgument argument : body.getArguments()) {
    auto tensor = cast<RankedTensorType>(argument.getType());
    argument.setType(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
    auto value = bufferization::ToTensorOp::create(
        builder, kernel.getLoc(), tensor, argument, /*restrict=*/true,
        /*writable=*/argument.getArgNumber() >= firstOutput);
    argument.replaceAllUsesExcept(value, value);
  }
  builder.setInsertionPoint(terminator);
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    startInResult(builder, value, body.getArgument(firstOutput + index),
                  firstOutput);
  for (auto [index, value] : llvm::enumerate(terminator->getOperands()))
    bufferization::MaterializeInDestinationOp::create(
        builder, kernel.getLoc(), TypeRange(), value,
        body.getArgument(firstOutput + index), /*restrict=*/true,
        /*writable=*/true);
  terminator->setOperands({});
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
}

/// A tensor that is assembled from at least this number of slices is bufferized
/// before One-Shot Bufferize runs, as its analysis takes time quadratic in the
/// number of writes to a tensor.
constexpr size_t minSlices = 8;

/// `link` is an insert_slice. If the inserted slice was computed in place on an
/// extract_slice of the same part of the destination, returns this
/// extract_slice. Otherwise returns null.
static tensor::ExtractSliceOp sliceInPlace(tensor::InsertSliceOp link) {
  auto computed = link.getSource().getDefiningOp<DestinationStyleOpInterface>();
  if (!computed)
    return nullptr;
  for (Value init : computed.getDpsInits())
    if (auto slice = init.getDefiningOp<tensor::ExtractSliceOp>())
      if (slice.getSource() == link.getDest() && slice->hasOneUse() &&
          slice.getType() == link.getSourceType() &&
          slice.isSameAs(link, [](OpFoldResult a, OpFoldResult b) {
            return isEqualConstantIntOrValue(a, b);
          }))
        return slice;
  return nullptr;
}

/// Whether `link`, an insert_slice, is the only user of the tensor into which
/// it inserts. An extract_slice on which the inserted slice was computed in
/// place (`sliceInPlace`) does not count.
static bool ownsDestination(tensor::InsertSliceOp link) {
  if (link.getSourceType().getRank() != link.getDestType().getRank())
    return false;
  tensor::ExtractSliceOp slice = sliceInPlace(link);
  return llvm::all_of(link.getDest().getUses(), [&](OpOperand &use) {
    return use.getOwner() == slice ||
           (use.getOwner() == link && &use == &link.getDestMutable());
  });
}

/// Whether `begin` is a tensor without contents, into which slices may be
/// inserted: a tensor.empty, or the argument to which the result is written
/// that ends up in `whole`.
static bool startsChain(Value begin, Value whole) {
  if (begin.getDefiningOp<tensor::EmptyOp>())
    return true;
  auto argument = begin.getDefiningOp<bufferization::ToTensorOp>();
  return argument && argument.getWritable() &&
         llvm::any_of(whole.getUsers(), [&](Operation *user) {
           auto result =
               dyn_cast<bufferization::MaterializeInDestinationOp>(user);
           return result && result.getDest() == argument.getBuffer();
         });
}

/// Returns the chain of insert_slices, in order, that starts with a tensor
/// without contents (`startsChain`) and ends with `last`.
static SmallVector<tensor::InsertSliceOp>
slicesUpTo(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> chain;
  for (auto link = last; link;
       link = link.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (!ownsDestination(link) || link->getBlock() != last->getBlock())
      return {};
    chain.push_back(link);
  }
  std::reverse(chain.begin(), chain.end());
  if (!startsChain(chain.front().getDest(), last.getResult()))
    return {};
  return chain;
}

/// Returns the buffer in which the tensor `whole` is assembled, starting with
/// `begin`. If `whole` is a result of the kernel and nothing else, and no other
/// op uses the argument to which this result is written, the buffer is that
/// argument; otherwise it is a new allocation. Where `begin` is the argument
/// already, that is the buffer: a copy that remains then copies it to itself.
static Value bufferFor(OpBuilder &builder, Value begin, Value whole) {
  builder.setInsertionPointAfterValue(begin);
  auto argument = begin.getDefiningOp<bufferization::ToTensorOp>();
  if (whole.hasOneUse())
    if (auto result = dyn_cast<bufferization::MaterializeInDestinationOp>(
            *whole.getUsers().begin());
        result && (argument || llvm::all_of(result.getDest().getUsers(),
                                            [&](Operation *op) {
                                              return op == result ||
                                                     op->use_empty();
                                            }))) {
      Value buffer = result.getDest();
      result.erase();
      return buffer;
    }
  if (argument)
    return argument.getBuffer();
  auto empty = begin.getDefiningOp<tensor::EmptyOp>();
  RankedTensorType type = empty.getType();
  return memref::AllocOp::create(
      builder, empty.getLoc(),
      MemRefType::get(type.getShape(), type.getElementType()),
      empty.getDynamicSizes(), builder.getI64IntegerAttr(INGOT_ALIGNMENT));
}

/// Replaces a chain of insert_slices by copies to views of one buffer. If an
/// inserted slice was computed in place on an extract_slice of the destination,
/// it is computed in the view instead. The copy that remains then copies the
/// view to itself, and later passes remove it.
static void assembleInBuffer(MutableArrayRef<tensor::InsertSliceOp> chain) {
  tensor::InsertSliceOp last = chain.back();
  Operation *begin = chain.front().getDest().getDefiningOp();
  OpBuilder builder(last.getContext());
  Value buffer = bufferFor(builder, begin->getResult(0), last.getResult());
  auto tensorOf = [&](Type type, Value memory) {
    return bufferization::ToTensorOp::create(builder, last.getLoc(), type,
                                             memory, /*restrict=*/true,
                                             /*writable=*/true);
  };
  for (tensor::InsertSliceOp link : chain) {
    tensor::ExtractSliceOp slice = sliceInPlace(link);
    builder.setInsertionPoint(slice ? slice.getOperation() : link);
    Value part = memref::SubViewOp::create(
        builder, link.getLoc(), buffer, link.getMixedOffsets(),
        link.getMixedSizes(), link.getMixedStrides());
    if (slice) {
      slice.replaceAllUsesWith(tensorOf(slice.getType(), part).getResult());
      slice.erase();
    }
    builder.setInsertionPoint(link);
    bufferization::MaterializeInDestinationOp::create(
        builder, link.getLoc(), TypeRange(), link.getSource(), part,
        /*restrict=*/true, /*writable=*/true);
  }
  builder.setInsertionPoint(last);
  if (!last.use_empty())
    last.replaceAllUsesWith(tensorOf(last.getType(), buffer).getResult());
  for (tensor::InsertSliceOp link : llvm::reverse(chain))
    link.erase();
  begin->erase();
}

/// Makes each tensor that is assembled from at least `minSlices` slices a
/// buffer, into which the slices are copied. Returns the number of these
/// tensors.
static unsigned assembleManySlices(func::FuncOp kernel) {
  SmallVector<tensor::InsertSliceOp> ends;
  kernel.walk([&](tensor::InsertSliceOp link) {
    if (llvm::none_of(link->getUsers(), llvm::IsaPred<tensor::InsertSliceOp>))
      ends.push_back(link);
  });
  unsigned numAssembled = 0;
  for (tensor::InsertSliceOp end : ends)
    if (SmallVector<tensor::InsertSliceOp> chain = slicesUpTo(end);
        chain.size() >= minSlices) {
      LLVM_DEBUG(llvm::dbgs() << "assemble " << chain.size() << " slices of "
                              << kernel.getName() << " in a buffer\n");
      assembleInBuffer(chain);
      ++numAssembled;
    }
  return numAssembled;
}

/// Gives each use of a small tensor.empty an op of its own, since CSE has
/// merged equal tensor.empty ops. Ops that write small tensors may be moved
/// before the loop over a kernel's blocks
/// (ingot-partition-kernels-into-blocks). Their results are then live at the
/// same time and need different buffers.
static void separateSmall(func::FuncOp kernel) {
  if (INGOT_MUTANT("shared_buffer"))
    return;
  SmallVector<tensor::EmptyOp> empties;
  kernel.walk([&](tensor::EmptyOp empty) {
    if (empty.getType().hasStaticShape() &&
        empty.getType().getNumElements() <=
            ::ingot::kernels::maxPreludeIterations)
      empties.push_back(empty);
  });
  for (tensor::EmptyOp empty : empties) {
    if (empty->use_empty())
      continue;
    OpBuilder builder(empty);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(empty->getUses())))
      use.set(builder.clone(*empty)->getResult(0));
  }
}

namespace {
struct BufferizeKernels
    : ::ingot::kernels::impl::BufferizeKernelsPassBase<BufferizeKernels> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferAlignment = INGOT_ALIGNMENT;
    bufferization::BufferizationState state;
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      if (!kernel->hasAttr(host::kernelAttrName) || kernel.isExternal())
        continue;
      bufferizeSignature(kernel);
      numAssembled += assembleManySlices(kernel);
      separateSmall(kernel);
      if (failed(bufferization::runOneShotBufferize(kernel, options, state)))
        return signalPassFailure();
    }
  }
};
} // namespace
