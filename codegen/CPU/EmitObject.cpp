//===- EmitObject.cpp - From the LLVM dialect to bytes --------------------===//

#include "codegen/CPU/EmitObject.h"

#include "codegen/ABI/Descriptor.h"
#include "codegen/CPU/LongEntries.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace ingot::cpu {

static constexpr llvm::StringLiteral triple = "x86_64-unknown-linux-gnu";

void finalizeModule(ModuleOp module, const Target &target) {
  OpBuilder builder(module.getContext());
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || function.isExternal())
      continue;
    if (function->hasAttr(host::kernelAttrName)) {
      // Kept apart from its caller: profiles and traces name it.
      function.setNoInline(true);
      function.setLinkage(LLVM::Linkage::Internal);
    } else {
      function.setSymName(
          ::ingot::abi::codeSymbol(function.getName(), target.name));
      function.setLinkage(LLVM::Linkage::External);
    }
    for (StringRef name :
         {host::kernelAttrName, host::gridAttrName, host::flopsAttrName,
          host::bytesAttrName, host::arenaAttrName, StringLiteral("host.entry"),
          StringLiteral("host.function")})
      function->removeAttr(name);
  }
}

static std::unique_ptr<llvm::TargetMachine> makeMachine(const Target &target,
                                                        unsigned level) {
  static bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  std::string message;
  llvm::Triple targetTriple(triple);
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(targetTriple, message);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  // Only what the kernels write as one operation is one: results do not
  // depend on what else is computed nearby.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      targetTriple, target.name, "", options, llvm::Reloc::PIC_, std::nullopt,
      level == 0 ? llvm::CodeGenOptLevel::None
                 : llvm::CodeGenOptLevel::Aggressive));
}

std::unique_ptr<llvm::Module>
translate(ModuleOp module, llvm::LLVMContext &context, const Target &target) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "ingot");
  if (!translated)
    return nullptr;
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(target, 3);
  if (!machine) {
    module.emitError("LLVM was built without x86-64");
    return nullptr;
  }
  translated->setTargetTriple(llvm::Triple(triple));
  translated->setDataLayout(machine->createDataLayout());
  std::string width = std::to_string(target.vectorBits);
  for (llvm::Function &function : *translated) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.name);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("frame-pointer", "none");
    function.setDoesNotThrow();
    if (function.getName().starts_with("ingot_code_"))
      prepareLongEntry(function);
  }
  return translated;
}

/// Products are unrolled already. Of programs up to so many instructions LLVM
/// may unroll all other loops as well, for a few percent of speed; many small
/// loops, as a transformer has them, would cost it half a minute.
constexpr unsigned maxUnrolled = 10000;

llvm::Error optimize(llvm::Module &module, const Target &target,
                     unsigned level) {
  if (level == 0)
    return llvm::Error::success();
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(target, level);
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = module.getInstructionCount() <= maxUnrolled;
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skipsLongEntries(/*DebugLogging=*/false);
  skipsLongEntries.registerCallbacks(callbacks);
  llvm::PassBuilder builder(machine.get(), tuning, std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
      llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  builder.buildPerModuleDefaultPipeline(levels[std::min(level, 3u)])
      .run(module, modules);
  return llvm::Error::success();
}

llvm::Expected<std::string> emitObject(llvm::Module &module,
                                       const Target &target, unsigned level) {
  std::unique_ptr<llvm::TargetMachine> machine = makeMachine(target, level);
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("LLVM cannot emit objects for %s",
                                   target.name.data());
  passes.run(module);
  return std::string(buffer.data(), buffer.size());
}

} // namespace ingot::cpu
