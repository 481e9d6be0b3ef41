//===- HostBufferization.cpp - From tensors to buffers --------------------===//
//
// How One-Shot Bufferize sees the host ops: operands are read, destinations
// are written in place, and an iterator's element may not be written.
//
//===----------------------------------------------------------------------===//

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::host;

namespace {

/// The buffers of an op's operands, in order.
FailureOr<SmallVector<Value>> buffersOf(RewriterBase &rewriter,
                                        ValueRange operands,
                                        const BufferizationOptions &options,
                                        const BufferizationState &state) {
  SmallVector<Value> buffers;
  for (Value operand : operands) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return buffers;
}

/// The same op on buffers; its tensor results become its destinations.
LogicalResult bufferizeInPlace(Operation *op, RewriterBase &rewriter,
                               const BufferizationOptions &options,
                               const BufferizationState &state) {
  FailureOr<SmallVector<Value>> buffers =
      buffersOf(rewriter, op->getOperands(), options, state);
  if (failed(buffers))
    return failure();
  OperationState newState(op->getLoc(), op->getName(), *buffers, TypeRange(),
                          op->getAttrs());
  newState.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *newOp = rewriter.create(newState);
  SmallVector<Value> replacements;
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(newOp))
    llvm::append_range(replacements, destination.getDpsInits());
  replaceOpWithBufferizedValues(
      rewriter, op, ArrayRef(replacements).take_front(op->getNumResults()));
  return success();
}

AliasingValueList aliasingValuesOf(Operation *op, OpOperand &operand) {
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destination || !destination.isDpsInit(&operand))
    return {};
  return {{destination.getTiedOpResult(&operand), BufferRelation::Equivalent}};
}

bool isDestination(Operation *op, OpOperand &operand) {
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  return destination && destination.isDpsInit(&operand);
}

} // namespace

// Reads its operands; what is no destination is not written.
#define INGOT_HOST_BUFFERIZATION(OpTy)                                         \
  bool OpTy::bufferizesToMemoryRead(OpOperand &operand,                        \
                                    const AnalysisState &) {                   \
    return true;                                                               \
  }                                                                            \
  bool OpTy::bufferizesToMemoryWrite(OpOperand &operand,                       \
                                     const AnalysisState &) {                  \
    return isDestination(*this, operand);                                      \
  }                                                                            \
  AliasingValueList OpTy::getAliasingValues(OpOperand &operand,                \
                                            const AnalysisState &) {           \
    return aliasingValuesOf(*this, operand);                                   \
  }                                                                            \
  bool OpTy::isWritable(Value value, const AnalysisState &) { return true; }   \
  LogicalResult OpTy::bufferize(RewriterBase &rewriter,                        \
                                const BufferizationOptions &options,           \
                                BufferizationState &state) {                   \
    return bufferizeInPlace(*this, rewriter, options, state);                  \
  }

INGOT_HOST_BUFFERIZATION(SaveOp)
INGOT_HOST_BUFFERIZATION(RestoreOp)
INGOT_HOST_BUFFERIZATION(ScalarSummaryOp)
INGOT_HOST_BUFFERIZATION(ParseExampleOp)
INGOT_HOST_BUFFERIZATION(LaunchOp)

bool IteratorNextOp::bufferizesToMemoryRead(OpOperand &,
                                            const AnalysisState &) {
  return false;
}

bool IteratorNextOp::bufferizesToMemoryWrite(OpOperand &,
                                             const AnalysisState &) {
  return false;
}

AliasingValueList IteratorNextOp::getAliasingValues(OpOperand &,
                                                    const AnalysisState &) {
  return {};
}

bool IteratorNextOp::isWritable(Value, const AnalysisState &) { return false; }

LogicalResult IteratorNextOp::bufferize(RewriterBase &rewriter,
                                        const BufferizationOptions &,
                                        BufferizationState &) {
  SmallVector<Type> types;
  for (Type type : getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  auto next =
      IteratorNextOp::create(rewriter, getLoc(), types, getIteratorAttr());
  replaceOpWithBufferizedValues(rewriter, *this, next.getComponents());
  return success();
}
