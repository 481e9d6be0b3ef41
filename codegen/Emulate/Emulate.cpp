//===- Emulate.cpp - GPU kernels as shared objects for x86 ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"

#include "codegen/LLVM/EmitObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace ingot::emulate {

/// The maximum shared memory of a block on any GPU, in bytes. The emulator
/// reserves all of it for a kernel with dynamic shared memory.
static constexpr uint64_t mostSharedBytes = 227 * 1024;

/// The symbol of dynamic shared memory.
static constexpr StringLiteral dynamicShared = "ingot_dynamic_shared";

/// The machine that runs emulated kernels. Like GPUs, x86-64-v3 has FMA and
/// conversions of 16-bit floats as single instructions.
static constexpr llvmgen::TargetMachineSpec machine = {
    "x86_64-unknown-linux-gnu", "x86-64-v3", 256};

/// Moves the global variables in the kernels' shared memory to one section of
/// the object file, where the emulator finds them. The section holds the shared
/// memory of the block that is running.
static void placeSharedMemory(Module &module) {
  LLVMContext &context = module.getContext();
  for (GlobalVariable &global : make_early_inc_range(module.globals())) {
    if (global.getAddressSpace() != 3)
      continue;
    GlobalVariable *placed = &global;
    if (global.isDeclaration()) {
      // All kernels share one global for dynamic shared memory.
      placed = module.getNamedGlobal(dynamicShared);
      if (!placed) {
        auto *type = ArrayType::get(Type::getInt8Ty(context), mostSharedBytes);
        placed = new GlobalVariable(
            module, type, false, GlobalValue::ExternalLinkage, nullptr,
            dynamicShared, &global, GlobalValue::NotThreadLocal, 3);
        placed->setAlignment(Align(1024));
      }
      global.replaceAllUsesWith(placed);
      global.eraseFromParent();
    }
    placed->setInitializer(Constant::getNullValue(placed->getValueType()));
    placed->setLinkage(GlobalValue::ExternalLinkage);
    placed->setVisibility(GlobalValue::HiddenVisibility);
    placed->setSection(sharedSection);
    if (placed->getName().empty())
      placed->setName("shared");
  }
  // Put dynamic shared memory at the end of the section, so that an access
  // beyond the size that a launch requests does not reach another global.
  if (GlobalVariable *last = module.getNamedGlobal(dynamicShared)) {
    module.removeGlobalVariable(last);
    module.insertGlobalVariable(last);
  }
}

/// Defines `<kernel>.parameters`: the size of each parameter in bytes, and a
/// terminating zero.
static void describeParameters(Function &kernel, StringRef name) {
  Module &module = *kernel.getParent();
  SmallVector<uint32_t> sizes;
  for (Argument &argument : kernel.args())
    sizes.push_back(module.getDataLayout().getTypeAllocSize(
        argument.hasByValAttr() ? argument.getParamByValType()
                                : argument.getType()));
  sizes.push_back(0);
  Constant *data = ConstantDataArray::get(module.getContext(), sizes);
  new GlobalVariable(module, data->getType(), true,
                     GlobalValue::ExternalLinkage, data, name + ".parameters");
}

/// Adds `void kernel(void **parameters)`, a wrapper that calls the kernel's
/// original function.
static void wrapKernel(Function &kernel) {
  Module &module = *kernel.getParent();
  LLVMContext &context = module.getContext();
  std::string name = kernel.getName().str();
  kernel.setName(name + ".body");
  kernel.setLinkage(GlobalValue::InternalLinkage);
  kernel.setCallingConv(CallingConv::C);
  auto *pointer = PointerType::get(context, 0);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, false);
  auto *wrapper =
      Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  IRBuilder<> builder(BasicBlock::Create(context, "", wrapper));
  if (module.getFunction(accessFunction))
    builder.CreateCall(module.getOrInsertFunction(
        "ingot_emu_checks",
        FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false)));
  SmallVector<Value *> values;
  for (Argument &argument : kernel.args()) {
    Value *place = builder.CreateLoad(
        pointer, builder.CreateConstGEP1_64(pointer, wrapper->getArg(0),
                                            argument.getArgNo()));
    values.push_back(argument.hasByValAttr()
                         ? place
                         : builder.CreateLoad(argument.getType(), place));
  }
  builder.CreateCall(&kernel, values);
  describeParameters(kernel, name);
  builder.CreateRetVoid();
}

