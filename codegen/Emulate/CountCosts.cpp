//===- CountCosts.cpp - Report accesses to the cost model -----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Lanes of a warp make one request of memory together when they execute the
// same instruction at once. The emulator runs them one after the other, so each
// access states what it has in common with those of other lanes: its
// instruction (a site), and a key for the iterations of the loops around it. So
// lanes that leave an inner loop earlier than others meet again in the next
// iteration of the outer one, as on a GPU.
//
//===----------------------------------------------------------------------===//

#include "codegen/Emulate/Emulate.h"
#include "codegen/Emulate/MemoryAccesses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ModuleSlotTracker.h"

using namespace llvm;

namespace ingot::emulate {

/// The emulator's function, in test/Emulator/Costs.cpp.
static constexpr StringLiteral costFunction = "ingot_emu_cost";

/// Mixes the iterations of nested loops into one key: any odd number of 64 bits
/// does, here 2^64 divided by the golden ratio (Knuth, TAOCP 6.4).
static constexpr uint64_t keyFactor = 0x9e3779b97f4a7c15;

namespace {

/// The keys of a function's loops, as values that their headers compute.
class LoopKeys {
public:
  explicit LoopKeys(Function &function)
      : dominators(function), loops(dominators) {
    for (Loop *loop : loops.getLoopsInPreorder())
      keys[loop] = makeKey(*loop);
  }

  Value *of(const Instruction &instruction) const {
    const Loop *loop = loops.getLoopFor(instruction.getParent());
    return loop ? keys.lookup(loop)
                : ConstantInt::get(Type::getInt64Ty(instruction.getContext()),
                                   0);
  }

private:
  /// Counts the loop's iterations, and mixes them with the outer loops' key.
  Value *makeKey(Loop &loop) {
    BasicBlock *header = loop.getHeader();
    Type *type = Type::getInt64Ty(header->getContext());
    IRBuilder<> phis(header, header->begin());
    PHINode *count = phis.CreatePHI(type, pred_size(header));
    IRBuilder<> builder(header, header->getFirstInsertionPt());
    Value *next = builder.CreateAdd(count, ConstantInt::get(type, 1));
    for (BasicBlock *before : predecessors(header))
      count->addIncoming(
          loop.contains(before) ? next : ConstantInt::get(type, 0), before);
    Value *outer = loop.getParentLoop() ? keys.lookup(loop.getParentLoop())
                                        : ConstantInt::get(type, 0);
    return builder.CreateMul(builder.CreateAdd(outer, next),
                             ConstantInt::get(type, keyFactor));
  }

  DominatorTree dominators;
  LoopInfo loops;
  DenseMap<const Loop *, Value *> keys;
};

/// An access to count, and the site's description.
struct CountedAccess {
  Instruction *instruction;
  MemoryAccess access;
  std::string text;
};

} // namespace

/// The accesses of the emulator's functions for cp.async and ldmatrix, which
/// lanes make in their own name.
static SmallVector<MemoryAccess, 2> accessesOfCall(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  StringRef name = callee ? callee->getName() : "";
  auto bytes = [&](uint64_t number) {
    return ConstantInt::get(Type::getInt64Ty(call->getContext()), number);
  };
  if (name.contains("_ldmatrix_sync_"))
    // The result of several registers is passed in the first argument.
    return {{call->getArgOperand(call->arg_size() - 1), bytes(16),
             AccessKind::read}};
  unsigned size;
  if (!name.consume_front("ingot_emu_cp_async_c") ||
      !(name.consume_front("a_shared_global_") ||
        name.consume_front("g_shared_global_")))
    return {};
  bool readsLess = name.consume_back("_s");
  if (name.getAsInteger(10, size))
    return {};
  return {{call->getArgOperand(1),
           readsLess ? call->getArgOperand(2) : bytes(size), AccessKind::read},
          {call->getArgOperand(0), bytes(size), AccessKind::write}};
}

/// The lanes whose addresses an instruction uses: ldmatrix of N matrices takes
/// those of 8 N lanes.
static unsigned lanesOf(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  StringRef name = callee ? callee->getName() : "";
  return name.contains("_m8n8_x1_") ? 8 : name.contains("_m8n8_x2_") ? 16 : 32;
}

/// Where an instruction comes from: a line of source code if its debug location
/// says so, and its number in the function otherwise; and its text.
static std::string describe(const Instruction &instruction, unsigned number,
                            ModuleSlotTracker &slots) {
  std::string text;
  raw_string_ostream stream(text);
  if (const DebugLoc &location = instruction.getDebugLoc())
    stream << location->getFilename() << ':' << location.getLine() << ": ";
  else
    stream << instruction.getFunction()->getName() << ", instruction " << number
           << ": ";
  std::string code;
  raw_string_ostream codeStream(code);
  instruction.print(codeStream, slots);
  stream << StringRef(code).trim();
  return text;
}

static std::vector<CountedAccess> accessesOf(Function &function,
                                             ModuleSlotTracker &slots) {
  std::vector<CountedAccess> accesses;
  slots.incorporateFunction(function);
  unsigned number = 0;
  for (Instruction &instruction : instructions(function)) {
    ++number;
    SmallVector<MemoryAccess, 2> own = accessesOf(instruction);
    own.append(accessesOfCall(instruction));
    for (const MemoryAccess &access : own)
      accesses.push_back(
          {&instruction, access, describe(instruction, number, slots)});
  }
  return accesses;
}

/// A constant {description, kind, lanes}, whose address identifies the site
/// (`Site` in test/Emulator/Costs.h).
static Constant *makeSite(Module &module, const CountedAccess &counted) {
  LLVMContext &context = module.getContext();
  Constant *text = ConstantDataArray::getString(context, counted.text);
  auto *string =
      new GlobalVariable(module, text->getType(), true,
                         GlobalValue::PrivateLinkage, text, "cost_site_text");
  Type *number = Type::getInt32Ty(context);
  Constant *site = ConstantStruct::getAnon(
      {string,
       ConstantInt::get(number, static_cast<uint64_t>(counted.access.kind)),
       ConstantInt::get(number, lanesOf(*counted.instruction))});
  return new GlobalVariable(module, site->getType(), false,
                            GlobalValue::InternalLinkage, site, "cost_site");
}

void countCosts(Module &module) {
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0);
  Type *number = Type::getInt64Ty(context);
  FunctionCallee callee = module.getOrInsertFunction(
      costFunction, Type::getVoidTy(context), pointer, pointer, number, number);
  ModuleSlotTracker slots(&module);
  for (Function &function : module) {
    std::vector<CountedAccess> accesses = accessesOf(function, slots);
    if (accesses.empty())
      continue;
    LoopKeys keys(function);
    for (const CountedAccess &counted : accesses) {
      IRBuilder<> builder(counted.instruction);
      builder.CreateCall(
          callee, {makeSite(module, counted),
                   builder.CreateAddrSpaceCast(counted.access.pointer, pointer),
                   builder.CreateZExtOrTrunc(counted.access.size, number),
                   keys.of(*counted.instruction)});
    }
  }
}

} // namespace ingot::emulate
