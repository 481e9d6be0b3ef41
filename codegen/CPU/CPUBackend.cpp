//===- CPUBackend.cpp - Kernels as x86-64 machine code --------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The CPU backend: the layouts and limits that it asks of earlier passes
// (TargetPolicy), its pipelines, and the compilation of the LLVM dialect to an
// object file.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/CPUBackend.h"

#include "codegen/CPU/BF16Pairs.h"
#include "codegen/CPU/GEMMPlan.h"
#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/KernelAccess.h"
#include "codegen/Kernels/Passes.h"
#include "codegen/LLVM/EmitObject.h"
#include "codegen/LLVM/Targets.h"
#include "runtime/ABI/Tensor.h"

using namespace mlir;

namespace ingot::cpu {

/// Whether the kernel's code may have fused multiply-adds. Two kinds of code
/// have them: contractions, and the polynomials that approximate math
/// functions. Any reduction in a kernel that also multiplies counts as a
/// contraction, because the multiplication and the sum may be in different ops.
static bool mayFuseMultiplyAdds(Operation *kernel) {
  bool sums = false, multiplies = false, approximates = false;
  kernel->walk([&](Operation *op) {
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      sums |= loops.getNumReductionLoops() > 0;
    multiplies |= isa<arith::MulFOp>(op);
    // abs, copysign and sqrt are single instructions, which have the same
    // result on every CPU, and need no polynomial.
    approximates |= isa<math::MathDialect>(op->getDialect()) &&
                    !isa<math::AbsFOp, math::CopySignOp, math::SqrtOp>(op);
  });
  return approximates || (sums && multiplies);
}

/// Whether the register tile of a GEMM of static size depends on whether the
/// target's units halve vectors. Convolutions' tiles follow from the images'
/// rows.
static bool hasOtherTile(linalg::LinalgOp op, const Target &target,
                         const CacheHierarchy &caches) {
  if (!kernels::isProduct(op) || op.getNumLoops() < 3 ||
      llvm::any_of(op.getDpsInputs(), [](Value operand) {
        return operand.getDefiningOp<tensor::CollapseShapeOp>() != nullptr;
      }))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  ArrayRef<int64_t> sizes = ArrayRef(ranges).take_back(3);
  if (llvm::is_contained(sizes, 0) || ShapedType::isDynamicShape(sizes))
    return false;
  unsigned bits =
      getElementTypeOrSelf(op->getResult(0)).getIntOrFloatBitWidth();
  GEMMProblem gemm = {sizes[0], sizes[1], sizes[2], bits};
  ArrayRef<AffineExpr> second =
      op.getMatchingIndexingMap(op.getDpsInputOperand(1)).getResults();
  gemm.isSecondTransposed =
      !second.empty() &&
      second.back() == getAffineDimExpr(op.getNumLoops() - 1, op.getContext());
  auto tileOn = [&](bool areHalved) {
    TileLimits limits = TileLimits::of(
        {target.vectorBits, target.numRegisters, areHalved}, bits,
        plans[0].tileRows, plans[0].tileVectors, caches.l1);
    return planGEMM(gemm, limits, caches, caches.rowsOfBlock()).tile;
  };
  return tileOn(true) != tileOn(false);
}

namespace {

class CPUBackend final : public codegen::Backend {
public:
  CPUBackend(const Target &target, bool sanitizesAddresses,
             const OptionalPassSet &rewrites, const CacheHierarchy &caches,
             const TilingPlan &plan = plans[0])
      : target(target), rewrites(rewrites), caches(caches), plan(plan),
        machine{triple, target.cpu, target.vectorBits, sanitizesAddresses,
                target.features} {}

  llvm::StringRef name() const override { return target.name; }

