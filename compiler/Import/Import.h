//===- Import.h - Imports TensorFlow graphs ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The public interface of the importer: reads a graph from a file, turns it
// into one program, and reports its contents.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_IMPORT_H
#define INGOT_COMPILER_IMPORT_IMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <vector>

#include "proto/MetaGraph.pb.h"

namespace ingot::importer {

struct ImportOptions {
  /// The name of the graph's file, which messages and the module's attribute
  /// `ingot.program` state.
  llvm::StringRef inputName;
  /// The nodes or tensors that one training step runs. If empty, those in the
  /// graph's collection `train_op`.
  std::vector<std::string> step;
  /// Nodes or tensors that run after each step: the entry `after_step`.
  std::vector<std::string> afterStep;
  /// An entry that the user adds with --entry to those that the graph declares.
  /// Feeds and fetches are tensor names ("x:0", or "x" for the first output); a
  /// fetch may also be a node without outputs.
  struct UserDefinedEntry {
    std::string name;
    std::vector<std::string> feeds, fetches;
  };
  std::vector<UserDefinedEntry> entries;
  /// The names of the entries to compile, from flag --only. Entries that
  /// sessions run themselves, such as init, are compiled in any case. If empty,
  /// all entries are compiled.
  std::vector<std::string> only;
  /// The names of entries to leave out.
  std::vector<std::string> without;
  /// The shape of a tensor that is fed, from --shape: -1 for a dimension of any
  /// size.
  struct FeedShape {
    std::string tensor;
    std::vector<int64_t> dims;
  };
  std::vector<FeedShape> shapes;
  /// Additional fetches of the step, besides those that the graph's collections
  /// name.
  std::vector<std::string> observe;
  /// The prefix of a checkpoint whose values replace the initializers of
  /// variables and become part of the program; empty if initializers are not
  /// replaced.
  std::string checkpoint;
  /// The saver that sessions use: its scope, or its SaverDef's
  /// save_tensor_name. If empty, the saver is the graph's SaverDef, or the only
  /// saver in collection `savers`.
  std::string saver;
  /// Whether to suppress the warning that a saver of the V1 checkpoint format
  /// becomes one of format V2.
  bool upgradeSavers = false;
  /// The name scope into which the graph is imported, like the argument
  /// import_scope of tf.train.import_meta_graph; "" for no scope. Names in
  /// other options must include the scope.
  std::string importScope;
  /// Tensors that entries do not compute, but are fed with, although nodes of
  /// the graph compute them.
  std::vector<std::string> feeds;
  /// For each node to which the string handle of an iterator is fed, names the
  /// iterator, as "NODE=ITERATOR" (see connectFeedableIterators()).
  std::vector<std::string> iterators;
};

/// Describes the contents of a graph, and everything in the graph that cannot
/// be compiled. `ingotc --check` prints this report.
struct ImportReport {
  /// A tensor's name, and its type in the form of messages: "float32 [64, ?]".
  struct ImportReportTensor {
    std::string name, type;
  };
  struct ImportReportEntry {
    std::string name, role;
    std::vector<ImportReportTensor> feeds, fetches;
  };
  struct ImportReportVariable {
    std::string name, type, device;
    bool trainable = false, local = false;
  };
  struct ImportReportIteratorInfo {
    std::string name;
    std::vector<std::string> components;
  };
  struct ImportReportSaverInfo {
    std::string name, filename;
    size_t numItems = 0;
    unsigned numShards = 1;
    bool sharded = false;
    int maxToKeep = 0;
  };
  /// Nodes of one op that cannot be compiled for the same reason.
  struct UnsupportedNodeGroup {
    std::string op, reason;
    std::vector<std::string> nodes;
    /// For each of `nodes`, the line of the user's Python program that created
    /// it, such as "train.py:12", or "" if the graph does not state it.
    std::vector<std::string> places;
    /// The names of the entries and iterators that depend on `nodes`.
    std::vector<std::string> neededBy;
  };

