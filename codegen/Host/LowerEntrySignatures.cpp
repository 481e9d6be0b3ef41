//===- LowerEntrySignatures.cpp - Entries with the ABI's signature --------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/Passes.h"

#include "mlir/IR/Builders.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_LOWERENTRYSIGNATURESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

using namespace mlir;

/// Loads the buffer of argument `index` from the entry's table of variables, of
/// feeds or of fetches. An attribute of the argument determines the table, and
/// its value is the buffer's index in that table.
static Value bind(OpBuilder &builder, func::FuncOp entry, unsigned index,
                  ArrayRef<Value> tables) {
  auto type = cast<MemRefType>(entry.getArgument(index).getType());
  auto number = [&](StringRef name) {
    return entry.getArgAttrOfType<IntegerAttr>(index, name);
  };
  auto i32 = [&](IntegerAttr attribute) {
    return builder.getI32IntegerAttr(attribute.getInt());
  };
  Location loc = entry.getLoc();
  if (IntegerAttr variable = number(host::variableAttrName))
    return host::BindOp::create(builder, loc, type, tables[2], i32(variable));
  if (IntegerAttr feed = number(host::feedAttrName))
    return host::BindTensorOp::create(builder, loc, type, tables[3], i32(feed));
  return host::BindTensorOp::create(builder, loc, type, tables[4],
                                    i32(number(host::fetchAttrName)));
}

/// Changes an entry's arguments to (context, arena, variables, feeds, fetches),
/// and its result to a status code. At the end of the body the entry returns 0.
static void lowerEntry(func::FuncOp entry) {
  Block &body = entry.getBody().front();
  auto pointer = LLVM::LLVMPointerType::get(entry.getContext());
  unsigned numBuffers = body.getNumArguments() - 1; // the arena comes last
  Value arena = body.getArguments().back();
  SmallVector<Value> tables; // context, arena, variables, feeds, fetches
  for (unsigned i = 0; i < 5; ++i)
    tables.push_back(body.addArgument(pointer, entry.getLoc()));
  arena.replaceAllUsesWith(tables[1]);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (unsigned index = 0; index < numBuffers; ++index)
    body.getArgument(index).replaceAllUsesWith(
        bind(builder, entry, index, tables));
  body.eraseArguments(0, numBuffers + 1);
  Type i32 = builder.getI32Type();
  entry.setAllArgAttrs(ArrayRef<DictionaryAttr>());
  entry.setType(builder.getFunctionType(body.getArgumentTypes(), {i32}));
  builder.setInsertionPoint(body.getTerminator());
  Value success = arith::ConstantIntOp::create(builder, entry.getLoc(), i32, 0);
  body.getTerminator()->setOperands(success);
}

namespace {
struct LowerEntrySignatures
    : ::ingot::hostgen::impl::LowerEntrySignaturesPassBase<
          LowerEntrySignatures> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && !function->hasAttr(host::kernelAttrName)) {
        lowerEntry(function);
        ++numLowered;
      }
  }
};
} // namespace
