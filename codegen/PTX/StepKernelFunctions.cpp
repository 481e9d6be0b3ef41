//===- StepKernelFunctions.cpp - Kernels as functions of the step kernel --===//
// SPDX-License-Identifier: Apache-2.0
//
// A kernel becomes a function that the step kernel calls. The function has the
// kernel's instructions, so its results have the same bits. It loads the
// kernel's parameters from memory, and receives its block and thread as
// arguments. Its threads synchronize at a named barrier for the number of
// threads of the kernel, because the step kernel's blocks have more threads.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/StepKernelFunctions.h"

#include "codegen/PTX/DeviceConstants.h"
#include "runtime/ABI/StepKernelTable.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace ingot::ptx {

std::string stepFunctionOf(StringRef name) { return (name + "$step").str(); }

/// A loop with at least this number of loop-carried values, such as the K loop
/// of a GEMM, is not unrolled, because unrolling would take too many registers.
static constexpr unsigned manyNumbers = 5;

/// The maximum number of parameters that a function loads in its entry block.
/// If there are more, registers cannot hold all of them, so each parameter is
/// loaded where it is used.
static constexpr size_t maxParametersAtOnce = 24;

namespace {

/// The indices of the parameters of a function that the step kernel calls.
enum Parameter { arguments, block, blocks, thread, barrier, shared };

} // namespace

/// Whether an intrinsic has the same result in a device function of the step
/// kernel as in a kernel, because the result depends only on the thread or
/// warp, not on the block.
static bool isOfWarp(StringRef intrinsic) {
  static constexpr StringLiteral known[] = {"llvm.nvvm.read.ptx.sreg.laneid",
                                            "llvm.nvvm.bar.warp.sync",
                                            "llvm.nvvm.shfl.",
                                            "llvm.nvvm.vote.",
                                            "llvm.nvvm.redux.",
                                            "llvm.nvvm.cp.async.ca.",
                                            "llvm.nvvm.cp.async.cg.",
                                            "llvm.nvvm.cp.async.commit.group",
                                            "llvm.nvvm.cp.async.wait.",
                                            "llvm.nvvm.ldmatrix.",
                                            "llvm.nvvm.mma.",
                                            "llvm.nvvm.add.",
                                            "llvm.nvvm.mul.",
                                            "llvm.nvvm.div.",
                                            "llvm.nvvm.rcp.",
                                            "llvm.nvvm.sqrt.",
                                            "llvm.nvvm.fma.",
                                            "llvm.nvvm.fmin.",
                                            "llvm.nvvm.fmax.",
                                            "llvm.nvvm.membar."};
  return !intrinsic.starts_with("llvm.nvvm.") ||
         any_of(known,
                [&](StringRef name) { return intrinsic.starts_with(name); });
}

/// Whether a call must be replaced in a function of the step kernel: it reads
/// the index of the thread or block, or is the barrier of all threads of a
/// block.
static bool isOfBlock(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return true;
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
    return isa<ConstantInt>(call.getArgOperand(0)) &&
           cast<ConstantInt>(call.getArgOperand(0))->isZero();
  default:
    return false;
  }
}

/// Returns why the kernel's code cannot become a device function that the step
/// kernel calls, or "" if it can.
static std::string problemOf(const Function &kernel) {
  for (const GlobalVariable &global : kernel.getParent()->globals())
    if (global.getAddressSpace() == sharedSpace && global.isDeclaration())
      return "it uses dynamic shared memory";
  for (const Instruction &instruction : instructions(kernel)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call)
      continue;
    if (auto *text = dyn_cast<InlineAsm>(call->getCalledOperand())) {
      // Inline assembly that only converts values (cvt) is allowed, as it does
      // the same in a function as in a kernel.
      if (!StringRef(text->getAsmString()).starts_with("cvt."))
        return ("it uses '" + text->getAsmString() + "'").str();
      continue;
    }
    const Function *callee = call->getCalledFunction();
    if (!callee || !callee->isIntrinsic() ||
        (!isOfBlock(*call) && !isOfWarp(callee->getName())))
      return ("it uses '" + (callee ? callee->getName() : "a call") + "'")
          .str();
  }
  return "";
}

/// Returns why a kernel with these facts (grid, threads, memory) cannot become
/// a function of the step kernel, or "" if it can.
static std::string problemOf(const codegen::KernelMetadata &facts) {
  std::optional<int64_t> count = codegen::countBlocks(facts.grid);
  auto more = [](int64_t number, const char *what, int64_t most) {
    return std::to_string(number) + " " + what + ", more than " +
           std::to_string(most);
  };
  // If the number of blocks is dynamic, it is checked at each launch instead.
  if (count.value_or(0) > INGOT_STEP_MOST_BLOCKS)
    return "it has " + more(*count, "blocks", INGOT_STEP_MOST_BLOCKS);
  if (facts.threadsPerBlock > INGOT_STEP_THREADS)
    return "a block has " +
           more(facts.threadsPerBlock, "threads", INGOT_STEP_THREADS);
  if (facts.threadsPerBlock % warpSize != 0)
    return "a block has " + std::to_string(facts.threadsPerBlock) +
           " threads, which are not whole warps";
  if (facts.dynamicSharedBytes > 0)
    return "it uses dynamic shared memory";
  if (facts.sharedBytes > INGOT_STEP_SHARED_BYTES)
    return "a block shares " +
           more(facts.sharedBytes, "bytes", INGOT_STEP_SHARED_BYTES);
  return "";
}

