//===- HostBufferization.cpp - From tensors to buffers --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Implements BufferizableOpInterface for host ops: operands are read,
// destinations are written in place, and an iterator's element may not be
// written.
//
//===----------------------------------------------------------------------===//

#include "dialects/Host/HostDialect.h"

#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::host;

namespace {

/// Returns `buffer` if its elements are contiguous in row-major order, or else
/// a contiguous copy: the runtime accepts only contiguous buffers.
Value denseBuffer(RewriterBase &rewriter, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isDense(type))
    return buffer;
  MemRefType dense = denseType(type);
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, dim));
  Value copy = memref::AllocOp::create(
      rewriter, loc, dense, sizes, rewriter.getI64IntegerAttr(INGOT_ALIGNMENT));
  memref::CopyOp::create(rewriter, loc, buffer, copy);
  return copy;
}

/// Returns the buffers of an op's operands, in order. Operands that are not
/// tensors are returned as they are.
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
    buffers.push_back(denseBuffer(rewriter, operand.getLoc(), *buffer));
  }
  return buffers;
}

/// Replaces `op` by the same op on buffers. Uses of its tensor results become
/// uses of its destination buffers (`outs`).
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

// Implements BufferizableOpInterface for an op that reads its operands and
// writes only its destinations.
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
INGOT_HOST_BUFFERIZATION(FetchOp)

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

/// Returns the result of `call` that the runtime writes to the buffer
/// `operand`, an output of the call. Returns null if `operand` is an input. The
/// operands are the inputs, then one output for each result for which
/// `hasOutput` is true, in the order of the results.
static OpResult resultOf(CallOp call, OpOperand &operand) {
  int64_t output = static_cast<int64_t>(operand.getOperandNumber()) -
                   static_cast<int64_t>(call.getInputs().size());
  if (output < 0)
    return {};
  for (OpResult result : call->getResults())
    if (call.hasOutput(result.getResultNumber()) && output-- == 0)
      return result;
  return {};
}

bool CallOp::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) {
  return !resultOf(*this, operand);
}

bool CallOp::bufferizesToMemoryWrite(OpOperand &operand,
                                     const AnalysisState &) {
  return bool(resultOf(*this, operand));
}

AliasingValueList CallOp::getAliasingValues(OpOperand &operand,
                                            const AnalysisState &) {
  if (OpResult result = resultOf(*this, operand))
    return {{result, BufferRelation::Equivalent}};
  return {};
}

/// Returns false for a result of static shape that has no output buffer: its
/// memory belongs to the runtime. As it is not writable, bufferization copies
/// it before a write.
bool CallOp::isWritable(Value value, const AnalysisState &) {
  auto result = dyn_cast<OpResult>(value);
  return !result || hasOutput(result.getResultNumber()) ||
         !cast<ShapedType>(value.getType()).hasStaticShape();
}

LogicalResult CallOp::bufferize(RewriterBase &rewriter,
                                const BufferizationOptions &options,
                                BufferizationState &state) {
  FailureOr<SmallVector<Value>> inputs =
      buffersOf(rewriter, getInputs(), options, state);
  FailureOr<SmallVector<Value>> outputs =
      buffersOf(rewriter, getOutputs(), options, state);
  if (failed(inputs) || failed(outputs))
    return failure();
  SmallVector<Type> types;
  SmallVector<bool> isStatic;
  for (OpResult result : getResults()) {
    auto tensor = cast<RankedTensorType>(result.getType());
    isStatic.push_back(hasOutput(result.getResultNumber()));
    if (!isStatic.back())
      types.push_back(
          MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  auto call = CallOp::create(rewriter, getLoc(), types, getCalleeAttr(),
                             getNodeAttr(), getOptionsAttr(), *inputs, *outputs,
                             getInputDtypesAttr(), getOutputDtypesAttr());
  call->setAttr("static_results", rewriter.getDenseBoolArrayAttr(isStatic));
  SmallVector<Value> replacements;
  unsigned nextStatic = 0, nextDynamic = 0;
  for (bool hasOutput : isStatic)
    replacements.push_back(hasOutput ? (*outputs)[nextStatic++]
                                     : call.getResult(nextDynamic++));
  replaceOpWithBufferizedValues(rewriter, *this, replacements);
  return success();
}

bool StringsOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return false;
}
bool StringsOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) {
  return false;
}
AliasingValueList StringsOp::getAliasingValues(OpOperand &,
                                               const AnalysisState &) {
  return {};
}
bool StringsOp::isWritable(Value, const AnalysisState &) { return false; }

LogicalResult StringsOp::bufferize(RewriterBase &rewriter,
                                   const BufferizationOptions &,
                                   BufferizationState &) {
  auto tensor = cast<RankedTensorType>(getOutput().getType());
  auto strings = StringsOp::create(
      rewriter, getLoc(),
      MemRefType::get(tensor.getShape(), tensor.getElementType()),
      getValuesAttr());
  replaceOpWithBufferizedValues(rewriter, *this, strings.getOutput());
  return success();
}