void retarget(Module &module) {
  module.setTargetTriple(Triple(machine.triple));
  module.setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-"
                       "f80:128-n8:16:32:64-S128");
  placeSharedMemory(module);
  SmallVector<Function *> kernels;
  for (Function &function : module) {
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      kernels.push_back(&function);
    function.setCallingConv(CallingConv::C);
    function.removeFnAttr("target-features");
    if (!function.isDeclaration())
      function.addFnAttr("target-cpu", machine.cpu);
  }
  for (Function *kernel : kernels)
    wrapKernel(*kernel);
  for (Function &function : module)
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallInst>(user))
        call->setCallingConv(CallingConv::C);
}

static Error linkShared(StringRef object, StringRef output) {
  std::string messages;
  raw_string_ostream stream(messages);
  // The shared object may have undefined symbols: the process that loads it
  // defines the emulator's functions and the C library's.
  const char *arguments[] = {"ld.lld",  "-m",         "elf_x86_64",
                             "-shared", "-z",         "nostart-stop-gc",
                             "-z",      "now",        object.data(),
                             "-o",      output.data()};
  lld::Result result =
      lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return Error::success();
  return createStringError("linking '%s' failed:\n%s", output.data(),
                           messages.c_str());
}

/// Defines the symbols that tell the emulator where shared memory starts and
/// ends, and where dynamic shared memory starts. They are defined even if a
/// kernel has no shared memory.
static void nameSharedMemory(Module &module) {
  LLVMContext &context = module.getContext();
  Type *byte = Type::getInt8Ty(context);
  auto *none = new GlobalVariable(
      module, ArrayType::get(byte, 0), false, GlobalValue::ExternalLinkage,
      Constant::getNullValue(ArrayType::get(byte, 0)), "ingot_no_shared");
  none->setSection(sharedSection);
  none->setVisibility(GlobalValue::HiddenVisibility);
  SmallVector<Constant *> ends;
  for (StringRef end : {"__start_", "__stop_"})
    ends.push_back(new GlobalVariable(module, byte, false,
                                      GlobalValue::ExternalLinkage, nullptr,
                                      end + sharedSection));
  auto *address = PointerType::get(context, 0);
  GlobalVariable *dynamic = module.getNamedGlobal(dynamicShared);
  ends.push_back(
      dynamic ? ConstantExpr::getAddrSpaceCast(dynamic, address)
              : static_cast<Constant *>(ConstantPointerNull::get(address)));
  auto *type = ArrayType::get(address, 3);
  new GlobalVariable(module, type, true, GlobalValue::ExternalLinkage,
                     ConstantArray::get(type, ends), "ingot_shared_range");
}

Error lower(Module &module, const Options &options) {
  if (options.costs)
    if (Error error = vectorizeAccesses(module))
      return error;
  if (Error error = replaceIntrinsics(module))
    return error;
  if (options.costs) {
    countCosts(module);
    describeResources(module, options.registers);
  }
  tellOrder(module);
  if (options.check)
    checkAccesses(module);
  retarget(module);
  nameSharedMemory(module);
  return Error::success();
}

Error emulate(Module &module, const Options &options, StringRef output) {
  if (Error error = lower(module, options))
    return error;
  if (Error error = llvmgen::optimize(module, machine, 2))
    return error;
  Expected<std::string> object = llvmgen::emitObject(module, machine, 2);
  if (!object)
    return object.takeError();
  SmallString<128> path;
  int descriptor;
  if (std::error_code error =
          sys::fs::createTemporaryFile("ingot", "o", descriptor, path))
    return createStringError(
        error,
        "cannot create a temporary object file (TMPDIR sets its folder): %s",
        error.message().c_str());
  FileRemover remover(path);
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << *object;
  SmallString<128> temporary(output);
  temporary += ".part";
  if (Error error = linkShared(path.c_str(), temporary.c_str()))
    return error;
  if (std::error_code error = sys::fs::rename(temporary, output))
    return createStringError(error, "cannot write '%s': %s",
                             output.str().c_str(), error.message().c_str());
  return Error::success();
}

} // namespace ingot::emulate