/// Replaces reads of the thread's and block's indices by the function's
/// arguments, and the barrier by a named barrier of `threads` threads.
static void replaceCalls(Function &function, int64_t threads) {
  Type *word = Type::getInt32Ty(function.getContext());
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->getCalledFunction() || !isOfBlock(*call))
      continue;
    IRBuilder<> builder(call);
    Value *value = nullptr;
    switch (call->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      value = function.getArg(thread);
      break;
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
      value = ConstantInt::get(word, threads);
      break;
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      value = function.getArg(block);
      break;
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      value = function.getArg(blocks);
      break;
    default:
      builder.CreateIntrinsic(
          Intrinsic::nvvm_barrier_cta_sync_aligned_count,
          {function.getArg(barrier), ConstantInt::get(word, threads)});
    }
    if (value)
      call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
}

/// Lays out the kernel's shared variables one after the other in the shared
/// memory that the function's caller provides.
static void replaceShared(Function &function) {
  Module &module = *function.getParent();
  const DataLayout &layout = module.getDataLayout();
  uint64_t offset = 0;
  for (GlobalVariable &global : make_early_inc_range(module.globals())) {
    if (global.getAddressSpace() != sharedSpace)
      continue;
    convertUsersOfConstantsToInstructions({&global});
    offset = alignTo(offset, global.getAlign().valueOrOne());
    IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
    Value *place = function.getArg(shared);
    if (offset != 0)
      place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), place,
                                                 offset);
    offset += layout.getTypeAllocSize(global.getValueType());
    global.replaceAllUsesWith(place);
    global.eraseFromParent();
  }
}

/// Loads a parameter from its 64-bit slot in `table`. A pointer is cast from
/// the address space of global memory, so that accesses through it are known to
/// be global ones.
static Value *loadParameter(IRBuilderBase &builder, Argument &parameter,
                            Value *table) {
  Value *slot = builder.CreateAlignedLoad(
      builder.getInt64Ty(),
      builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), table,
                                         parameter.getArgNo()),
      Align(8));
  Type *type = parameter.getType();
  if (!type->isPointerTy())
    return builder.CreateTruncOrBitCast(slot, type);
  LLVMContext &context = builder.getContext();
  return builder.CreateAddrSpaceCast(
      builder.CreateIntToPtr(slot, PointerType::get(context, globalSpace)),
      type);
}

/// Loads a parameter again before each of its uses, so that it occupies no
/// register between them.
static void loadWhereUsed(Argument &parameter, Value *table) {
  for (Use &use : make_early_inc_range(parameter.uses())) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *phi = dyn_cast<PHINode>(user))
      user = phi->getIncomingBlock(use)->getTerminator();
    IRBuilder<> builder(user);
    use.set(loadParameter(builder, parameter, table));
  }
}

/// Replaces the kernel by a function with the same body, which the step kernel
/// calls.
static void makeFunction(Function &kernel, int64_t threads) {
  Module &module = *kernel.getParent();
  LLVMContext &context = module.getContext();
  Type *word = Type::getInt32Ty(context);
  auto *type =
      FunctionType::get(Type::getVoidTy(context),
                        {PointerType::get(context, 0), word, word, word, word,
                         PointerType::get(context, sharedSpace)},
                        /*isVarArg=*/false);
  Function *function =
      Function::Create(type, GlobalValue::ExternalLinkage,
                       stepFunctionOf(kernel.getName()), module);
  AttributeList attributes = kernel.getAttributes();
  function->addFnAttrs(AttrBuilder(context, attributes.getFnAttrs()));
  function->removeFnAttr("nvvm.reqntid");
  function->splice(function->end(), &kernel);
  IRBuilder<> builder(&*function->getEntryBlock().getFirstInsertionPt());
  Argument *table = function->getArg(arguments);
  for (Argument &parameter : kernel.args())
    if (kernel.arg_size() > maxParametersAtOnce)
      loadWhereUsed(parameter, table);
    else
      parameter.replaceAllUsesWith(loadParameter(builder, parameter, table));
  kernel.eraseFromParent();
  replaceCalls(*function, threads);
  replaceShared(*function);
}

std::unique_ptr<Module> makeStepFunction(const Module &kernel,
                                         const codegen::KernelMetadata &facts,
                                         std::string &reason) {
  reason = problemOf(facts);
  std::unique_ptr<Module> module = CloneModule(kernel);
  for (Function &function : make_early_inc_range(*module)) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    if (reason.empty())
      reason = problemOf(function);
    if (!reason.empty())
      return nullptr;
    makeFunction(function, facts.threadsPerBlock);
  }
  // This module is later joined with that of the original kernel. Both have the
  // same constant tables, so rename the tables of this module.
  for (GlobalVariable &global : module->globals())
    global.setName(stepFunctionOf(codegen::kernelSymbol) + "$" +
                   global.getName());
  return module;
}

/// Disables unrolling of loops with many loop-carried values. An unrolled loop
/// would load values of later iterations early, into additional registers,
/// which a called function has to save to memory first.
void keepLoopsRolled(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (range_size(loop->getHeader()->phis()) >= manyNumbers)
        loop->setLoopAlreadyUnrolled();
  }
}

} // namespace ingot::ptx
