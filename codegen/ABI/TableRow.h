//===- TableRow.h - Structs of the ABI as constant data ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Defines two types for each struct of runtime/ABI/Tables.def: a Row, whose
// members hold the values to be written, and the struct's type in the LLVM
// dialect. Rows are initialized with designated initializers,
//
//   Row<ingot_alternative>{.iterator = 0, .dataset = root}
//
// and the compiler rejects a row that lacks a member, has members in another
// order, or has a value that does not fit a member's type.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_TABLEROW_H
#define INGOT_CODEGEN_ABI_TABLEROW_H

#include "runtime/ABI/Op.h"
#include "runtime/ABI/Program.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ingot::abi {

/// The address of a constant in the object file: of a `T`, or of the first
/// element of an array of `T`. A null `symbol` is the null pointer.
template <typename T> struct GlobalAddress {
  mlir::StringAttr symbol;

  GlobalAddress(std::nullptr_t) {}
  explicit GlobalAddress(mlir::StringAttr symbol) : symbol(symbol) {}
  template <typename U>
    requires std::is_void_v<T>
  GlobalAddress(GlobalAddress<U> other) : symbol(other.symbol) {}
};

/// The length and the address of an array of `T` in the object file: the values
/// of the two members that INGOT_LIST declares in a struct of the ABI.
template <typename T> struct GlobalArray {
  uint32_t count;
  GlobalAddress<T> address;

  GlobalArray(std::nullptr_t) : count(0), address(nullptr) {}
  GlobalArray(size_t count, GlobalAddress<T> address)
      : count(static_cast<uint32_t>(count)), address(address) {}
};

/// A member of a row that is a number. It has no default value, so a row that
/// omits it does not compile.
template <typename T> struct NumberCell {
  T value;
  template <typename U>
    requires(std::is_arithmetic_v<U> || std::is_enum_v<U>)
  NumberCell(U value) : value(static_cast<T>(value)) {}
};

template <typename Struct> struct Row;

/// Maps the type `T` of a field of an ABI struct to the type of the field with
/// the same name in the struct's Row.
template <typename T> struct RowCellType {
  using type = Row<T>;
};
template <typename T>
  requires std::is_arithmetic_v<T>
struct RowCellType<T> {
  using type = NumberCell<T>;
};
template <typename T> struct RowCellType<T *> {
  using type = GlobalAddress<std::remove_const_t<T>>;
};
template <typename T> using Cell = typename RowCellType<T>::type;
template <typename T>
using GlobalArrayOf =
    GlobalArray<std::remove_const_t<std::remove_pointer_t<T>>>;

// clang-format off
#define INGOT_TABLE(table) template <> struct Row<table> {
#define INGOT_FIELD(type, field) Cell<type> field;
#define INGOT_LIST(type, field) GlobalArrayOf<const type *> field;
#define INGOT_TABLE_END(table) };
// clang-format on
#include "runtime/ABI/Tables.def"
#undef INGOT_TABLE
#undef INGOT_FIELD
#undef INGOT_LIST
#undef INGOT_TABLE_END

/// The value of a row, or of one of its members: a number, an address, or the
/// values of a struct's members.
struct ConstantInitializer {
  std::variant<int64_t, double, mlir::StringAttr,
               std::vector<ConstantInitializer>>
      content;
};

template <typename T> ConstantInitializer valueOf(const NumberCell<T> &cell) {
  if constexpr (std::is_floating_point_v<T>)
    return {static_cast<double>(cell.value)};
  else
    return {static_cast<int64_t>(cell.value)};
}
template <typename T>
ConstantInitializer valueOf(const GlobalAddress<T> &cell) {
  return {cell.symbol};
}

#define INGOT_TABLE(table)                                                     \
  inline ConstantInitializer valueOf(const Row<table> &row) {                  \
    std::vector<ConstantInitializer> members;
#define INGOT_FIELD(type, field) members.push_back(valueOf(row.field));
#define INGOT_LIST(type, field)                                                \
  members.push_back({int64_t(row.field.count)});                               \
  members.push_back(valueOf(row.field.address));
#define INGOT_TABLE_END(table)                                                 \
  return {std::move(members)};                                                 \
  }
#include "runtime/ABI/Tables.def"
#undef INGOT_TABLE
#undef INGOT_FIELD
#undef INGOT_LIST
#undef INGOT_TABLE_END

/// The LLVM dialect's type for a C type: a number, a pointer or a struct of the
/// ABI.
template <typename T> struct LLVMTypeOf {
  static mlir::Type get(mlir::MLIRContext *context) {
    static_assert(std::is_arithmetic_v<T>);
    if constexpr (std::is_same_v<T, float>)
      return mlir::Float32Type::get(context);
    else if constexpr (std::is_same_v<T, double>)
      return mlir::Float64Type::get(context);
    else
      return mlir::IntegerType::get(context, 8 * sizeof(T));
  }
};
template <typename T> struct LLVMTypeOf<T *> {
  static mlir::Type get(mlir::MLIRContext *context) {
    return mlir::LLVM::LLVMPointerType::get(context);
  }
};

// clang-format off
#define INGOT_TABLE(table)                                                     \
  template <> struct LLVMTypeOf<table> {                                       \
    static mlir::LLVM::LLVMStructType get(mlir::MLIRContext *context) {        \
      llvm::SmallVector<mlir::Type> members;
#define INGOT_FIELD(type, field)                                               \
  members.push_back(LLVMTypeOf<type>::get(context));
#define INGOT_LIST(type, field)                                                \
  members.push_back(LLVMTypeOf<uint32_t>::get(context));                       \
  members.push_back(LLVMTypeOf<const type *>::get(context));
#define INGOT_TABLE_END(table)                                                 \
      return mlir::LLVM::LLVMStructType::getLiteral(context, members);         \
    }                                                                          \
  };
// clang-format on
#include "runtime/ABI/Tables.def"
#undef INGOT_TABLE
#undef INGOT_FIELD
#undef INGOT_LIST
#undef INGOT_TABLE_END

/// The indices of a struct's members, as constants with the members' names,
/// such as Member<ingot_tensor>::dims.
template <typename Struct> struct Member;

// clang-format off
#define INGOT_TABLE(table) template <> struct Member<table> { enum : int32_t {
#define INGOT_FIELD(type, field) field,
#define INGOT_LIST(type, field) num_##field, field,
#define INGOT_TABLE_END(table) }; };
// clang-format on
#include "runtime/ABI/Tables.def"
#undef INGOT_TABLE
#undef INGOT_FIELD
#undef INGOT_LIST
#undef INGOT_TABLE_END

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_TABLEROW_H
