//===- EmitObject.cpp - Emit objects from the LLVM dialect ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/LLVM/EmitObject.h"
#include "codegen/LLVM/LimitUnrolling.h"
#include "codegen/Statistics/PhaseTime.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Instrumentation/AddressSanitizer.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace ingot::llvmgen {

static Phase translation("translating to LLVM IR"),
    optimization("optimizing LLVM IR"), emission("emitting machine code");

static std::unique_ptr<llvm::TargetMachine>
createMachine(const TargetMachineSpec &machine, unsigned level) {
  // Initializes all targets with which LLVM was built; the backend chooses one
  // of them.
  static bool initialized = [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    return true;
  }();
  (void)initialized;
  std::string message;
  llvm::Triple targetTriple(machine.triple);
  const llvm::Target *found =
      llvm::TargetRegistry::lookupTarget(targetTriple, message);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  // LLVM must not fuse multiplications and additions to FMAs: only kernels
  // decide where FMAs are, so that results do not depend on the surrounding
  // code.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.FunctionSections = true;
  options.DataSections = true;
  return std::unique_ptr<llvm::TargetMachine>(found->createTargetMachine(
      targetTriple, machine.cpu, machine.features, options, llvm::Reloc::PIC_,
      std::nullopt,
      level == 0 ? llvm::CodeGenOptLevel::None
                 : llvm::CodeGenOptLevel::Aggressive));
}

/// Adds LLVM's code generation passes to `passes`. Returns false if the target
/// cannot emit files of type `type`. Adding the passes reads LLVM's options,
/// which are global to the process and are changed here, so a mutex lets only
/// one thread at a time do it. On x86, loop strength reduction is disabled: it
/// takes a fifth of a kernel's compile time and makes no kernel faster, as
/// addresses are sums of a counter and constants already, which x86's
/// addressing modes cover.
static bool setUpEmission(llvm::TargetMachine &target,
                          llvm::legacy::PassManager &passes,
                          llvm::raw_pwrite_stream &stream,
                          llvm::CodeGenFileType type) {
  static std::mutex mutex;
  std::scoped_lock lock(mutex);
  // The lookup returns null if this version of LLVM has renamed the option.
  llvm::cl::Option *found =
      llvm::cl::getRegisteredOptions().lookup("disable-lsr");
  auto *reducesNothing = static_cast<llvm::cl::opt<bool> *>(found);
  if (!reducesNothing || !target.getTargetTriple().isX86())
    return !target.addPassesToEmitFile(passes, stream, nullptr, type);
  bool before = *reducesNothing;
  *reducesNothing = true;
  bool fails = target.addPassesToEmitFile(passes, stream, nullptr, type);
  *reducesNothing = before;
  return !fails;
}

namespace {

/// A code generator for one machine, used by one thread. It is built once and
/// emits one module after the other, because building it takes as long as
/// compiling a small kernel. LLVM tests this kind of reuse with `llc
/// -compile-twice`.
class ObjectFileEmitter {
public:
  ObjectFileEmitter(const TargetMachineSpec &machine, unsigned level)
      : target(createMachine(machine, level)) {}

  /// Returns the target machine, or null if LLVM was built without the target.
  llvm::TargetMachine *get() const { return target.get(); }

  /// Returns the object file's bytes, or std::nullopt if the target has no
  /// object format.
  std::optional<std::string> emitObject(llvm::Module &module) {
    if (!objects) {
      auto passes = std::make_unique<llvm::legacy::PassManager>();
      if (!setUpEmission(*target, *passes, stream,
                         llvm::CodeGenFileType::ObjectFile))
        return std::nullopt;
      objects = std::move(passes);
    }
    buffer.clear();
    objects->run(module);
    return std::string(buffer.data(), buffer.size());
  }

private:
  std::unique_ptr<llvm::TargetMachine> target;
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream{buffer};
  std::unique_ptr<llvm::legacy::PassManager> objects;
};

} // namespace

/// Returns the calling thread's code generator for a machine and an
/// optimization level.
static ObjectFileEmitter &emitterOf(const TargetMachineSpec &machine,
                                    unsigned level) {
  static thread_local std::map<std::string, std::unique_ptr<ObjectFileEmitter>>
      known;
  std::string name = llvm::join_items(" ", machine.triple, machine.cpu,
                                      machine.features, level == 0 ? "0" : "");
  std::unique_ptr<ObjectFileEmitter> &found = known[name];
  if (!found)
    found = std::make_unique<ObjectFileEmitter>(machine, level);
  return *found;
}

static llvm::TargetMachine *machineOf(const TargetMachineSpec &machine,
                                      unsigned level) {
  return emitterOf(machine, level).get();
}

bool setTarget(llvm::Module &module, const TargetMachineSpec &machine) {
  llvm::TargetMachine *target = machineOf(machine, 3);
  if (!target)
    return false;
  module.setTargetTriple(llvm::Triple(machine.triple));
  module.setDataLayout(target->createDataLayout());
  std::string width = std::to_string(machine.vectorBits);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.cpu);
    function.addFnAttr("prefer-vector-width", width);
    function.addFnAttr("frame-pointer", "none");
    function.setDoesNotThrow();
    if (machine.sanitizesAddresses)
      function.addFnAttr(llvm::Attribute::SanitizeAddress);
  }
  return true;
}

