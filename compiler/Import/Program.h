//===- Program.h - The module under construction ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The state that all entries of a program share. Variables, iterators and
// functions become symbols of the module when the first node that needs them is
// imported.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_PROGRAM_H
#define INGOT_COMPILER_IMPORT_PROGRAM_H

#include "compiler/Import/Graph/Graph.h"
#include "compiler/Import/Input/QueueImport.h"
#include "compiler/Import/Input/UpdatingRunners.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace mlir::ingot {
class EntryOp;
class IteratorOp;
class TableOp;
class VariableOp;
} // namespace mlir::ingot

namespace ingot::importer {

struct ImportedNodeOutput;

/// A program under construction, as a module in the ingot dialect.
class Program {
public:
  Program(mlir::ModuleOp module, const proto::MetaGraphDef &source,
          const Graph &graph);

  mlir::ModuleOp module;
  const proto::MetaGraphDef &source;
  const Graph &graph;
  /// Whether to suppress the warning about savers of the V1 checkpoint format.
  /// Set if ImportOptions::upgradeSavers is set, and after the first warning.
  bool upgradeSavers = false;

  mlir::MLIRContext *context() const { return mlirContext; }

  /// Where the nodes that are being imported run: in an entry, in an
  /// initializer, which runs once, in the pipeline of an iterator, or in a
  /// function of a dataset.
  enum class ExecutionPlace { Entry, Initializer, Pipeline, Function };
  ExecutionPlace place = ExecutionPlace::Entry;

  /// Returns the variable that a VarHandleOp or a reference variable node
  /// creates, and adds it to the module on first use. Handles with the same
  /// shared name are one variable. Returns null, with a recorded problem, if
  /// the variable cannot be compiled.
  mlir::ingot::VariableOp variable(const ResourceHandle &handle,
                                   ImportErrors &problems);
  mlir::ingot::VariableOp variable(int node, ImportErrors &problems);

  /// Returns the variable of node `node` if `variable` has added it to the
  /// module, otherwise null.
  mlir::ingot::VariableOp findVariable(int node) const;

  /// Returns the lookup table that a HashTableV2 or a similar node creates, and
  /// adds it to the module on first use. A table is identified by its
  /// shared_name or, without one, by the name of the node. Returns null, with a
  /// recorded problem, if the table cannot be compiled.
  mlir::ingot::TableOp table(const ResourceHandle &handle,
                             ImportErrors &problems);

  /// Returns the iterator that an IteratorV2 or a similar node creates, and
  /// adds it to the module, with its pipeline, on first use. Returns null, with
  /// a recorded problem, if it cannot be compiled.
  mlir::ingot::IteratorOp iterator(const ResourceHandle &handle,
                                   ImportErrors &problems);
  mlir::ingot::IteratorOp iterator(int node, ImportErrors &problems);
  /// Returns the symbol of the iterator op that draws from `dataset`. There is
  /// more than one iterator op for `iterator` if MakeIterator nodes initialize
  /// it with different datasets: then each dataset has its own.
  mlir::StringAttr iteratorOver(mlir::ingot::IteratorOp iterator,
                                Output dataset) const;

  bool hasFunction(llvm::StringRef name) const {
    return definitions.contains(name);
  }
  /// Returns the side effect of a node: the effect that the op table states or,
  /// for a call, the effect of the functions that it calls.
  Effect effectOf(const Graph &graph, int node);
  Effect effectOf(const proto::NameAttrList &function);

  /// Returns the body of a function; null if it does not exist.
  const Graph *body(const proto::NameAttrList &function) {
    ImportErrors ignored;
    const LibraryFunction *found = findFunction(function, ignored);
    return found ? &found->graph : nullptr;
  }
  /// Returns the body of the function that node `node` of `graph` calls.
  /// Returns null if the node is not a call, or the function does not exist.
  const Graph *calledBody(const Graph &graph, int node);

  /// Imports the body of a function at the end of `block`, with the given
  /// `arguments`: for a call, or as the body of a branch or loop. An argument
  /// that is a resource refers to the node of the caller that creates the
  /// resource. Returns false, with the problems recorded at the body's nodes,
  /// on failure.
  bool importCall(const proto::NameAttrList &function, mlir::Block &block,
                  llvm::ArrayRef<ImportedNodeOutput> arguments,
                  llvm::SmallVectorImpl<ImportedNodeOutput> &results,
                  ImportErrors &problems);
  /// Returns the numbers of arguments and results of a function. If it does not
  /// exist, records a problem and returns std::nullopt.
  std::optional<std::pair<int, int>>
  signatureOf(const proto::NameAttrList &function, ImportErrors &problems);

