//===- GlobalData.h - Constant tables in the LLVM dialect -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the constant data that artifacts carry: strings, numbers, and arrays
// of the ABI's structs that point to each other.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_GLOBALDATA_H
#define INGOT_CODEGEN_ABI_GLOBALDATA_H

#include "codegen/ABI/Row.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ingot::abi {

/// Adds constants to a module. Equal constants are added once.
class GlobalData {
public:
  /// `symbols`, if given, are the module's, and are kept up to date, so that
  /// adding thousands of constants does not search the module for each.
  explicit GlobalData(mlir::ModuleOp module,
                      mlir::SymbolTable *symbols = nullptr)
      : module(module), symbols(symbols) {}

  /// A C string.
  Address<char> string(llvm::StringRef text);
  /// Bytes without a terminating zero.
  Address<uint8_t> binary(llvm::StringRef content);
  List<int64_t> integers64(llvm::ArrayRef<int64_t> values);
  List<uint32_t> integers32(llvm::ArrayRef<int32_t> values);
  /// An array of structs; null where it is empty.
  template <typename Struct>
  List<Struct> table(llvm::StringRef name,
                     const llvm::SmallVectorImpl<Row<Struct>> &rows) {
    std::vector<Constant> values;
    for (const Row<Struct> &row : rows)
      values.push_back(valueOf(row));
    return {rows.size(), Address<Struct>(array(
                             name, TypeOf<Struct>::get(context()), values))};
  }
  /// One struct.
  template <typename Struct>
  Address<Struct> row(llvm::StringRef name, const Row<Struct> &row) {
    return Address<Struct>(
        array(name, TypeOf<Struct>::get(context()), {valueOf(row)}));
  }
  /// An array of addresses.
  template <typename T>
  List<T *> addresses(llvm::StringRef name,
                      llvm::ArrayRef<Address<std::remove_const_t<T>>> symbols) {
    std::vector<Constant> values;
    for (const auto &symbol : symbols)
      values.push_back(valueOf(symbol));
    return {symbols.size(),
            Address<T *>(array(name, TypeOf<T *>::get(context()), values))};
  }
  /// The elements of a constant tensor, dense and row-major; of a tensor of
  /// strings, an array of ingot_string.
  Address<void> elements(mlir::ElementsAttr value);
  /// An array of ingot_string; null where it is empty.
  List<ingot_string> strings(llvm::ArrayRef<llvm::StringRef> texts);
  /// An ingot_string as a member of other structs.
  Row<ingot_string> text(llvm::StringRef text);
  Address<ingot_op> op(mlir::host::CallOp call);
  Address<ingot_parse_spec> parseSpec(mlir::host::ParseExampleOp op);

  /// One struct under a name of the ABI, visible to the linker.
  template <typename Struct>
  void define(llvm::StringRef name, const Row<Struct> &row) {
    global(name, TypeOf<Struct>::get(context()), valueOf(row))
        .setLinkage(mlir::LLVM::Linkage::External);
  }
  /// Structs without addresses in them, as they lie in memory.
  template <typename Struct>
  Address<Struct> plain(llvm::StringRef name, llvm::ArrayRef<Struct> structs) {
    return Address<Struct>(bytes(name, contentOf(structs), alignof(Struct)));
  }

  /// Such structs, a text, and an array of addresses, each under a name of the
  /// ABI.
  template <typename Struct>
  void definePlain(llvm::StringRef name, llvm::ArrayRef<Struct> structs) {
    defineBytes(name, contentOf(structs), alignof(Struct));
  }
  void defineText(llvm::StringRef name, llvm::StringRef text) {
    defineBytes(name, text, 1);
  }
  void defineAddresses(llvm::StringRef name,
                       llvm::ArrayRef<mlir::StringAttr> symbols);
  /// An external symbol of another object or the runtime, which the reference
  /// links.
  template <typename T> Address<T> external(llvm::StringRef name) {
    return Address<T>(std::is_function_v<T> ? externalFunction(name)
                                            : externalData(name));
  }

  /// The address of a global that one of the above added.
  template <typename T>
  mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                        Address<T> address) {
    return addressOf(builder, loc, address.symbol);
  }
  mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::StringAttr symbol);

private:
  mlir::MLIRContext *context() { return module.getContext(); }
  template <typename Struct>
  static llvm::StringRef contentOf(llvm::ArrayRef<Struct> structs) {
    return {reinterpret_cast<const char *>(structs.data()),
            structs.size() * sizeof(Struct)};
  }
  mlir::StringAttr bytes(llvm::StringRef name, llvm::StringRef content,
                         unsigned alignment);
  void defineBytes(llvm::StringRef name, llvm::StringRef content,
                   unsigned alignment);
  mlir::StringAttr externalData(llvm::StringRef name);
  mlir::StringAttr externalFunction(llvm::StringRef name);
  mlir::StringAttr array(llvm::StringRef name, mlir::Type element,
                         std::vector<Constant> values);
  mlir::LLVM::GlobalOp global(llvm::StringRef name, mlir::Type type,
                              const Constant &value);
  mlir::LLVM::GlobalOp global(mlir::Type type, llvm::StringRef name,
                              mlir::Attribute value, unsigned alignment);

  mlir::Operation *lookup(llvm::StringRef name);

  mlir::ModuleOp module;
  mlir::SymbolTable *symbols;
};

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_GLOBALDATA_H
