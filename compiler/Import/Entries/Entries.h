//===- Entries.h - The entries of a graph -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries that a MetaGraphDef declares by its savers, collections and
// signatures, and the entries that the options name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_ENTRIES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_ENTRIES_H

#include "compiler/Import/AdaNet/AdaNetEvaluation.h"
#include "compiler/Import/SavedModelVariables.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

namespace ingot::importer {

/// Describes an entry to import: the tensors that it is fed with, and what it
/// computes. An entry is a function of the program, such as the training step.
struct EntrySpec {
  struct FeedSpec {
    std::string name; // the user's name: "x:0"
    Output tensor;
    /// The type that the signature declares for the feed. Null if the feed has
    /// the type of its node.
    mlir::TensorType type;
  };
  struct FetchSpec {
    std::string name;
    Output tensor;
  };
  std::string name;
  mlir::ingot::Role role = mlir::ingot::Role::other;
  /// For a role that belongs to one member of an AdaNet ensemble, such as
  /// member_step: the name of the member.
  std::string member;
  /// The signature that declares the entry, or null if no signature does.
  const proto::SignatureDef *signature = nullptr;
  /// Whether the program's command `predict` runs this entry by default.
  bool isPrediction = false;
  std::vector<FeedSpec> feeds;
  std::vector<FetchSpec> fetches;
  /// Nodes that the entry runs in addition to those that its fetches need.
  std::vector<int> targets;
  /// Targets, and nodes of fetches, that were not named by the user in the
  /// options, such as summaries of the graph. Those that cannot be compiled are
  /// left out.
  std::vector<int> optional;
  /// Whether the entry was not named by the user in the options: for example a
  /// signature of the model, or a step whose train op was guessed
  /// (InferTrainOp.h). If such an entry cannot be compiled, it is left out,
  /// provided that the program has another entry to run.
  bool isOptional = false;
  /// For role init: the initial values of variables that come from a checkpoint
  /// instead of an initializer.
  std::vector<InitialVariableValue> initialValues;
  /// For role init: the contents of lookup tables that come from a checkpoint.
  std::vector<InitialTableContents> initialContents;
  /// For role partial_step, which trains only some members: the nodes that
  /// write variables only on request. Maps the name of such a node to the
  /// indices of bool feeds in `feeds`; the node writes only if at least one of
  /// these feeds is true. No node of the graph reads the feeds.
  llvm::StringMap<llvm::SmallVector<unsigned>> gates;
  /// For roles save and restore: the saver whose variables, iterators and
  /// tables the entry saves or restores.
  mlir::ingot::SaverOp saver;
};

/// The parts of an AdaNet training graph from which entries are made: the nodes
/// that AdaNet's hooks run, and the fetches of the evaluation that the importer
/// adds to the graph.
struct AdaNetEntryPointNodes {
  NodesRunByAdaNetHooks graph;
  AdaNetEvaluation evaluation;
};

/// Returns descriptions of all entries, except those of savers, in the order in
/// which the program will have them. `adanet` is null if the graph is not
/// AdaNet's. If an option or a collection of the graph names a node that does
/// not exist, adds a problem to `problems`.
std::vector<EntrySpec> findEntries(Program &program,
                                   const ImportOptions &options,
                                   const AdaNetEntryPointNodes *adanet,
                                   ImportErrors &problems);

/// Sets `isPrediction` of the entry that the command `predict` runs by default:
/// signature `serving_default`, otherwise an entry called `predict`. If there
/// is neither, `isPrediction` stays false for all entries, and the command runs
/// the first entry of role predict.
void choosePrediction(const ImportOptions &options,
                      std::vector<EntrySpec> &entries);

/// Returns the name of the graph's loss as "name:port": the first tensor in
/// collection `loss`, otherwise the last one in collection `losses`. Skips
/// results of summary ops. Returns "" if there is no such tensor.
std::string findLoss(const Program &program);

/// Returns the variable of the global step: the one in collection
/// `global_step`, otherwise the variable called `global_step`. Returns null if
/// the program uses no such variable. If the program has a step and only its
/// initialization assigns the variable, returns null with a warning, so that
/// the trainer counts the steps itself.
mlir::ingot::VariableOp findGlobalStep(Program &program);

/// Returns the tensors that the collections of the graph list. Hooks may read
/// them, so the step also fetches them, except those whose computation would
/// have additional side effects (addObservable).
std::vector<EntrySpec::FetchSpec> findObservable(const Program &program);

/// Imports the entry that `spec` describes and adds it at the end of the
/// module. Returns null, and records the reasons in `problems`, if it cannot be
/// imported.
mlir::ingot::EntryOp importEntry(Program &program, const EntrySpec &spec,
                                 ImportErrors &problems);

/// As a trial, imports the entry that `spec` describes, passes the entry's
/// block to `look`, and then erases the entry. Returns the number of problems,
/// so that callers can compare variants of `spec`.
size_t tryImport(Program &program, const EntrySpec &spec,
                 llvm::function_ref<void(mlir::Block &)> look);

/// Adds tensors of `candidates` to the fetches of `spec`, which must be an
/// entry that imports without problems. Leaves out tensors whose computation
/// would draw another element of an iterator, write another variable, or run an
/// unsupported op.
void addObservable(Program &program, EntrySpec &spec,
                   llvm::ArrayRef<EntrySpec::FetchSpec> candidates);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_ENTRIES_H
