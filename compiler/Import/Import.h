//===- Import.h - From TensorFlow's graphs to an ingot module ---*- C++ -*-===//
//
// The public face of the importer: reads a graph from a file, turns it into
// one program, and says what it found in it.
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
  /// For messages, and the module's attribute `ingot.source`.
  llvm::StringRef inputName;
  /// Nodes or tensors that one training step runs; where empty, those of the
  /// collection `train_op`.
  std::vector<std::string> step;
  /// Nodes or tensors that run after each step: the entry `after_step`.
  std::vector<std::string> afterStep;
  /// A further entry. Feeds and fetches are tensor names ("x:0", or "x" for
  /// the first output); a fetch may also be a node that has no outputs.
  struct Entry {
    std::string name;
    std::vector<std::string> feeds, fetches;
  };
  std::vector<Entry> entries;
  /// Tensors that become fetches of the step besides those that the graph's
  /// collections name.
  std::vector<std::string> observe;
  /// The checkpoint from which variables take their initial values, instead of
  /// their initializers; empty where there is none. Its values become part of
  /// the program.
  std::string checkpoint;
  /// The saver that a session saves and restores with, by its scope or its
  /// SaverDef's save_tensor_name; empty: the graph's SaverDef, or the only one
  /// of collection `savers`.
  std::string saver;
  /// Savers that write the V1 format write V2, instead of being refused.
  bool upgradeSavers = false;
};

/// What a graph holds, and everything in it that cannot be compiled.
struct Report {
  /// A tensor and its type as messages have it: "float32 [64, ?]".
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
  /// Nodes of one op that cannot be compiled for one reason.
  struct Unsupported {
    std::string op, reason;
    std::vector<std::string> nodes;
    /// Where each node was made, "train.py:12"; empty where the graph does not
    /// say.
    std::vector<std::string> places;
    /// The entries and iterators that need them.
    std::vector<std::string> neededBy;
  };

  std::vector<Entry> entries;
  std::vector<Variable> variables;
  std::vector<Iterator> iterators;
  std::vector<Saver> savers;
  std::vector<Unsupported> unsupported;
  /// What is wrong with the graph itself, each a message naming its node.
  std::vector<std::string> malformed;
  /// Names in the options that the graph does not have.
  std::vector<std::string> unknownNames;

  bool ok() const {
    return unsupported.empty() && malformed.empty() && unknownNames.empty();
  }
  /// The command's exit status: 0; 2 for names that the graph does not have; 3
  /// for a graph that cannot be compiled.
  int exitCode() const;
  /// What `ingotc --check` prints; with all node names.
  void print(llvm::raw_ostream &os) const;
  void printJson(llvm::raw_ostream &os) const;
};

/// Writes the table of ops as a page in Markdown: what is supported, and what
/// is refused by name and why.
void printOps(llvm::raw_ostream &os);

using EmitErrorFn = llvm::function_ref<void(const llvm::Twine &)>;

/// What an input file or folder turned out to be.
struct GraphFile {
  enum Kind { GraphDef, MetaGraph, SavedModel, MLIR };
  Kind kind = MetaGraph;
  /// The graph; of a GraphDef a MetaGraphDef that holds nothing else. Of MLIR
  /// empty.
  proto::MetaGraphDef graph;
  /// The text of MLIR.
  std::string text;
  /// Of a SavedModel: the prefix of the checkpoint that its variables start
  /// from; empty where it has none.
  std::string checkpoint;
  /// SHA-256 of the file that holds the graph, in hex.
  std::string hash;
};

/// Reads a MetaGraphDef (.meta), a GraphDef (.pb), a SavedModel (its folder or
/// saved_model.pb), each binary or as text, or MLIR, told apart by content. Of
/// a SavedModel the graph with the tags of `tagSet` is taken ("serve,gpu", in
/// any order, and no others); where that is empty, the one tagged `train`, else
/// the first. Calls `emitError` once and fails where the file cannot be read,
/// is damaged (saying at which byte of how many), holds nothing of these, or no
/// graph with these tags.
mlir::FailureOr<GraphFile> readGraph(llvm::StringRef path,
                                     EmitErrorFn emitError,
                                     llvm::StringRef tagSet = "");

/// The same for a file's content; `name` stands in messages.
mlir::FailureOr<GraphFile> parseGraph(llvm::StringRef name,
                                      llvm::StringRef bytes,
                                      EmitErrorFn emitError,
                                      llvm::StringRef tagSet = "");

/// The placeholders that a tensor of the graph ("x" or "x:0") depends on, as
/// names of feeds; nothing where the graph has no such tensor.
std::optional<std::vector<std::string>>
placeholdersOf(const proto::MetaGraphDef &graph, llvm::StringRef tensor);

/// Completes what is only a GraphDef by TensorFlow's naming conventions: node
/// `init`, initializers `NAME/Assign` of variables, the saver's nodes in scope
/// `save`.
void addConventions(proto::MetaGraphDef &graph);

/// The program that `graph` describes. Loads the dialects it needs into
/// `context`. Everything that cannot be compiled is emitted as diagnostics, at
/// once; then the result is null. `report`, where given, is filled either way.
mlir::OwningOpRef<mlir::ModuleOp>
importMetaGraph(const proto::MetaGraphDef &graph, mlir::MLIRContext &context,
                const ImportOptions &options, Report *report = nullptr);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_IMPORT_H