  std::vector<ImportReportEntry> entries;
  std::vector<ImportReportVariable> variables;
  std::vector<ImportReportIteratorInfo> iterators;
  std::vector<ImportReportSaverInfo> savers;
  std::vector<UnsupportedNodeGroup> unsupported;
  /// Messages about malformed parts of the graph. Each names the node.
  std::vector<std::string> malformed;
  /// Messages about names in the options that the graph does not have.
  std::vector<std::string> unknownNames;

  bool ok() const {
    return unsupported.empty() && malformed.empty() && unknownNames.empty();
  }
  /// Returns the exit status of `ingotc --check`: 0, or 2 if the options name
  /// something unknown, or 3 if the graph cannot be compiled.
  int exitCode() const;
  /// Prints the output of `ingotc --check`, with all node names.
  void print(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;
};

/// Writes the documentation page of ops in Markdown: the supported ops, and ops
/// that are known not to be supported, with the reasons.
void printOps(llvm::raw_ostream &os);

using EmitErrorFn = llvm::function_ref<void(const llvm::Twine &)>;

/// The contents of an input file or folder: a graph, or a program in MLIR.
struct GraphFile {
  enum Kind { GraphDef, MetaGraph, SavedModel, MLIR };
  Kind kind = MetaGraph;
  /// The graph. A bare GraphDef is wrapped in a MetaGraphDef. Empty if the file
  /// is MLIR.
  proto::MetaGraphDef graph;
  /// The text of the file if it is MLIR, otherwise empty.
  std::string text;
  /// For a SavedModel: the prefix of the checkpoint with its variables; empty
  /// if it has none.
  std::string checkpoint;
  /// SHA-256 of the file that holds the graph, in hex.
  std::string hash;
};

/// Reads a MetaGraphDef (.meta), a GraphDef (.pb) or a SavedModel (its folder
/// or saved_model.pb), each binary or as text, or MLIR. The format is
/// determined from the contents, not from the file's name. From a SavedModel,
/// reads the graph that has exactly the tags in `tagSet` ("serve,gpu", in any
/// order). If `tagSet` is empty, reads the graph tagged `train`, or the first
/// graph if no graph has this tag. Calls `emitError` once and returns failure
/// if the file cannot be read, is damaged (the message states the byte offset),
/// has none of these formats, or has no graph with these tags.
mlir::FailureOr<GraphFile> readGraph(llvm::StringRef path,
                                     EmitErrorFn emitError,
                                     llvm::StringRef tagSet = "");

/// Parses `bytes`, the content of a file, like `readGraph`. Messages call the
/// file `name`.
mlir::FailureOr<GraphFile> parseGraph(llvm::StringRef name,
                                      llvm::StringRef bytes,
                                      EmitErrorFn emitError,
                                      llvm::StringRef tagSet = "");

/// Returns the names of the placeholders that the tensor `tensor` ("x" or
/// "x:0") depends on: an entry that fetches this tensor needs them as feeds.
/// Returns std::nullopt if the graph has no such tensor.
std::optional<std::vector<std::string>>
placeholdersOf(const proto::MetaGraphDef &graph, llvm::StringRef tensor);

/// Adds to a bare GraphDef the collections and the SaverDef that a MetaGraphDef
/// would have. Derives them from TensorFlow's naming conventions: node `init`
/// is the init op, `NAME/Assign` is the initializer of variable NAME, and scope
/// `save` contains the saver.
void addConventions(proto::MetaGraphDef &graph);

/// In an old graph, marks the rank of a placeholder as unknown if its shape has
/// no dimensions. Up to version 23 of GraphDef (TensorFlow 1.2), graphs could
/// state an unknown rank only in this way.
void declareUnknownShapes(proto::MetaGraphDef &graph);

/// Imports `graph` as a module, and loads the dialects that it needs into
/// `context`. If parts of the graph cannot be compiled, emits diagnostics for
/// all of them and returns null. `report`, if not null, is filled on success
/// and on failure.
mlir::OwningOpRef<mlir::ModuleOp>
importMetaGraph(const proto::MetaGraphDef &graph, mlir::MLIRContext &context,
                const ImportOptions &options, ImportReport *report = nullptr);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMPORT_H
