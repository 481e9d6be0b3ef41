//===- GlobalData.h - Constant tables in the LLVM dialect -------*- C++ -*-===//
//
// Builds the constant data that artifacts carry: strings, numbers, and arrays
// of C structs that point to each other.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_GLOBALDATA_H
#define INGOT_CODEGEN_ABI_GLOBALDATA_H

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ingot::abi {

/// One member of a C struct.
struct Field {
  enum Kind { I32, I64, F32, F64, Address } kind;
  int64_t integer = 0;
  double number = 0;
  mlir::StringAttr symbol; // of an address; null: the null pointer

  static Field i32(int64_t value) { return {I32, value, 0, {}}; }
  static Field i64(int64_t value) { return {I64, value, 0, {}}; }
  static Field f32(double value) { return {F32, 0, value, {}}; }
  static Field f64(double value) { return {F64, 0, value, {}}; }
  static Field address(mlir::StringAttr symbol) {
    return {Address, 0, 0, symbol};
  }
};

using Record = llvm::SmallVector<Field>;

/// Adds constants to a module. What is added twice is there once.
class GlobalData {
public:
  /// `symbols`, where given, are the module's, and are kept up to date: whoever
  /// adds thousands of constants does not search the module for each.
  explicit GlobalData(mlir::ModuleOp module,
                      mlir::SymbolTable *symbols = nullptr)
      : module(module), symbols(symbols) {}

  /// A C string.
  mlir::StringAttr string(llvm::StringRef text);
  mlir::StringAttr integers64(llvm::ArrayRef<int64_t> values);
  mlir::StringAttr integers32(llvm::ArrayRef<int32_t> values);
  /// An array of structs, all of one type; null where it is empty.
  mlir::StringAttr table(llvm::StringRef name, llvm::ArrayRef<Record> records);
  /// An array of addresses.
  mlir::StringAttr addresses(llvm::StringRef name,
                             llvm::ArrayRef<mlir::StringAttr> symbols);
  /// Constant data of the runtime, which is linked because of it.
  mlir::StringAttr external(llvm::StringRef name);
  /// The elements of a constant tensor, dense and row-major; of a tensor of
  /// strings, an array of ingot_string.
  mlir::StringAttr elements(mlir::ElementsAttr value);
  /// An array of ingot_string; null where it is empty.
  mlir::StringAttr strings(llvm::ArrayRef<llvm::StringRef> texts);
  /// An ingot_op.
  mlir::StringAttr op(mlir::host::CallOp call);
  /// An ingot_parse_spec.
  mlir::StringAttr parseSpec(mlir::host::ParseExampleOp op);

  /// One struct under a name of the ABI, visible to the linker.
  void define(llvm::StringRef name, const Record &record);

  /// The address of what one of the above made.
  mlir::Value addressOf(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::StringAttr symbol);

private:
  mlir::StringAttr bytes(llvm::StringRef name, llvm::StringRef content,
                         unsigned alignment);
  mlir::LLVM::GlobalOp global(mlir::Type type, llvm::StringRef name,
                              mlir::Attribute value, unsigned alignment);
  mlir::LLVM::GlobalOp records(llvm::StringRef name,
                               llvm::ArrayRef<Record> records, bool isArray);

  mlir::Operation *lookup(llvm::StringRef name);

  mlir::ModuleOp module;
  mlir::SymbolTable *symbols;
};

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_GLOBALDATA_H
