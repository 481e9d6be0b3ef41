//===- ReplaceIntrinsics.cpp - Call the emulator for intrinsics -----------===//
// SPDX-License-Identifier: Apache-2.0
//
// The emulator's functions have C signatures: pointers are passed without
// address spaces, i1 as int, pairs of 16-bit floats as 32 bits, and a function
// that returns a struct writes it to the address in its first argument.
//
//===----------------------------------------------------------------------===//

#include "codegen/Emulate/Emulate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Regex.h"

#include <set>
#include <string>

using namespace llvm;

namespace ingot::emulate {

static constexpr StringLiteral prefix = "llvm.nvvm.";

namespace {
/// The kind of an emulator function that replaces an intrinsic: a `call` has
/// side effects or synchronizes threads, a `value` only computes its result
/// from its arguments.
enum class Kind { unknown, call, value };
} // namespace

static Kind kindOf(StringRef name) {
  return StringSwitch<Kind>(name)
#define INGOT_PTX(text, known)
#define INGOT_NVVM(known) .Case(#known, Kind::call)
#define INGOT_NVVM_VALUE(known) .Case(#known, Kind::value)
#include "codegen/Emulate/Intrinsics.def"
      .Default(Kind::unknown);
}

/// Returns the name of the emulator's function for the text of inline assembly,
/// or "" if the emulator has no such function.
static StringRef functionFor(StringRef assembly) {
  return StringSwitch<StringRef>(assembly)
#define INGOT_NVVM(known)
#define INGOT_NVVM_VALUE(known)
#define INGOT_PTX(text, known) .Case(text, #known)
#include "codegen/Emulate/Intrinsics.def"
      .StartsWith("tcgen05.ld.sync.aligned.32x32b.x32.b32 {", "tcgen05_ld_x32")
      .Default("");
}

/// Returns the name of the emulator's function for an intrinsic, such as
/// barrier_cta_sync_all for "llvm.nvvm.barrier.cta.sync.all". Suffixes for the
/// types of pointers (".p3") are dropped.
static std::string plainName(StringRef intrinsic) {
  SmallVector<StringRef> parts;
  intrinsic.drop_front(prefix.size()).split(parts, '.');
  auto isPointer = [](StringRef part) {
    unsigned space;
    return part.size() > 1 && part[0] == 'p' &&
           !part.drop_front().getAsInteger(10, space);
  };
  while (parts.size() > 1 && isPointer(parts.back()))
    parts.pop_back();
  return join(parts, "_");
}

/// Returns the C type that an argument of type `type` has in calls of the
/// emulator.
static Type *passedType(Type *type) {
  LLVMContext &context = type->getContext();
  if (type->isPointerTy())
    return PointerType::get(context, 0);
  if (type->isIntegerTy(1))
    return Type::getInt32Ty(context);
  if (type->isVectorTy() && type->getPrimitiveSizeInBits() == 32)
    return Type::getInt32Ty(context);
  return type;
}

/// Converts an argument to the C type that it has in calls of the emulator
/// (`passedType`).
static Value *pass(IRBuilderBase &builder, Value *value) {
  Type *type = passedType(value->getType());
  if (value->getType()->isPointerTy())
    return builder.CreateAddrSpaceCast(value, type);
  if (value->getType()->isIntegerTy(1))
    return builder.CreateZExt(value, type);
  return builder.CreateBitCast(value, type);
}

/// Replaces a call by one of the emulator's function, and converts arguments
/// and result. A struct is returned through memory on the stack.
static void replaceCall(CallInst *call, FunctionCallee callee) {
  IRBuilder<> builder(call);
  SmallVector<Value *> arguments;
  Type *result = call->getType();
  Value *place = nullptr;
  if (result->isStructTy()) {
    IRBuilder<> entry(
        &*call->getFunction()->getEntryBlock().getFirstInsertionPt());
    place = entry.CreateAlloca(result);
    arguments.push_back(place);
  }
  for (Value *argument : call->args())
    arguments.push_back(pass(builder, argument));
  Value *value = builder.CreateCall(callee, arguments);
  if (place)
    value = builder.CreateLoad(result, place);
  else if (result->isIntegerTy(1))
    value = builder.CreateICmpNE(value, ConstantInt::get(value->getType(), 0));
  else if (!result->isVoidTy())
    value = builder.CreateBitCast(value, result);
  if (!result->isVoidTy())
    call->replaceAllUsesWith(value);
  call->eraseFromParent();
}

/// Declares the emulator's function `name` with the C signature that
/// corresponds to `type`.
static FunctionCallee declare(Module &module, FunctionType *type,
                              StringRef name, Kind kind) {
  SmallVector<Type *> types;
  Type *result = type->getReturnType();
  if (result->isStructTy()) {
    types.push_back(PointerType::get(module.getContext(), 0));
    result = Type::getVoidTy(module.getContext());
  }
  for (Type *parameter : type->params())
    types.push_back(passedType(parameter));
  FunctionCallee callee = module.getOrInsertFunction(
      ("ingot_emu_" + name).str(),
      FunctionType::get(passedType(result), types, /*isVarArg=*/false));
  auto *function = cast<Function>(callee.getCallee());
  function->setDoesNotThrow();
  if (kind == Kind::value) {
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    function->setSpeculatable();
  } else {
    function->setConvergent();
  }
  return callee;
}

/// Replaces all calls of an intrinsic by calls of the emulator's function
/// `name`.
static void replaceAll(Function &intrinsic, StringRef name, Kind kind) {
  FunctionCallee callee =
      declare(*intrinsic.getParent(), intrinsic.getFunctionType(), name, kind);
  for (User *user : make_early_inc_range(intrinsic.users()))
    if (auto *call = dyn_cast<CallInst>(user))
      replaceCall(call, callee);
}

/// Returns the inline assembly that an instruction calls, or null.
static const InlineAsm *assemblyOf(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
}

namespace {
/// The shape and types of a wgmma instruction, parsed from its assembly text:
/// wgmma.mma_async...m64nNkK.f32.type.type.
struct WgmmaInstruction {
  /// N, the number of columns; 0 if the text is not a wgmma instruction.
  unsigned columns = 0;
  /// The element type of the operands A and B: 0 for tf32, 1 for bf16, 2 for
  /// f16.
  unsigned type = 0;
  bool isMNMajor[2] = {false, false};

