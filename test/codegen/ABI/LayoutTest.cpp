//===- LayoutTest.cpp - C and LLVM agree on where members lie -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The runtime reads an artifact's tables as C structs; codegen writes them with
// LLVM's types. Both come from runtime/ABI/Tables.def.
//
//===----------------------------------------------------------------------===//

#include "codegen/ABI/TableRow.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/TypeToLLVM.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/TargetParser/Triple.h"

#include <cstddef>
#include <gtest/gtest.h>

using namespace ingot::abi;

// Tables are copied as bytes, and the other side knows nothing of C++.
#define INGOT_TABLE(table)                                                     \
  static_assert(std::is_standard_layout_v<table> &&                            \
                std::is_trivially_copyable_v<table>);
#define INGOT_FIELD(type, field)
#define INGOT_LIST(type, field)
#define INGOT_TABLE_END(table)
#include "runtime/ABI/Tables.def"
#undef INGOT_TABLE
#undef INGOT_FIELD
#undef INGOT_LIST
#undef INGOT_TABLE_END

namespace {

class Layout : public ::testing::Test {
protected:
  Layout()
      : data(llvm::Triple("x86_64-unknown-linux-gnu").computeDataLayout()),
        translator(llvmContext) {
    context.loadDialect<mlir::LLVM::LLVMDialect>();
  }

  template <typename Struct> const llvm::StructLayout &layoutOf() {
    return *data.getStructLayout(llvm::cast<llvm::StructType>(
        translator.translateType(LLVMTypeOf<Struct>::get(&context))));
  }

  mlir::MLIRContext context;
  llvm::LLVMContext llvmContext;
  llvm::DataLayout data;
  mlir::LLVM::TypeToLLVMIRTranslator translator;
};

#define INGOT_TABLE(table)                                                     \
  TEST_F(Layout, table) {                                                      \
    using Struct = table;                                                      \
    const llvm::StructLayout &layout = layoutOf<Struct>();                     \
    EXPECT_EQ(layout.getSizeInBytes(), sizeof(Struct));                        \
    EXPECT_EQ(layout.getAlignment().value(), alignof(Struct));
#define INGOT_MEMBER(field)                                                    \
  EXPECT_EQ(layout.getElementOffset(Member<Struct>::field),                    \
            offsetof(Struct, field))                                           \
      << #field;
#define INGOT_FIELD(type, field) INGOT_MEMBER(field)
#define INGOT_LIST(type, field) INGOT_MEMBER(num_##field) INGOT_MEMBER(field)
#define INGOT_TABLE_END(table) }
#include "runtime/ABI/Tables.def"

} // namespace
