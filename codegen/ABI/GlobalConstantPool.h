//===- GlobalConstantPool.h - Constants as LLVM globals ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the constant data of artifacts: strings, arrays of numbers, and arrays
// of the ABI's structs that point to each other.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_GLOBALCONSTANTPOOL_H
#define INGOT_CODEGEN_ABI_GLOBALCONSTANTPOOL_H

#include "codegen/ABI/TableRow.h"
#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ingot::abi {

/// Adds constants to a module, as LLVM globals. Equal strings and arrays are
/// added once.
class GlobalConstantPool {
public:
  /// `symbols` is the module's symbol table, or null. It is kept up to date, so
  /// that adding thousands of constants need not search the module each time.
  explicit GlobalConstantPool(mlir::ModuleOp module,
                              mlir::SymbolTable *symbols = nullptr)
      : module(module), symbols(symbols) {}

  /// Adds a zero-terminated string to the module, and returns its address.
  GlobalAddress<char> string(llvm::StringRef text);
  /// Adds bytes to the module without a terminating zero.
  GlobalAddress<uint8_t> binary(llvm::StringRef content);
  GlobalArray<int64_t> integers64(llvm::ArrayRef<int64_t> values);
  GlobalArray<uint32_t> integers32(llvm::ArrayRef<int32_t> values);
  /// Adds an array of structs, which may contain addresses. The address of the
  /// array is null if it is empty.
  template <typename Struct>
  GlobalArray<Struct> table(llvm::StringRef name,
                            const llvm::SmallVectorImpl<Row<Struct>> &rows) {
    std::vector<ConstantInitializer> values;
    for (const Row<Struct> &row : rows)
      values.push_back(valueOf(row));
    return {rows.size(),
            GlobalAddress<Struct>(
                array(name, LLVMTypeOf<Struct>::get(context()), values))};
  }
  /// Adds one struct, which may contain addresses.
  template <typename Struct>
  GlobalAddress<Struct> row(llvm::StringRef name, const Row<Struct> &row) {
    return GlobalAddress<Struct>(
        array(name, LLVMTypeOf<Struct>::get(context()), {valueOf(row)}));
  }
  /// Adds an array of addresses of symbols.
  template <typename T>
  GlobalArray<T *>
  addresses(llvm::StringRef name,
            llvm::ArrayRef<GlobalAddress<std::remove_const_t<T>>> symbols) {
    std::vector<ConstantInitializer> values;
    for (const auto &symbol : symbols)
      values.push_back(valueOf(symbol));
    return {symbols.size(),
            GlobalAddress<T *>(
                array(name, LLVMTypeOf<T *>::get(context()), values))};
  }
  /// Adds the elements of a constant tensor, in row-major order. The elements
  /// of a string tensor are an array of ingot_string.
  GlobalAddress<void> elements(mlir::ElementsAttr value);
  /// Adds an array of ingot_string. The address is null if the array is empty.
  GlobalArray<ingot_string> strings(llvm::ArrayRef<llvm::StringRef> texts);
  /// Adds a string. Returns an ingot_string that points to it, for use as a
  /// member of other structs.
  Row<ingot_string> text(llvm::StringRef text);
  GlobalAddress<ingot_op> op(mlir::host::CallOp call);
  GlobalAddress<ingot_parse_spec> parseSpec(mlir::host::ParseExampleOp op);

  /// Defines one struct as a global, whose name is a symbol of the ABI.
  template <typename Struct>
  void define(llvm::StringRef name, const Row<Struct> &row) {
    global(name, LLVMTypeOf<Struct>::get(context()), valueOf(row))
        .setLinkage(mlir::LLVM::Linkage::External);
  }
  /// Adds an array of structs that contain no addresses, as plain bytes.
  template <typename Struct>
  GlobalAddress<Struct> plain(llvm::StringRef name,
                              llvm::ArrayRef<Struct> structs) {
    return GlobalAddress<Struct>(
        bytes(name, contentOf(structs), alignof(Struct)));
  }

  /// Define a global whose name is a symbol of the ABI: an array of structs
  /// that contain no addresses, a string, or an array of addresses.
  template <typename Struct>
  void definePlain(llvm::StringRef name, llvm::ArrayRef<Struct> structs) {
    defineBytes(name, contentOf(structs), alignof(Struct));
  }
  void defineText(llvm::StringRef name, llvm::StringRef text) {
    defineBytes(name, text, 1);
  }
  void defineAddresses(llvm::StringRef name,
                       llvm::ArrayRef<mlir::StringAttr> symbols);
  /// Declares a symbol that another object or the runtime defines. The
  /// reference makes the linker include its definition.
  template <typename T> GlobalAddress<T> external(llvm::StringRef name) {
    return GlobalAddress<T>(std::is_function_v<T> ? externalFunction(name)
                                                  : externalData(name));
  }

  /// Emits the address of a global that another member function has added.
  template <typename T>
  mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                        GlobalAddress<T> address) {
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
                         std::vector<ConstantInitializer> values);
  mlir::LLVM::GlobalOp global(llvm::StringRef name, mlir::Type type,
                              const ConstantInitializer &value);
  mlir::LLVM::GlobalOp global(mlir::Type type, llvm::StringRef name,
                              mlir::Attribute value, unsigned alignment);

  mlir::Operation *lookup(llvm::StringRef name);

  mlir::ModuleOp module;
  mlir::SymbolTable *symbols;
};

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_GLOBALCONSTANTPOOL_H
