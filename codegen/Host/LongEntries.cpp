//===- LongEntries.cpp - Entries of thousands of launches -----------------===//

#include "codegen/Host/LongEntries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace ingot::hostgen {

/// The longest entry, in instructions, that is optimized.
static constexpr unsigned maxOptimized = 5000;

/// The argument of an entry that is the table of the variables' addresses,
/// which nothing changes while it runs (ABI/Program.h).
static constexpr unsigned variablesArgument = 2;

/// An address in the arena or in a table, at a constant offset from an
/// argument.
static bool isOffset(const Value *value) {
  auto *offset = dyn_cast<GetElementPtrInst>(value);
  return offset && isa<Argument>(offset->getPointerOperand()) &&
         offset->hasAllConstantIndices();
}

/// The address of a variable.
static bool isVariable(const Value *value) {
  auto *load = dyn_cast<LoadInst>(value);
  if (!load || !load->isSimple())
    return false;
  const Value *place = load->getPointerOperand();
  if (isOffset(place))
    place = cast<GetElementPtrInst>(place)->getPointerOperand();
  auto *argument = dyn_cast<Argument>(place);
  return argument && argument->getArgNo() == variablesArgument;
}

/// Computes `address`, which takes an instruction or two, in front of each of
/// its uses instead of once for all.
static void computeWhereUsed(Instruction *address) {
  SmallVector<Use *> uses(llvm::make_pointer_range(address->uses()));
  for (Use *use : uses) {
    auto *user = cast<Instruction>(use->getUser());
    if (isa<PHINode>(user))
      continue;
    Instruction *copy = address->clone();
    copy->insertBefore(user->getIterator());
    use->set(copy);
  }
  if (address->use_empty())
    address->eraseFromParent();
}

/// Keeps an argument on the stack, from where each use loads it: a register
/// that is copied for thousands of calls costs the coalescer their square.
static void keepOnStack(Argument &argument) {
  SmallVector<Use *> uses(llvm::make_pointer_range(argument.uses()));
  if (uses.empty())
    return;
  IRBuilder<> builder(&*argument.getParent()->getEntryBlock().begin());
  AllocaInst *slot = builder.CreateAlloca(argument.getType());
  builder.CreateStore(&argument, slot);
  for (Use *use : uses) {
    auto *user = cast<Instruction>(use->getUser());
    if (isa<PHINode>(user))
      continue;
    builder.SetInsertPoint(user);
    use->set(builder.CreateLoad(argument.getType(), slot));
  }
}

/// Makes blocks of so many instructions: passes on machine code take time by
/// the square of a block's length.
static void splitBlocks(Function &entry) {
  constexpr unsigned longest = 500;
  SmallVector<Instruction *> starts;
  for (BasicBlock &block : entry) {
    unsigned count = 0;
    for (Instruction &instruction : block) {
      if (++count < longest || isa<AllocaInst, PHINode>(instruction) ||
          instruction.isTerminator())
        continue;
      starts.push_back(&instruction);
      count = 0;
    }
  }
  // From the end: a split moves all that stands behind it.
  for (Instruction *start : llvm::reverse(starts))
    start->getParent()->splitBasicBlock(start->getIterator());
}

void prepareLongEntry(Function &entry) {
  if (entry.getInstructionCount() <= maxOptimized)
    return;
  entry.addFnAttr(Attribute::OptimizeNone);
  entry.addFnAttr(Attribute::NoInline);
  // Addresses of variables first: they are loaded from offsets.
  for (auto isAddress : {isVariable, isOffset}) {
    SmallVector<Instruction *> addresses;
    for (BasicBlock &block : entry)
      for (Instruction &instruction : block)
        if (isAddress(&instruction))
          addresses.push_back(&instruction);
    for (Instruction *address : addresses)
      computeWhereUsed(address);
  }
  for (Argument &argument : entry.args())
    keepOnStack(argument);
  splitBlocks(entry);
}

} // namespace ingot::hostgen
