//===- DescribeResources.cpp - What a block of a kernel occupies ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace ingot::emulate {

StringMap<uint32_t> parseRegisters(StringRef assemblerOutput) {
  StringMap<uint32_t> registers;
  SmallVector<StringRef> lines;
  assemblerOutput.split(lines, '\n');
  StringRef kernel;
  for (StringRef line : lines) {
    if (StringRef rest = line.split("Compiling entry function '").second;
        !rest.empty())
      kernel = rest.split('\'').first;
    StringRef used = line.split(": Used ").second;
    uint32_t number;
    if (kernel.empty() || used.consumeInteger(10, number) ||
        !used.starts_with(" registers"))
      continue;
    registers[kernel] = number;
    kernel = "";
  }
  return registers;
}

/// The static shared memory that a kernel uses, in functions that it calls,
/// too, in bytes.
static uint64_t sharedBytesOf(Function &kernel) {
  const DataLayout &layout = kernel.getDataLayout();
  SetVector<Value *> seen;
  seen.insert(&kernel);
  uint64_t bytes = 0;
  for (size_t i = 0; i < seen.size(); ++i) {
    if (auto *function = dyn_cast<Function>(seen[i])) {
      for (Instruction &instruction : instructions(*function))
        for (Value *operand : instruction.operands())
          if (isa<Constant>(operand))
            seen.insert(operand);
      continue;
    }
    auto *global = dyn_cast<GlobalVariable>(seen[i]);
    if (global && global->getAddressSpace() == 3 && !global->isDeclaration())
      bytes = alignTo(bytes, global->getAlign().valueOrOne()) +
              layout.getTypeAllocSize(global->getValueType());
    else if (!global)
      for (Value *operand : cast<Constant>(seen[i])->operands())
        seen.insert(operand);
  }
  return bytes;
}

static uint32_t attributeOf(const Function &kernel, StringRef name) {
  uint32_t number = 0;
  if (kernel.hasFnAttribute(name) &&
      kernel.getFnAttribute(name).getValueAsString().getAsInteger(10, number))
    return 0;
  return number;
}

void describeResources(Module &module, const StringMap<uint32_t> &registers) {
  SmallVector<Function *> kernels;
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.push_back(&function);
  for (Function *kernel : kernels) {
    uint32_t numbers[] = {registers.lookup(kernel->getName()),
                          attributeOf(*kernel, "nvvm.maxnreg"),
                          attributeOf(*kernel, "nvvm.reqntid"),
                          static_cast<uint32_t>(sharedBytesOf(*kernel))};
    Constant *data = ConstantDataArray::get(module.getContext(), numbers);
    new GlobalVariable(module, data->getType(), true,
                       GlobalValue::ExternalLinkage, data,
                       kernel->getName() + ".resources");
  }
}

} // namespace ingot::emulate
