//===- PTXBackend.cpp - Kernels as PTX for NVIDIA's GPUs ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The GPU backend: the layouts and limits that it asks of earlier passes
// (TargetPolicy), its pipelines, the translation of each kernel to PTX or LLVM
// IR, and the joining of kernels to one image.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/PTXBackend.h"

#include "codegen/Kernels/Passes.h"
#include "codegen/LLVM/EmitObject.h"
#include "codegen/LLVM/Targets.h"
#include "codegen/PTX/MergeDeviceModules.h"
#include "codegen/PTX/Passes.h"
#include "codegen/PTX/RunPtxas.h"
#include "codegen/PTX/SliceReductions.h"
#include "codegen/PTX/StepKernel.h"
#include "codegen/PTX/StepKernelFunctions.h"
#include "codegen/PTX/Target.h"
#include "runtime/ABI/DependentLaunch.h"
#include "runtime/ABI/StepKernelTable.h"
#include "runtime/ABI/Tensor.h"

#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <limits>

using namespace mlir;

namespace ingot::ptx {

/// Erases the comments with which LLVM numbers the calls in PTX. LLVM counts
/// the calls of all modules of a process. So the numbers depend on what the
/// process has compiled before, but the PTX of a kernel must always be the
/// same.
static void eraseCallNumbers(std::string &text) {
  constexpr llvm::StringLiteral comment = " // callseq ";
  for (size_t at = text.find(comment); at != std::string::npos;
       at = text.find(comment, at))
    text.erase(at, text.find('\n', at) - at);
}

/// Whether an LLVM intrinsic would become a call of a math library, because
/// GPUs have no exact instruction for it.
static bool isLibraryFunction(llvm::Intrinsic::ID id) {
  switch (id) {
  case llvm::Intrinsic::acos:
  case llvm::Intrinsic::asin:
  case llvm::Intrinsic::atan:
  case llvm::Intrinsic::atan2:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::cosh:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::pow:
  case llvm::Intrinsic::powi:
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::sincos:
  case llvm::Intrinsic::sinh:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::tanh:
    return true;
  default:
    return false;
  }
}

/// Returns the name of a function that the module calls but does not define, so
/// that a device library would be needed; "" if there is no such function.
static llvm::StringRef missingFunction(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        (!function.isIntrinsic() ||
         isLibraryFunction(function.getIntrinsicID())))
      return function.getName();
  return "";
}

/// Prepares kernels for programmatic dependent launch. As soon as a kernel
/// starts, it tells the device that the next kernel may start. Before it
/// accesses memory, it waits until its predecessor has ended.
static void waitForPredecessors(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    builder.CreateIntrinsic(
        llvm::Intrinsic::nvvm_griddepcontrol_launch_dependents, {});
    builder.CreateIntrinsic(llvm::Intrinsic::nvvm_griddepcontrol_wait, {});
  }
}

/// Whether a kernel may have a GEMM for tensor cores: it has a reduction, and
/// operands of a type that tensor cores multiply. Also returns true for some
/// kernels without a GEMM, because GEMMs are only found later, by passes.
static bool mayUseTensorCores(Operation *kernel, Precision precision) {
  bool addsUp = false, hasFactors = precision != Precision::F32;
  kernel->walk([&](linalg::LinalgOp op) {
    addsUp |= op.getNumReductionLoops() > 0;
    for (Type type : op->getOperandTypes())
      hasFactors |= getElementTypeOrSelf(type).isF16() ||
                    getElementTypeOrSelf(type).isBF16();
  });
  return addsUp && hasFactors;
}

/// Prefixes the names of all global symbols with kernelSymbol. When images are
/// joined, that prefix is replaced by the kernel's name.
static void nameSymbols(llvm::Module &module) {
  for (llvm::GlobalVariable &global : module.globals()) {
    if (!global.isDeclaration()) // dynamic shared memory is a declaration
      global.setLinkage(llvm::GlobalValue::InternalLinkage);
    if (!global.getName().starts_with(codegen::kernelSymbol))
      global.setName(codegen::kernelSymbol + "_" + symbolOf(global.getName()));
  }
}

namespace {

class PTXBackend final : public codegen::Backend {
public:
  PTXBackend(const Target &target, KernelCodeFormat form, Precision precision)
      : target(target), form(form), precision(precision),
        machine{"nvptx64-nvidia-cuda", target.name, 0, false, target.features},
        label(target.name.str()) {
    if (precision != Precision::F32)
      label += "." + nameOf(precision).str();
    if (form == KernelCodeFormat::IR)
      label += ".nvvm";
    if (const Target *other = generalOf(target))
      general = std::make_unique<PTXBackend>(*other, form, precision);
  }

  llvm::StringRef name() const override { return label; }