  /// Returns, for each result of a function, the index of the argument that the
  /// function returns unchanged as this result, or -1. Returns std::nullopt,
  /// with a recorded problem, if the function does not exist.
  std::optional<llvm::SmallVector<int>>
  argumentsReturned(const proto::NameAttrList &function,
                    ImportErrors &problems);

  /// Returns the function op for library function `name`, which a dataset op
  /// applies to elements with components of the types `arguments`. Compiles the
  /// function on first use. Returns null after a problem in the function.
  mlir::func::FuncOp function(llvm::StringRef name,
                              llvm::ArrayRef<mlir::Type> arguments,
                              ImportErrors &problems);
  /// Imports the body of library function `name`, which returns a dataset, into
  /// `block`. The arguments of `block` are passed to the function. Returns the
  /// dataset, or null after a problem.
  mlir::Value inlineFunction(llvm::StringRef name, mlir::Block &block,
                             ImportErrors &problems);

  /// Returns a symbol that is not in use: `name`, or `name` with a numeric
  /// suffix.
  mlir::StringAttr uniqueSymbol(llvm::StringRef name);

  /// Erases an entry from the module, so that its symbol can be used again.
  void remove(mlir::ingot::EntryOp entry);

  /// Sorts the module's ops: variables and iterators in the order of their
  /// nodes in the graph, then functions, savers and entries.
  void arrange();

private:
  mlir::MLIRContext *mlirContext;
  /// A function of the graph's library. `graph` indexes the nodes of its body.
  struct LibraryFunction {
    std::string name;
    Graph graph;
    /// For a function with attribute placeholders: a copy of its definition in
    /// which the attributes of the call replace them. Otherwise null.
    std::unique_ptr<proto::FunctionDef> instance;
    std::optional<Effect> effect;
    /// Errors in the names of the body's nodes and inputs.
    ImportErrors malformed;
  };
  /// Returns a function of the library, indexed on first use; null, with a
  /// recorded problem, if it does not exist. Errors in the names of its nodes
  /// and inputs are kept in `LibraryFunction::malformed`.
  LibraryFunction *findFunction(const proto::NameAttrList &function,
                                ImportErrors &problems);
  std::optional<int> findPort(const proto::NodeDef &node,
                              llvm::StringRef argument) const;
  bool givesOptionals(int node) const;
  bool joinIterators(llvm::ArrayRef<mlir::ingot::IteratorOp> made,
                     llvm::ArrayRef<Output> datasets, ImportErrors &problems);
  mlir::ingot::IteratorOp createIterator(int node,
                                         std::optional<Output> dataset,
                                         ImportErrors &problems);
  bool fillIterator(mlir::ingot::IteratorOp op, int node,
                    std::optional<Output> dataset, ImportErrors &problems);
  bool importTensorFunction(llvm::StringRef name, mlir::Block &block,
                            llvm::SmallVectorImpl<mlir::Value> &results,
                            ImportErrors &problems);

  llvm::StringSet<> symbols;
  llvm::DenseMap<std::pair<const Graph *, int>, mlir::ingot::VariableOp>
      variables;
  llvm::StringMap<mlir::ingot::VariableOp> variableByName;
  /// Maps the name of each lookup table to its op; null if the table cannot be
  /// compiled.
  llvm::StringMap<mlir::ingot::TableOp> tables;
  /// Maps the node that creates an iterator to the iterator op; to null if the
  /// iterator cannot be compiled.
  llvm::DenseMap<int, mlir::ingot::IteratorOp> iterators;
  /// If several datasets initialize one iterator: maps the iterator's symbol
  /// and a dataset to the symbol of the iterator op over that dataset.
  llvm::DenseMap<std::pair<mlir::StringAttr, Output>, mlir::StringAttr> choices;
  llvm::StringMap<const proto::FunctionDef *> definitions;
  /// The indexed functions of the library. A key is the function's name and, if
  /// the function has attribute placeholders, the attributes of the call.
  llvm::StringMap<std::unique_ptr<LibraryFunction>> library;
  size_t nodesInCalls = 0;
  unsigned effectDepth = 0;
  // The compiled functions of datasets, keyed by name and argument types.
  llvm::DenseMap<std::pair<mlir::StringAttr, mlir::Type>, mlir::func::FuncOp>
      functions;
  llvm::DenseSet<const LibraryFunction *> open; // functions being imported
  llvm::DenseSet<int> trainable, local;         // nodes of variables

public:
  /// The queues of the graph that are part of the program.
  ImportedQueues queues;
  /// The queue runners that update variables, which the steps run.
  UpdatingRunners updatingRunners;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_PROGRAM_H