  // Tells earlier passes which operand layouts the backend's GEMMs read in
  // place, which ops its kernels may fuse, and which limits follow from cache
  // sizes.
  TargetPolicy policy() const override {
    TargetPolicy policy;
    policy.rewrites = rewrites;
    policy.maxSharedKernelElements = CPUTargetLimits::maxSharedKernelElements;
    policy.maxOpsPerKernel = 48;
    policy.fusesEpilogues = true;
    policy.fusesIntoRowUpdates = true;
    policy.fusesTransposes = true;
    policy.specializesBatches = true;
    policy.sumsGEMMsInBlocks = true;
    policy.bytesOfListRows = INGOT_ALIGNMENT;
    policy.widensGEMMs = true;
    policy.lowersConvolutions = true;
    policy.maxPatchDepth = CPUTargetLimits::maxPatchDepth;
    policy.fusesDynamicIm2col = true;
    policy.maxPaddedElements = CPUTargetLimits::maxPaddedElements;
    policy.maxBoundsCheckedTaps = CPUTargetLimits::maxBoundsCheckedTaps;
    policy.maxTransposedSecondDepth = CPUTargetLimits::maxPackedDepth;
    policy.hoistsTransposes = true;
    policy.maxThinColumns = CPUTargetLimits::maxThinColumns;
    policy.maxTransposedFirstElements =
        CPUTargetLimits::maxTransposedFirstElements;
    policy.kBlocking = CPUTargetLimits::kBlocking;
    return policy;
  }

  const llvmgen::TargetMachineSpec *hostMachine() const override {
    return &machine;
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, arith::ArithDialect,
                    bufferization::BufferizationDialect, cf::ControlFlowDialect,
                    func::FuncDialect, host::HostDialect, linalg::LinalgDialect,
                    LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                    scf::SCFDialect, tensor::TensorDialect,
                    vector::VectorDialect>();
    kernels::registerBufferizationModels(registry);
  }

  void buildBufferPipeline(OpPassManager &manager) const override {
    cpu::buildBufferPipeline(manager, target, caches, plan, rewrites);
  }

  void buildCodePipeline(OpPassManager &manager) const override {
    cpu::buildCodePipeline(manager, target, caches, rewrites);
  }

  std::string variant() const override {
    std::string text;
    if (caches != target.caches)
      llvm::raw_string_ostream(text) << "caches " << caches;
    return text;
  }

  unsigned numPlans() const override { return std::size(plans); }

  std::unique_ptr<codegen::Backend> withPlan(unsigned number) const override {
    return std::make_unique<CPUBackend>(target, machine.sanitizesAddresses,
                                        rewrites, caches, plans[number]);
  }

  // What pairs gain, they gain on the level with units of 512 bits as well.
  bool isOfUseTo(Operation *kernel) const override {
    if (!target.multipliesPairs)
      return true;
    return kernel
        ->walk([&](linalg::LinalgOp op) {
          bool isOfUse = target.halvesVectors ? hasOtherTile(op, target, caches)
                                              : mayPairFactors(op);
          return isOfUse ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  bool roundsOtherwise(Operation *kernel) const override {
    return target.hasFMA && mayFuseMultiplyAdds(kernel);
  }

  // Targets are elements of an array in ascending order, and each includes the
  // instructions of all targets before it. So a machine runs the code for all
  // targets up to nativeTarget(), the highest one that it supports.
  bool runsHere() const override { return &target <= &nativeTarget(); }

  llvm::Expected<codegen::CompiledKernelImage>
  emit(ModuleOp module, unsigned level) const override {
    codegen::CompiledKernelImage code;
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (function->hasAttr(host::kernelAttrName)) {
        code.facts = codegen::factsOf(function);
        function.setVisibility_(LLVM::Visibility::Hidden);
      }
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> translated =
        llvmgen::translate(module, context, machine);
    if (!translated)
      return llvm::createStringError(
          "cannot translate a kernel to LLVM IR: earlier errors say why");
    if (llvm::Error error = llvmgen::optimize(*translated, machine, level))
      return error;
    llvm::Expected<std::string> object =
        llvmgen::emitObject(*translated, machine, level);
    if (!object)
      return object.takeError();
    code.image = std::move(*object);
    return code;
  }

private:
  const Target &target;
  OptionalPassSet rewrites;
  CacheHierarchy caches;
  TilingPlan plan;
  llvmgen::TargetMachineSpec machine;
};

} // namespace

std::vector<llvm::StringRef> levelNames() {
  return llvmgen::namesOf(allTargets());
}

std::unique_ptr<codegen::Backend>
createBackend(llvm::StringRef level, bool sanitizesAddresses,
              const OptionalPassSet &rewrites,
              std::optional<CacheHierarchy> caches) {
  const Target *target = findTarget(level);
  if (!target)
    return nullptr;
  if (!caches)
    caches = level == "native" ? nativeCaches(target->caches) : target->caches;
  return std::make_unique<CPUBackend>(*target, sanitizesAddresses, rewrites,
                                      *caches);
}

} // namespace ingot::cpu
