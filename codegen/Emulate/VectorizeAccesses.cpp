//===- VectorizeAccesses.cpp - Accesses as NVPTX emits them ---------------===//
// SPDX-License-Identifier: Apache-2.0
//
// LLVM's NVPTX code generator merges neighbouring loads and stores of a thread
// into one of up to 16 bytes, shortly before it selects instructions. Requests
// of memory are counted after the same two passes.
//
//===----------------------------------------------------------------------===//

#include "codegen/Emulate/Emulate.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

namespace ingot::emulate {

/// The GPU for which the module's functions are compiled; "" if none says so.
static std::string processorOf(const Module &module) {
  for (const Function &function : module)
    if (function.hasFnAttribute("target-cpu"))
      return function.getFnAttribute("target-cpu").getValueAsString().str();
  return "";
}

static std::unique_ptr<TargetMachine> machineOf(const Module &module) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  std::string message;
  const Target *target =
      TargetRegistry::lookupTarget(module.getTargetTriple(), message);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(module.getTargetTriple(), processorOf(module),
                                  "", TargetOptions(), std::nullopt));
}

Error vectorizeAccesses(Module &module) {
  std::unique_ptr<TargetMachine> machine = machineOf(module);
  if (!machine)
    return createStringError("LLVM was built without the target NVPTX, whose "
                             "accesses --costs counts");
  PassBuilder builder(machine.get());
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  FunctionPassManager passes;
  passes.addPass(InferAddressSpacesPass());
  passes.addPass(LoadStoreVectorizerPass());
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
  return Error::success();
}

} // namespace ingot::emulate
