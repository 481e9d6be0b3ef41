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
  /// The name of the graph's file, for messages and for the module's attribute
  /// `ingot.source`.
  llvm::StringRef inputName;
  /// Nodes or tensors that one training step runs; if empty, those of the
  /// collection `train_op`.
  std::vector<std::string> step;
  /// Nodes or tensors that run after each step: the entry `after_step`.
  std::vector<std::string> afterStep;
  /// An entry besides those that the graph declares. Feeds and fetches are
  /// tensor names ("x:0", or "x" for the first output); a fetch may also be a
  /// node without outputs.
  struct Entry {
    std::string name;
    std::vector<std::string> feeds, fetches;
  };
  std::vector<Entry> entries;
  /// Additional fetches of the step, besides those that the graph's collections
  /// name.
  std::vector<std::string> observe;
  /// The checkpoint from which variables take their initial values, in place of
  /// their initializers; empty for none. Its values become part of the program.
  std::string checkpoint;
  /// The saver of the session, by its scope or its SaverDef's save_tensor_name.
  /// If empty, it is the graph's SaverDef, or the only saver in collection
  /// `savers`.
  std::string saver;
  /// Whether savers of the V1 checkpoint format are imported as savers of V2,
  /// instead of being rejected.
  bool upgradeSavers = false;
};

/// The contents of a graph, and everything in it that cannot be compiled.
struct Report {
  /// The name of a tensor, and its type as messages show it: "float32 [64, ?]".
  struct Tensor {
    std::string name, type;
  };
  struct Entry {
    std::string name, role;
    std::vector<Tensor> feeds, fetches;
  };
  struct Variable {
    std::string name, type, device;
    bool trainable = false, local = false;
  };
  struct Iterator {
    std::string name;
    std::vector<std::string> components;
  };
  struct Saver {
    std::string name, filename;
    size_t numItems = 0;
    unsigned numShards = 1;
    bool sharded = false;
    int maxToKeep = 0;
  };
  /// The nodes of one op that cannot be compiled for the same reason.
  struct Unsupported {
    std::string op, reason;
    std::vector<std::string> nodes;
    /// For each node, the line of the user's program that created it,
    /// "train.py:12"; "" if the graph does not state it.
    std::vector<std::string> places;
    /// The entries and iterators that need these nodes.
    std::vector<std::string> neededBy;
  };

  std::vector<Entry> entries;
  std::vector<Variable> variables;
  std::vector<Iterator> iterators;
  std::vector<Saver> savers;
  std::vector<Unsupported> unsupported;
  /// Errors of the graph itself, each a message that names its node.
  std::vector<std::string> malformed;
  /// Unknown names in the options.
  std::vector<std::string> unknownNames;

  bool ok() const {
    return unsupported.empty() && malformed.empty() && unknownNames.empty();
  }
  /// Returns the command's exit status: 0, or 2 for unknown names, or 3 for a
  /// graph that cannot be compiled.
  int exitCode() const;
  /// Prints the output of `ingotc --check`, with all node names.
  void print(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;
};

/// Writes the table of ops as a Markdown page: supported ops, and ops that are
/// rejected by name with reasons.
void printOps(llvm::raw_ostream &os);

using EmitErrorFn = llvm::function_ref<void(const llvm::Twine &)>;

/// The graph, or the MLIR program, that an input file or folder contains.
struct GraphFile {
  enum Kind { GraphDef, MetaGraph, SavedModel, MLIR };
  Kind kind = MetaGraph;
  /// The graph; a GraphDef becomes a MetaGraphDef. Empty for MLIR.
  proto::MetaGraphDef graph;
  /// The file as text if it is MLIR, else empty.
  std::string text;
  /// For a SavedModel: the prefix of the checkpoint with its variables; empty
  /// if it has none.
  std::string checkpoint;
  /// SHA-256 of the file that holds the graph, in hex.
  std::string hash;
};

/// Reads a MetaGraphDef (.meta), a GraphDef (.pb) or a SavedModel (its folder
/// or saved_model.pb), each binary or as text, or MLIR. The format is
/// recognized by content. From a SavedModel it reads the graph with exactly the
/// tags in `tagSet` ("serve,gpu", in any order); if `tagSet` is empty, the
/// graph tagged `train`, else the first one. Calls `emitError` once and fails
/// if the file cannot be read, is damaged (the message states the byte offset),
/// has none of these formats, or has no graph with these tags.
mlir::FailureOr<GraphFile> readGraph(llvm::StringRef path,
                                     EmitErrorFn emitError,
                                     llvm::StringRef tagSet = "");

/// Parses the content of a file like `readGraph`; `name` is the file's name in
/// messages.
mlir::FailureOr<GraphFile> parseGraph(llvm::StringRef name,
                                      llvm::StringRef bytes,
                                      EmitErrorFn emitError,
                                      llvm::StringRef tagSet = "");

/// Returns the placeholders that a tensor of the graph ("x" or "x:0") depends
/// on, as names of feeds; std::nullopt if the graph has no such tensor.
std::optional<std::vector<std::string>>
placeholdersOf(const proto::MetaGraphDef &graph, llvm::StringRef tensor);

/// Completes a bare GraphDef by TensorFlow's naming conventions: node `init`,
/// initializers `NAME/Assign` of variables, the saver's nodes in scope `save`.
void addConventions(proto::MetaGraphDef &graph);

/// Imports the program that `graph` describes, and loads the dialects that it
/// needs into `context`. If something cannot be compiled, emits diagnostics for
/// all of it and returns null. `report`, if not null, is filled in both cases.
mlir::OwningOpRef<mlir::ModuleOp>
importMetaGraph(const proto::MetaGraphDef &graph, mlir::MLIRContext &context,
                const ImportOptions &options, Report *report = nullptr);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMPORT_H
