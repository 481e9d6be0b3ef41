//===- BufferizeKernels.cpp - Every tensor of a kernel gets a buffer ------===//

#include "codegen/Kernels/Passes.h"

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

using namespace mlir;

/// Takes buffers as arguments; results are written to the last ones.
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
    bufferization::MaterializeInDestinationOp::create(
        builder, kernel.getLoc(), TypeRange(), value,
        body.getArgument(firstOutput + index), /*restrict=*/true,
        /*writable=*/true);
  terminator->setOperands({});
  kernel.setType(builder.getFunctionType(body.getArgumentTypes(), {}));
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
      if (failed(bufferization::runOneShotBufferize(kernel, options, state)))
        return signalPassFailure();
    }
  }
};
} // namespace
