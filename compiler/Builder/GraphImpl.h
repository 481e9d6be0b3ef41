//===- GraphImpl.h - A program under construction ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The state of a graph::Graph, which the handles of include/ingot/graph.h refer
// to: the module, the variables, the names and the errors. Only the compiler's
// own libraries include this header.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_BUILDER_GRAPHIMPL_H
#define INGOT_COMPILER_BUILDER_GRAPHIMPL_H

#include "ingot/graph.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <deque>
#include <map>

namespace mlir::host {
enum class Role : uint32_t; // dialects/Host/EntryRole.h
} // namespace mlir::host

namespace ingot::graph {

class GraphImpl {
public:
  GraphImpl();

  struct VariableImpl {
    std::string name;
    Shape shape;
    DType dtype;
    Initializer initializer;
    VariableOptions options;
    std::string symbol;
    mlir::Operation *op; // null if it was erased
  };
  struct IteratorImpl {
    std::string name, symbol;
    bool saved;
    std::vector<std::string> components;
    mlir::Operation *op; // null if it was erased
  };

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Inserts ops into the open entry, the compiled function (such as the
  /// training step) that is being built. Has no insertion point if no entry is
  /// open.
  mlir::OpBuilder builder;
  Graph *graph = nullptr;

  std::deque<VariableImpl> variables;
  llvm::StringMap<unsigned> variableByName;
  std::deque<IteratorImpl> iterators;
  /// Programs that were read from files. Parts of them are copied into this
  /// program. The code that reads a program stores it here under a key of its
  /// choice, such as the file name, so that the file is read only once.
  llvm::StringMap<mlir::OwningOpRef<mlir::ModuleOp>> imported;
  /// State that networks share if they are trained by optimizers with the same
  /// Optimizer::instance.
  struct OptimizerInstance {
    /// The names of the variables with the powers of Adam's beta1 and beta2.
    /// The first network that is trained creates these variables.
    std::string beta1Power, beta2Power;
    /// If set, the number of updates that all networks together have made
    /// before the entry named `entry` runs. That entry computes the powers of
    /// beta1 and beta2 from this number and assigns them to the variables. All
    /// other entries read the powers from the variables.
    Tensor updates = {};
    std::string entry = {};
    /// The number of updates by this optimizer that `entry` contains so far.
    int64_t updatesInEntry = 0;
  };
  std::map<std::string, OptimizerInstance> optimizerInstances;
  /// Whether `variable` holds a power of beta1 or beta2 that networks with the
  /// same Optimizer::instance share.
  bool isOfOptimizerInstance(llvm::StringRef variable) const {
    return llvm::any_of(optimizerInstances, [&](const auto &entry) {
      return variable == entry.second.beta1Power ||
             variable == entry.second.beta2Power;
    });
  }
  std::vector<std::string> errors;
  std::optional<int64_t> seed;
  std::function<std::optional<Array>(const std::string &)> initialValues;
  /// The prefix of the names of new ops: the open name scopes, each followed by
  /// a slash, or "" if no scope is open.
  std::string scope;
  /// The name of the open entry; empty while none is open.
  std::string entry;
  bool finished = false;

  /// Records an error. `where` is the name of the op, variable or file in which
  /// the error is, or empty.
  void error(const llvm::Twine &where, const llvm::Twine &message);

  /// Returns a symbol made from `name` that no op of the module has yet.
  std::string uniqueSymbol(llvm::StringRef name);
  /// Returns a location with `name` in the open scope, made unique by a suffix.
  mlir::Location newLocation(llvm::StringRef name);
  /// Returns a name for a layer of the kind `kind`, unique in the open scope
  /// and entry. The first dense layer, for example, is named `dense`, and the
  /// second `dense_1`.
  std::string layerName(llvm::StringRef kind);
  /// Restarts the numbering of layers in `scope`, so that the next dense layers
  /// are again named `dense`, `dense_1` and so on.
  void restartLayers(llvm::StringRef scope);

  mlir::Type elementType(DType dtype);
  /// Returns the tensor type with the element type `dtype` and the shape
  /// `shape`. Returns null, after an error at `where`, if a size is below -1.
  mlir::RankedTensorType tensorType(DType dtype, const Shape &shape,
                                    const llvm::Twine &where);
  /// Returns the array as an attribute. Returns null, after an error at
  /// `where`, if the number of its elements does not match its shape.
  mlir::ElementsAttr elements(const Array &array, const llvm::Twine &where);

  /// Creates an op of the dialect with inferred result types, at a new
  /// location. Returns null after an error.
  mlir::Operation *create(llvm::StringRef op, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// Creates an op of the dialect with inferred result types at the location
  /// `loc`. Returns null after an error.
  mlir::Operation *create(mlir::Location loc, llvm::StringRef op,
                          mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes);
  /// Creates an op with the given result types. Returns null after an error.
  mlir::Operation *create(llvm::StringRef op, mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes,
                          mlir::TypeRange results);
  mlir::Value constant(mlir::ElementsAttr value);
  mlir::Value ints(llvm::ArrayRef<int64_t> values, bool isScalar = false,
                   bool is64Bits = false);
  mlir::Value boolean(bool value);
  mlir::Value string(llvm::StringRef value);
  mlir::Value strings(llvm::ArrayRef<std::string> values);

  /// Calls `make` while the insertion point of `builder` is the end of `block`.
  void within(mlir::Block *block, llvm::function_ref<void()> make);
  /// Adds an entry that the compiler itself needs, such as the one that
  /// initializes variables. `fill` adds the ops to the entry's block.
  void addEntry(llvm::StringRef name, mlir::host::Role role,
                llvm::function_ref<void(mlir::Block *)> fill,
                llvm::ArrayRef<llvm::StringRef> feeds = {},
                mlir::TypeRange feedTypes = {});
  /// Sets the role of the open entry: what the runtime runs it for, such as
  /// training or prediction. If the role is for one member or ensemble of
  /// AdaNet, `member` is its name. If entries of this role belong to another
  /// entry, such as the training step after which they run, the open entry is
  /// also linked to that entry (`linkEntry`).
  void setRole(mlir::host::Role role, llvm::StringRef member = {});
  bool finish();

private:
  void addSaver();
  void arrange();

  llvm::StringSet<> symbols;
  llvm::StringMap<unsigned> names;
  llvm::StringMap<unsigned> layers;
};

/// While an object of this class lives, errors that MLIR reports are recorded
/// as errors of the graph. The name in a diagnostic's location tells where the
/// error is.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(GraphImpl &data);

private:
  mlir::ScopedDiagnosticHandler handler;
};

inline mlir::Value unwrap(Tensor tensor) {
  return mlir::Value::getFromOpaquePointer(tensor.opaque());
}
inline Tensor wrap(GraphImpl &data, mlir::Value value) {
  return Tensor(&data, value.getAsOpaquePointer());
}
/// Returns the values of `tensors`, or std::nullopt if one of the tensors is
/// invalid because of an earlier error.
std::optional<llvm::SmallVector<mlir::Value>>
unwrap(llvm::ArrayRef<Tensor> tensors);

DType dtypeOf(mlir::Type element);
/// Returns the sizes of a tensor type of known rank, with the constant
/// `unknown` in place of dynamic sizes.
Shape shapeOf(mlir::RankedTensorType type);

mlir::DenseElementsAttr splat(mlir::RankedTensorType type, double value);

} // namespace ingot::graph

#endif // INGOT_COMPILER_BUILDER_GRAPHIMPL_H
