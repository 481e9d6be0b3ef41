//===- GraphData.h - A program under construction ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The state of the handles of include/ingot/graph.h, for the compiler's own
// libraries: the module, the variables, the names, the errors.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_BUILDER_GRAPHDATA_H
#define INGOT_COMPILER_BUILDER_GRAPHDATA_H

#include "ingot/graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>

namespace ingot::graph {

class GraphData {
public:
  GraphData();

  struct VariableData {
    std::string name;
    Shape shape;
    DType dtype;
    Initializer initializer;
    VariableOptions options;
    std::string symbol;
    mlir::Operation *op; // null if it was erased
  };
  struct IteratorData {
    std::string name, symbol;
    bool saved;
    std::vector<std::string> components;
    mlir::Operation *op; // null if it was erased
  };

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The insertion point; none while no entry is open.
  mlir::OpBuilder builder;
  Graph *graph = nullptr;

  std::deque<VariableData> variables;
  llvm::StringMap<unsigned> variableByName;
  std::deque<IteratorData> iterators;
  /// Programs that parts of this one are copied from, by their owners.
  llvm::StringMap<mlir::OwningOpRef<mlir::ModuleOp>> imported;
  std::vector<std::string> errors;
  std::optional<int64_t> seed;
  std::function<std::optional<Array>(const std::string &)> initialValues;
  /// Prefix of names: empty, or with a slash at its end.
  std::string scope;
  /// The entry that is open.
  std::string entry;
  bool finished = false;

  /// Records an error at `where`.
  void error(const llvm::Twine &where, const llvm::Twine &message);

  /// An unused symbol of the module.
  std::string uniqueSymbol(llvm::StringRef name);
  /// An unused name in the open scope, as an op's location.
  mlir::Location newLocation(llvm::StringRef name);
  /// `dense`, then `dense_1`: a layer's name in the open scope and entry.
  std::string layerName(llvm::StringRef kind);
  void restartLayers(llvm::StringRef scope);

  mlir::Type elementType(DType dtype);
  /// Null, with an error at `where`, for dimensions below -1.
  mlir::RankedTensorType tensorType(DType dtype, const Shape &shape,
                                    const llvm::Twine &where);
  /// Null, with an error, if elements and shape do not agree.
  mlir::ElementsAttr elements(const Array &array, const llvm::Twine &where);

  /// An op of the dialect with inferred result types; null after an error.
  mlir::Operation *create(llvm::StringRef op, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// The same at the given location.
  mlir::Operation *create(mlir::Location loc, llvm::StringRef op,
                          mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// An op with the given result types.
  mlir::Operation *create(llvm::StringRef op, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          mlir::TypeRange results);
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value ints(llvm::ArrayRef<int64_t> values, bool isScalar = false,
                   bool is64Bits = false);
  mlir::Value boolean(bool value);
  mlir::Value string(llvm::StringRef value);
  mlir::Value strings(llvm::ArrayRef<std::string> values);

  /// Builds pure ops at the end of a block.
  void within(mlir::Block *block, llvm::function_ref<void()> make);
  /// A compiler-made entry, `fill`ed with ops.
  void addEntry(llvm::StringRef name, Role role,
                llvm::function_ref<void(mlir::Block *)> fill,
                llvm::ArrayRef<llvm::StringRef> feeds = {},
                mlir::TypeRange feedTypes = {});
  bool finish();

private:
  void addSaver();
  void arrange();

  llvm::StringSet<> symbols;
  llvm::StringMap<unsigned> names;
  llvm::StringMap<unsigned> layers;
};

/// While it lives, diagnostics become errors of the graph, each at its
/// location's name.
class CollectErrors {
public:
  explicit CollectErrors(GraphData &data);

private:
  mlir::ScopedDiagnosticHandler handler;
};

inline mlir::Value unwrap(Tensor tensor) {
  return mlir::Value::getFromOpaquePointer(tensor.opaque());
}
inline Tensor wrap(GraphData &data, mlir::Value value) {
  return Tensor(&data, value.getAsOpaquePointer());
}
/// Nothing if one of them is invalid.
std::optional<llvm::SmallVector<mlir::Value>>
unwrap(llvm::ArrayRef<Tensor> tensors);

DType dtypeOf(mlir::Type element);
/// The shape of a type of known rank.
Shape shapeOf(mlir::RankedTensorType type);

mlir::DenseElementsAttr splat(mlir::RankedTensorType type, double value);

} // namespace ingot::graph

#endif // INGOT_COMPILER_BUILDER_GRAPHDATA_H