  // GEMMs take transposed operands of any size, because a tile copies its
  // operands to shared memory whatever their layout is.
  TargetPolicy policy() const override {
    TargetPolicy policy;
    policy.maxTransposedSecondDepth = std::numeric_limits<int64_t>::max();
    policy.maxTransposedFirstElements = std::numeric_limits<int64_t>::max();
    // In a kernel that computes row by row, each block computes one row, so the
    // temporaries of a row must fit into shared memory. Longer rows are reduced
    // by several blocks instead.
    policy.maxFusedRowElements = policy.reductions.minReduced;
    // Ops of dynamic sizes do not share a kernel: the size of a temporary
    // between them might not be linear in the dynamic sizes of the kernel's
    // arguments, and a launch could then not compute its scratch memory's size.
    policy.sharesKernelsOfUnknownSizes = false;
    // Convolutions are implicit GEMMs, whose tiles read patches from the image,
    // so patches of any size are allowed.
    policy.maxPatchDepth = std::numeric_limits<int64_t>::max();
    // TensorLists of counted loops become stacked tensors, as each element of a
    // list, which is in host memory, would be copied to the device and back.
    // Rows of a stacked tensor are aligned like buffers, as the host passes
    // their addresses to kernels.
    policy.bytesOfListRows = INGOT_ALIGNMENT;
    // A large GPU has 132 multiprocessors. This number is assumed for all GPUs,
    // so that results do not depend on the GPU. On CUDA cores, two blocks on a
    // multiprocessor hide each other's latencies. For tensor cores, which take
    // less time for each step of K, the parts into which K is split are longer.
    bool isExact = precision == Precision::F32;
    policy.gemmSplits = {/*minDepth=*/512, /*minPartDepth=*/isExact ? 128 : 256,
                         /*tileRows=*/isExact ? 64 : 128, /*tileColumns=*/64,
                         /*tiles=*/isExact ? 2 * 132 : 132};
    // These limits tell for which GEMMs separate kernels round the operands to
    // 16 bits in advance. Pipelined GEMMs load 16-bit operands by bulk copies;
    // f32 operands have to be rounded by producer warps, and the GEMM takes
    // about three times as long. On a large GPU, 16-bit operands save about 14
    // us for 2^31 multiplications, while the two launches that round the
    // operands take about 5 us. Rounding an element takes about 1.5 ps, which
    // is as much time as is saved in about 512 multiplications with this
    // element. An operand is usually read by two GEMMs, one of them in the
    // backward pass, so 256 multiplications with each element in each GEMM are
    // enough.
    if (precision == Precision::BF16 || precision == Precision::F16)
      policy.roundedGEMMOperands = {/*minMultiplications=*/int64_t(1) << 31,
                                    /*minSide=*/256,
                                    /*isF16=*/precision == Precision::F16};
    return policy;
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    bufferization::BufferizationDialect, cf::ControlFlowDialect,
                    func::FuncDialect, gpu::GPUDialect, host::HostDialect,
                    linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                    memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                    tensor::TensorDialect, vector::VectorDialect>();
    kernels::registerBufferizationModels(registry);
  }

  void buildBufferPipeline(OpPassManager &manager) const override {
    ptx::buildBufferPipeline(manager, precision, target.cores);
  }

  void buildCodePipeline(OpPassManager &manager) const override {
    ptx::buildCodePipeline(manager);
  }

  llvm::Expected<codegen::CompiledKernelImage>
  emit(ModuleOp module, unsigned level) const override {
    codegen::CompiledKernelImage code;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(host::kernelAttrName)) {
        code.facts = codegen::factsOf(function);
        if (auto reason =
                function->getAttrOfType<StringAttr>(codegen::reasonAttrName))
          code.reason = reason.str();
      }
    if (!code.reason.empty())
      return code;
    registerNVVMDialectTranslation(*module.getContext());
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> translated =
        llvmgen::translate(module, context, machine);
    if (!translated)
      return llvm::createStringError(
          "cannot translate a kernel to LLVM IR: earlier errors say why");
    if (llvm::StringRef missing = missingFunction(*translated);
        !missing.empty()) {
      code.reason = ("it calls " + missing +
                     ", which the device has no "
                     "library for")
                        .str();
      return code;
    }
    nameSymbols(*translated);
    if (llvm::Error error = emitStepFunction(*translated, level, code))
      return error;
    if (target.firstCapability >= INGOT_FIRST_WAITING_CAPABILITY)
      waitForPredecessors(*translated);
    if (llvm::Error error = llvmgen::optimize(*translated, machine, level))
      return error;
    llvm::Expected<std::string> image = imageOf(*translated, level);
    if (!image)
      return image.takeError();
    code.image = std::move(*image);
    return code;
  }

  const codegen::Backend &compilerOf(Operation *kernel) const override {
    return !general || mayUseTensorCores(kernel, precision) ? *this : *general;
  }

