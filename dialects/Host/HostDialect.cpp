//===- HostDialect.cpp - Registration and verifiers -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::host;

#include "dialects/Host/HostDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Host/HostOps.cpp.inc"

void HostDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Host/HostOps.cpp.inc"
      >();
}

MemRefType mlir::host::denseType(MemRefType buffer) {
  return MemRefType::get(buffer.getShape(), buffer.getElementType());
}

bool mlir::host::isDense(MemRefType buffer) {
  return buffer.getLayout().isIdentity() ||
         memref::isStaticShapeAndContiguousRowMajor(buffer);
}

LogicalResult CallOp::verify() {
  // While the op works on tensors, it has one operand among `outputs` for each
  // result of static shape, except for results whose memory belongs to the
  // runtime (host_call_c1). Bufferization removes the results that have an
  // output, so the number of outputs can no longer be checked on buffers.
  if (llvm::any_of(getResultTypes(),
                   [](Type type) { return isa<MemRefType>(type); }))
    return success();
  size_t expected = 0;
  for (unsigned result = 0; result < getNumResults(); ++result)
    expected += hasOutput(result);
  if (getNumResults() != 0 && getOutputs().size() != expected)
    return emitOpError() << "has " << getOutputs().size()
                         << " outputs, but needs " << expected
                         << ": one for each result of static shape; with "
                            "option 'lent', the last result needs none";
  return success();
}

bool CallOp::hasOutput(unsigned result) {
  bool isLent = result + 1 == getNumResults() && getOptions().contains("lent");
  return !isLent &&
         cast<ShapedType>(getResult(result).getType()).hasStaticShape();
}

LogicalResult RunOp::verify() {
  // For each kernel in the launch table, there is an argument table and a node
  // name (run_c1).
  if (getArguments().size() != getKernels().size() ||
      getNodes().size() != getKernels().size())
    return emitOpError() << "has " << getKernels().size() << " kernels, "
                         << getArguments().size() << " argument tables and "
                         << getNodes().size()
                         << " node names, but each kernel needs one argument "
                            "table and one node name";
  DenseI64ArrayAttr members = getMembersAttr();
  if (!members)
    return success();
  // `members` lists how many kernels each batched launch has: at least one, and
  // all of them are the same kernel (run_c2).
  ArrayRef<Attribute> left = getKernels().getValue();
  for (int64_t count : members.asArrayRef()) {
    if (count < 1)
      return emitOpError() << "'members' must list positive numbers of kernels,"
                              " but lists "
                           << count;
    if (count > static_cast<int64_t>(left.size()))
      return emitOpError() << "'members' must add up to the number of kernels, "
                           << getKernels().size() << ", but adds up to "
                           << getKernels().size() - left.size() + count
                           << " or more";
    if (!llvm::all_equal(left.take_front(count)))
      return emitOpError() << "requires all members of a batched launch to run "
                              "the same kernel";
    left = left.drop_front(count);
  }
  if (!left.empty())
    return emitOpError() << "'members' must add up to the number of kernels, "
                         << getKernels().size() << ", but adds up to "
                         << getKernels().size() - left.size();
  return success();
}

LogicalResult RandomBitsOp::verify() {
  auto vector = dyn_cast<VectorType>(getType());
  // The length of a vector is a multiple of the number of elements that one
  // block of the generator yields (random_bits_c1).
  if (vector && vector.getNumElements() % numbersOfBlock() != 0)
    return emitOpError() << "the number of elements of the result vector must "
                            "be a multiple of "
                         << numbersOfBlock() << ", but is "
                         << vector.getNumElements();
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // If the symbol names a kernel of the module, the kernel's arguments have the
  // types of the launch's operands (launch_c1).
  auto kernel = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "'" << getKernel() << "' is not a function";
  if (!kernel->hasAttr(kernelAttrName))
    return success();
  if (kernel.getArgumentTypes().size() != getNumOperands())
    return emitOpError() << "passes " << getNumOperands()
                         << " operands to kernel '" << getKernel()
                         << "', which has " << kernel.getArgumentTypes().size()
                         << " arguments";
  for (auto [index, operand, argument] :
       llvm::enumerate(getOperandTypes(), kernel.getArgumentTypes())) {
    // Bufferization converts an entry and its kernels one after the other, so
    // the launch may already have a buffer where the kernel still has a tensor,
    // or vice versa: the types of such a pair are not compared.
    if (isa<MemRefType>(operand) != isa<MemRefType>(argument))
      continue;
    auto buffer = dyn_cast<MemRefType>(operand);
    if (operand != argument &&
        !(buffer && isDense(buffer) && denseType(buffer) == argument))
      return emitOpError() << "operand " << index << " is a " << operand
                           << ", but kernel '" << getKernel() << "' expects a "
                           << argument;
  }
  return success();
}