/// Replaces each element that is extracted from a struct, such as a memref's
/// descriptor, by the value that was inserted there, and erases ops without
/// uses. LLVM would do so as well, but translating these ops takes longer.
static void simplifyDescriptors(ModuleOp module) {
  module.walk([](LLVM::ExtractValueOp extract) {
    SmallVector<OpFoldResult, 1> folded;
    if (failed(extract->fold(folded)) || folded.empty())
      return;
    auto element = dyn_cast<Value>(folded.front());
    if (!element || element == extract.getResult())
      return;
    extract.replaceAllUsesWith(element);
    extract.erase();
  });
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

std::unique_ptr<llvm::Module> translate(ModuleOp module,
                                        llvm::LLVMContext &context,
                                        const TargetMachineSpec &machine) {
  PhaseTimer timer(translation);
  simplifyDescriptors(module);
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context, "ingot");
  if (!translated)
    return nullptr;
  if (!setTarget(*translated, machine)) {
    module.emitError("this LLVM does not support the target '")
        << machine.triple << "': rebuild LLVM with it in LLVM_TARGETS_TO_BUILD";
    return nullptr;
  }
  // Globals are excluded from AddressSanitizer, which would add padding to
  // them: the runtime and the linker rely on the exact layout of the ABI's
  // tables.
  for (llvm::GlobalVariable &global : translated->globals()) {
    llvm::GlobalValue::SanitizerMetadata metadata;
    metadata.NoAddress = true;
    if (machine.sanitizesAddresses)
      global.setSanitizerMetadata(metadata);
  }
  return translated;
}

/// The LLVM passes for kernels on CPUs. Ingot's own passes have already
/// vectorized, tiled and unrolled the code, so these passes only clean up, and
/// unroll loops over a few vectors. They take a sixth of the time of LLVM's
/// default pipelines.
constexpr llvm::StringLiteral unrolling =
    "function<eager-inv>(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>"
    ",simplifycfg,loop-mssa(loop-rotate,licm),simplifycfg,"
    "ingot-limit-unrolling,"
    "loop-unroll<O2;full-unroll-max=8;no-partial;no-runtime>,"
    "early-cse<memssa>,dse,instcombine<no-verify-fixpoint>,simplifycfg,loop-"
    "mssa(licm))";

/// The LLVM passes for kernels on devices. They unroll more than those for
/// CPUs, as devices have many registers, and the size of code matters less
/// there.
constexpr llvm::StringLiteral unrollingMore =
    "function<eager-inv>(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>"
    ",simplifycfg,"
    "loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop(loop-idiom,indvars,loop-unroll-full),sroa,gvn,dse,instcombine<no-"
    "verify-fixpoint>,"
    "simplifycfg,loop-unroll<O3>,instcombine<no-verify-fixpoint>,loop-mssa("
    "licm))";

/// The LLVM passes for code that runs only once. They do not unroll loops: each
/// additional instruction would run only once, and would first have to be
/// fetched from memory.
constexpr llvm::StringLiteral compact =
    "function<eager-inv>(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>"
    ",simplifycfg,"
    "loop-mssa(loop-rotate,licm),simplifycfg,gvn,dse,instcombine<no-verify-"
    "fixpoint>)";

/// The maximum number of instructions of a module whose loops are unrolled. A
/// longer kernel is many small loops one after the other: unrolled, it would
/// take seconds to compile and be no faster.
constexpr unsigned maxUnrolled = 1000;

/// Returns the pass pipeline for a module. Kernels for a GPU, for which
/// `machine` has a vector width of 0, are unrolled more than those for a CPU.
static llvm::StringRef pipelineFor(const llvm::Module &module,
                                   const TargetMachineSpec &machine,
                                   unsigned level) {
  if (level <= 1 || module.getInstructionCount() > maxUnrolled)
    return compact;
  return machine.vectorBits == 0 ? unrollingMore : unrolling;
}

llvm::Error optimize(llvm::Module &module, const TargetMachineSpec &machine,
                     unsigned level) {
  if (level == 0 && !machine.sanitizesAddresses)
    return llvm::Error::success();
  PhaseTimer timer(optimization);
  llvm::TargetMachine *target = machineOf(machine, level);
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::OptNoneInstrumentation skipsOptNone(/*DebugLogging=*/false);
  skipsOptNone.registerCallbacks(callbacks);
  llvm::PassBuilder builder(target, llvm::PipelineTuningOptions(), std::nullopt,
                            &callbacks);
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::FunctionPassManager &manager,
         llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name != "ingot-limit-unrolling")
          return false;
        manager.addPass(LimitUnrollingPass());
        return true;
      });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  if (level != 0)
    if (llvm::Error error = builder.parsePassPipeline(
            passes, pipelineFor(module, machine, level)))
      return error;
  if (machine.sanitizesAddresses)
    passes.addPass(llvm::AddressSanitizerPass({}));
  passes.run(module, modules);
  return llvm::Error::success();
}

static llvm::Error cannotEmit(const TargetMachineSpec &machine) {
  return llvm::createStringError("this LLVM cannot emit object files or "
                                 "assembly for processor '%s': rebuild LLVM "
                                 "with an assembler and an assembly printer "
                                 "for it",
                                 machine.cpu.str().c_str());
}

llvm::Expected<std::string> emitObject(llvm::Module &module,
                                       const TargetMachineSpec &machine,
                                       unsigned level) {
  PhaseTimer timer(emission);
  std::optional<std::string> object =
      emitterOf(machine, level).emitObject(module);
  if (!object)
    return cannotEmit(machine);
  return std::move(*object);
}

llvm::Expected<std::string> emitAssembly(llvm::Module &module,
                                         const TargetMachineSpec &machine,
                                         unsigned level) {
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  if (!setUpEmission(*machineOf(machine, level), passes, stream,
                     llvm::CodeGenFileType::AssemblyFile))
    return cannotEmit(machine);
  passes.run(module);
  return std::string(buffer.data(), buffer.size());
}

} // namespace ingot::llvmgen
