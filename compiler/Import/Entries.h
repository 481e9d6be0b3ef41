//===- Entries.h - The entries of a graph -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries that a MetaGraphDef declares by its savers, collections and
// signatures, and the entries that the options name.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_H

#include "compiler/Import/AdaNetEvaluation.h"
#include "compiler/Import/InitialValues.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// The name, role, feeds, fetches and targets of an entry that is to be
/// imported.
struct EntrySpec {
  struct Feed {
    std::string name; // the user's name: "x:0"
    Output tensor;
    /// The type that a signature declares; null if the feed's node states the
    /// type.
    mlir::TensorType type;
  };
  struct Fetch {
    std::string name;
    Output tensor;
  };
  std::string name;
  mlir::ingot::Role role = mlir::ingot::Role::other;
  /// If the role is for members: the member.
  std::string member;
  /// The signature that it is made of; null: it is none of the user's.
  const proto::SignatureDef *signature = nullptr;
  /// The verb predict runs it unless users name another.
  bool isPrediction = false;
  std::vector<Feed> feeds;
  std::vector<Fetch> fetches;
  /// Nodes that the entry runs in addition to those that its fetches need.
  std::vector<int> targets;
  /// For role init: the initial values of variables.
  std::vector<InitialValue> initialValues;
  /// Maps the name of a node that writes variables to indices of bool feeds,
  /// one of which must be true for the node to write. Such a feed is not a
  /// tensor of the graph.
  llvm::StringMap<llvm::SmallVector<unsigned>> gates;
  /// For roles save and restore: the saver.
  mlir::ingot::SaverOp saver;
};

/// For a graph of AdaNet: the nodes that AdaNet's hooks run, and the fetches of
/// the evaluation.
struct AdaNetEntries {
  AdaNetGraph graph;
  AdaNetEvaluation evaluation;
};

/// Returns all entries except those of savers, in the program's order. `adanet`
/// is null if AdaNet did not make the graph. Unknown names in the options or in
/// the graph's collections are recorded as problems.
std::vector<EntrySpec> findEntries(Program &program,
                                   const ImportOptions &options,
                                   const AdaNetEntries *adanet,
                                   Problems &problems);

/// Marks the entry that the verb predict runs, if it is not just the first that
/// predicts.
void choosePrediction(const ImportOptions &options,
                      std::vector<EntrySpec> &entries);

/// The default loss: collection `loss`, else the last of `losses`; empty if the
/// graph has neither. Normalized to "name:port".
std::string findLoss(const Program &program);

/// Returns the variable of the global step: the one in collection
/// `global_step`, else the variable of that name; null if there is none.
mlir::ingot::VariableOp findGlobalStep(Program &program);

/// Returns the tensors that the graph's collections name, which hooks may want
/// to fetch in a step.
std::vector<EntrySpec::Fetch> findObservable(const Program &program);

/// Imports one entry at the end of the module. Returns null if it has problems.
mlir::ingot::EntryOp importEntry(Program &program, const EntrySpec &spec,
                                 Problems &problems);

/// Adds fetches to `spec`, an entry that imports without problems: those
/// `candidates` that need no further element of an iterator, no further write
/// and no unsupported op.
void addObservable(Program &program, EntrySpec &spec,
                   llvm::ArrayRef<EntrySpec::Fetch> candidates);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_H