  explicit WgmmaInstruction(StringRef text) {
    SmallVector<StringRef> parts;
    Regex form("wgmma\\.mma_async\\.sync\\.aligned\\.m64n([0-9]+)k[0-9]+\\."
               "f32\\.(tf32|bf16|f16)\\.[a-z0-9]+ .*, p, 1, 1"
               "(, ([01]), ([01]))?; }$");
    if (!form.match(text, &parts) || parts[1].getAsInteger(10, columns))
      return;
    type = StringSwitch<unsigned>(parts[2])
               .Case("tf32", 0)
               .Case("bf16", 1)
               .Default(2);
    isMNMajor[0] = parts[4] == "1";
    isMNMajor[1] = parts[5] == "1";
  }
};
} // namespace

/// Replaces a wgmma instruction by a call of the emulator, which receives the
/// accumulators in memory.
static void replaceGroupProduct(CallInst *call,
                                const WgmmaInstruction &product) {
  Module &module = *call->getModule();
  IRBuilder<> entry(
      &*call->getFunction()->getEntryBlock().getFirstInsertionPt());
  IRBuilder<> builder(call);
  unsigned count = product.columns / 2;
  auto *type = ArrayType::get(builder.getFloatTy(), count);
  Value *sums = entry.CreateAlloca(type);
  for (unsigned i = 0; i < count; ++i)
    builder.CreateStore(call->getArgOperand(i),
                        builder.CreateConstGEP2_32(type, sums, 0, i));
  Value *arguments[] = {sums,
                        call->getArgOperand(count),
                        call->getArgOperand(count + 1),
                        builder.getInt32(product.columns),
                        builder.getInt32(product.type),
                        builder.getInt32(product.isMNMajor[0]),
                        builder.getInt32(product.isMNMajor[1])};
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = module.getOrInsertFunction(
      "ingot_emu_wgmma", FunctionType::get(builder.getVoidTy(), types, false));
  cast<Function>(callee.getCallee())->setConvergent();
  builder.CreateCall(callee, arguments);
  Value *result = PoisonValue::get(call->getType());
  for (unsigned i = 0; i < count; ++i)
    result = builder.CreateInsertValue(
        result,
        builder.CreateLoad(builder.getFloatTy(),
                           builder.CreateConstGEP2_32(type, sums, 0, i)),
        i);
  call->replaceAllUsesWith(result);
  call->eraseFromParent();
}

/// If the assembly is a wgmma.wait_group, returns its operand: how many groups
/// may still be in flight after the wait. Otherwise returns std::nullopt.
static std::optional<unsigned> groupsLeft(StringRef text) {
  unsigned left;
  if (!text.consume_front("wgmma.wait_group.sync.aligned ") ||
      !text.consume_back(";") || text.getAsInteger(10, left))
    return std::nullopt;
  return left;
}

/// Replaces a wgmma.wait_group by a call of the emulator. The inline assembly
/// takes the accumulators as operands and returns them as results, so that LLVM
/// moves no use of a result before the wait. The emulator's call has no
/// results, so uses of the assembly's results become uses of its operands.
static void replaceGroupWait(CallInst *call, unsigned left) {
  IRBuilder<> builder(call);
  Value *number = builder.getInt32(left);
  FunctionCallee callee = call->getModule()->getOrInsertFunction(
      "ingot_emu_wgmma_wait",
      FunctionType::get(builder.getVoidTy(), number->getType(), false));
  cast<Function>(callee.getCallee())->setConvergent();
  builder.CreateCall(callee, number);
  if (!call->getType()->isVoidTy()) {
    Value *result = PoisonValue::get(call->getType());
    for (auto [i, argument] : enumerate(call->args()))
      result = builder.CreateInsertValue(result, argument, i);
    call->replaceAllUsesWith(result);
  }
  call->eraseFromParent();
}

/// Replaces all inline assembly of a function by calls of the emulator.
static void replaceAssembly(Function &function) {
  for (Instruction &instruction :
       make_early_inc_range(instructions(function))) {
    const InlineAsm *text = assemblyOf(instruction);
    if (!text)
      continue;
    auto *call = cast<CallInst>(&instruction);
    if (WgmmaInstruction product(text->getAsmString()); product.columns != 0)
      replaceGroupProduct(call, product);
    else if (auto left = groupsLeft(text->getAsmString()))
      replaceGroupWait(call, *left);
    else
      replaceCall(call,
                  declare(*function.getParent(), text->getFunctionType(),
                          functionFor(text->getAsmString()),
                          text->hasSideEffects() ? Kind::call : Kind::value));
  }
}

/// Adds to `unknown` a description of each intrinsic, inline assembly and
/// function of a device library that the emulator does not implement.
static void collectUnknown(Module &module, std::set<std::string> &unknown) {
  for (Function &function : module) {
    StringRef name = function.getName();
    if (name.starts_with(prefix)) {
      if (kindOf(plainName(name)) == Kind::unknown)
        unknown.insert(("'" + name + "'").str());
    } else if (function.isDeclaration() && !function.isIntrinsic()) {
      unknown.insert(("the function '" + name + "'").str());
    }
    for (Instruction &instruction : instructions(function))
      if (const InlineAsm *text = assemblyOf(instruction);
          text && functionFor(text->getAsmString()).empty() &&
          !groupsLeft(text->getAsmString()) &&
          WgmmaInstruction(text->getAsmString()).columns == 0)
        unknown.insert(("the assembly '" + text->getAsmString() + "'").str());
  }
}

Error replaceIntrinsics(Module &module) {
  std::set<std::string> unknown;
  collectUnknown(module, unknown);
  if (!unknown.empty())
    return createStringError("the emulator lacks an implementation of " +
                             join(unknown, ", "));
  for (Function &function : make_early_inc_range(module)) {
    replaceAssembly(function);
    if (!function.getName().starts_with(prefix))
      continue;
    std::string name = plainName(function.getName());
    replaceAll(function, name, kindOf(name));
    function.eraseFromParent();
  }
  return Error::success();
}

} // namespace ingot::emulate