  llvm::Expected<std::string>
  join(llvm::ArrayRef<codegen::KernelImage> images,
       llvm::ArrayRef<codegen::SliceReduction> reductions) const override {
    if (images.empty() && reductions.empty())
      return emptyImage();
    llvm::Expected<std::string> step = stepOf(images);
    if (!step)
      return step.takeError();
    std::vector<std::string> own = {std::move(*step)};
    if (!reductions.empty()) {
      llvm::LLVMContext context;
      llvm::Expected<std::string> kernels = imageOf(
          *makeSliceReductions(context, machine, reductions), /*level=*/2);
      if (!kernels)
        return kernels.takeError();
      own.push_back(std::move(*kernels));
    }
    if (form == KernelCodeFormat::IR)
      return joinIR(images, own);
    llvm::Expected<std::string> empty = emptyImage();
    return empty ? joinPTX(*empty, images, own) : std::move(empty);
  }

  llvm::Expected<std::string> assembler() const override {
    return assemblerVersion();
  }

  llvm::Expected<std::string> assemble(llvm::StringRef joined) const override {
    return ptx::assemble(joined, target.name);
  }

  codegen::DeviceImageFormat imageFormat() const override {
    bool isBinary = form == KernelCodeFormat::Cubin;
    bool isForLater = !isBinary && !target.isSpecific();
    return {isBinary, target.firstCapability,
            isForLater ? ~0u : target.lastCapability};
  }

  std::string entryOf(llvm::StringRef name) const override {
    return symbolOf(name);
  }

private:
  /// Emits the kernel once more as a device function, `code.function`, which
  /// the step kernel calls (runtime/ABI/StepKernelTable.h). If the kernel
  /// cannot be such a function, sets `code.apart` to the reason.
  llvm::Error emitStepFunction(const llvm::Module &kernel, unsigned level,
                               codegen::CompiledKernelImage &code) const {
    std::unique_ptr<llvm::Module> function =
        makeStepFunction(kernel, code.facts, code.apart);
    if (!function)
      return llvm::Error::success();
    // Prevent loops with many loop-carried values from being unrolled, because
    // they would then need too many registers. The first call prevents it in
    // LLVM's passes, the second call, after these passes, in ptxas.
    keepLoopsRolled(*function);
    if (llvm::Error error = llvmgen::optimize(*function, machine, level))
      return error;
    keepLoopsRolled(*function);
    llvm::Expected<std::string> image = imageOf(*function, level);
    if (!image)
      return image.takeError();
    code.function = std::move(*image);
    return llvm::Error::success();
  }

  /// Returns the code of the step kernel: one kernel that runs all launches of
  /// a training step by calling the device functions of `images`. Returns "" if
  /// no image has such a function.
  llvm::Expected<std::string>
  stepOf(llvm::ArrayRef<codegen::KernelImage> images) const {
    std::vector<std::string> functions;
    for (const codegen::KernelImage &image : images)
      if (!image.function.empty())
        functions.push_back(stepFunctionOf(symbolOf(image.name)));
    if (functions.empty())
      return "";
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> kernel = makeStepKernel(
        context, machine, functions,
        target.firstCapability >= INGOT_FIRST_CLUSTER_CAPABILITY);
    return imageOf(*kernel, /*level=*/2);
  }

  /// Returns the code of a module without kernels. When the PTX modules of all
  /// kernels are joined into one, this code supplies the header (PTX version
  /// and target).
  llvm::Expected<std::string> emptyImage() const {
    llvm::LLVMContext context;
    llvm::Module module("ingot", context);
    llvm::Triple triple(machine.triple);
    module.setTargetTriple(triple);
    module.setDataLayout(triple.computeDataLayout());
    return imageOf(module, /*level=*/0);
  }

  llvm::Expected<std::string> imageOf(llvm::Module &module,
                                      unsigned level) const {
    if (form != KernelCodeFormat::IR) {
      llvm::Expected<std::string> emitted =
          llvmgen::emitAssembly(module, machine, level);
      if (emitted)
        eraseCallNumbers(*emitted);
      return emitted;
    }
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
  }

  const Target &target;
  KernelCodeFormat form;
  Precision precision;
  llvmgen::TargetMachineSpec machine;
  std::string label;
  /// The backend for kernels without tensor core instructions, or null. It is
  /// set if this target has architecture-specific features, as sm_90a has.
  /// These kernels need no such features, so they are compiled for
  /// generalOf(target).
  std::unique_ptr<PTXBackend> general;
};

} // namespace

bool canAssemble() { return !findAssembler().empty(); }

std::vector<llvm::StringRef> archNames() {
  return llvmgen::namesOf(allTargets());
}

std::unique_ptr<codegen::Backend> createBackend(llvm::StringRef arch,
                                                KernelCodeFormat form,
                                                Precision precision) {
  return llvmgen::makeBackend<PTXBackend>(findTarget(arch), form, precision);
}

} // namespace ingot::ptx
