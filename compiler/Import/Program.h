//===- Program.h - The module under construction ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The common state of entries: variables, iterators and functions become
// symbols of the module when the first node needs them.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_PROGRAM_H
#define INGOT_COMPILER_IMPORT_PROGRAM_H

#include "compiler/Import/Graph.h"
#include "compiler/Import/OpTable.h"
#include "dialects/Ingot/IngotDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace mlir::ingot {
class EntryOp;
class IteratorOp;
class VariableOp;
} // namespace mlir::ingot

namespace ingot::importer {

struct Argument;

class Program {
public:
  Program(mlir::ModuleOp module, const proto::MetaGraphDef &source,
          const Graph &graph);

  mlir::ModuleOp module;
  const proto::MetaGraphDef &source;
  const Graph &graph;
  /// ImportOptions::upgradeSavers.
  bool upgradeSavers = false;

  mlir::MLIRContext *context() const { return mlirContext; }

  /// The context of the nodes that are imported. An initializer runs once; a
  /// function belongs to a dataset.
  enum class Place { Entry, Initializer, Pipeline, Function };
  Place place = Place::Entry;

  /// The variable of a VarHandleOp. Null, with a problem, if it cannot be one.
  /// Handles of one shared name are one variable.
  mlir::ingot::VariableOp variable(const Handle &handle, Problems &problems);
  mlir::ingot::VariableOp variable(int node, Problems &problems);

  /// The variable of a handle from an earlier request, or null.
  mlir::ingot::VariableOp findVariable(int node) const;

  /// The iterator of an IteratorV2, with its pipeline. Likewise.
  mlir::ingot::IteratorOp iterator(const Handle &handle, Problems &problems);
  mlir::ingot::IteratorOp iterator(int node, Problems &problems);
  /// The symbol of the iterator over `dataset`, one of those that it is
  /// initialized with.
  mlir::StringAttr iteratorOver(mlir::ingot::IteratorOp iterator,
                                Output dataset) const;

  bool hasFunction(llvm::StringRef name) const {
    return definitions.contains(name);
  }
  /// A node's side effect: according to its op's row, or to the bodies of the
  /// functions that it calls.
  Effect effectOf(const Graph &graph, int node);
  Effect effectOf(const proto::NameAttrList &function);

  /// The body of a function; null if it does not exist.
  const Graph *body(const proto::NameAttrList &function) {
    Problems ignored;
    const Function *found = findFunction(function, ignored);
    return found ? &found->graph : nullptr;
  }
  /// The body that a node calls; null if it is not a call, or the function does
  /// not exist.
  const Graph *calledBody(const Graph &graph, int node);

  /// Imports the body of a function at the end of `block`, with the given
  /// `arguments`: for a call, or as the body of a branch or loop. Resource
  /// arguments are those of the caller. False, with the problems recorded at
  /// the body's nodes, on failure.
  bool importCall(const proto::NameAttrList &function, mlir::Block &block,
                  llvm::ArrayRef<Argument> arguments,
                  llvm::SmallVectorImpl<Argument> &results, Problems &problems);
  /// The numbers of a function's arguments and results; nothing, with a
  /// problem, if it does not exist.
  std::optional<std::pair<int, int>>
  signatureOf(const proto::NameAttrList &function, Problems &problems);

  /// For each result of a function, the argument that it is, or -1; nothing,
  /// with a problem, if the function does not exist.
  std::optional<llvm::SmallVector<int>>
  argumentsReturned(const proto::NameAttrList &function, Problems &problems);

  /// The function that a dataset op maps over elements of these types, named as
  /// in the graph's library. Null after a problem in it.
  mlir::func::FuncOp function(llvm::StringRef name,
                              llvm::ArrayRef<mlir::Type> arguments,
                              Problems &problems);
  /// Imports the body of a function that makes a dataset into `block`, whose
  /// arguments are the function's. Null after a problem.
  mlir::Value inlineFunction(llvm::StringRef name, mlir::Block &block,
                             Problems &problems);

  /// An unused symbol: `name`, or `name` with the first free number.
  mlir::StringAttr uniqueSymbol(llvm::StringRef name);

  /// Erases an entry from the module; its name is free again.
  void remove(mlir::ingot::EntryOp entry);

  /// Sorts the module's ops: variables and iterators as in the graph,
  /// functions, savers, entries.
  void arrange();

private:
  mlir::MLIRContext *mlirContext;
  /// A function of the graph's library, indexed.
  struct Function {
    std::string name;
    Graph graph;
    /// With attributes substituted: the specialized definition.
    std::unique_ptr<proto::FunctionDef> instance;
    std::optional<Effect> effect;
    /// Errors of the names in it.
    Problems malformed;
  };
  /// Null if it does not exist. Errors of its names are kept.
  Function *findFunction(const proto::NameAttrList &function,
                         Problems &problems);
  std::optional<int> findPort(const proto::NodeDef &node,
                              llvm::StringRef argument) const;
  bool givesOptionals(int node) const;
  bool joinIterators(llvm::ArrayRef<mlir::ingot::IteratorOp> made,
                     llvm::ArrayRef<Output> datasets, Problems &problems);
  mlir::ingot::IteratorOp
  createIterator(int node, std::optional<Output> dataset, Problems &problems);
  bool fillIterator(mlir::ingot::IteratorOp op, int node,
                    std::optional<Output> dataset, Problems &problems);
  bool importTensorFunction(llvm::StringRef name, mlir::Block &block,
                            llvm::SmallVectorImpl<mlir::Value> &results,
                            Problems &problems);

  llvm::StringSet<> symbols;
  llvm::DenseMap<std::pair<const Graph *, int>, mlir::ingot::VariableOp>
      variables;
  llvm::StringMap<mlir::ingot::VariableOp> variableByName;
  /// Null for those that had problems.
  llvm::DenseMap<int, mlir::ingot::IteratorOp> iterators;
  /// The symbols of iterators that several datasets initialize.
  llvm::DenseMap<std::pair<mlir::StringAttr, Output>, mlir::StringAttr> choices;
  llvm::StringMap<const proto::FunctionDef *> definitions;
  /// Functions by name and substituted attributes.
  llvm::StringMap<std::unique_ptr<Function>> library;
  size_t nodesInCalls = 0;
  unsigned effectDepth = 0;
  // By name and the type of the function's arguments.
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::Type>, mlir::func::FuncOp>
      functions;
  llvm::DenseSet<const Function *> open; // functions being imported
  llvm::DenseSet<int> trainable, local;  // handles in those collections
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_PROGRAM_H
