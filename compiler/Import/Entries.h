//===- Entries.h - The entries of a graph -----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Finds the entries that a MetaGraphDef declares, by its savers, collections
// and signatures, and those of the options.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_H

#include "compiler/Import/AdaNetEvaluation.h"
#include "compiler/Import/InitialValues.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/VariableOps.h"

namespace ingot::importer {

/// An entry before it is imported.
struct EntrySpec {
  struct Feed {
    std::string name; // the user's name: "x:0"
    Output tensor;
    /// Its type if it is declared (by signatures); else null, and the node has
    /// it.
    mlir::TensorType type;
  };
  struct Fetch {
    std::string name;
    Output tensor;
  };
  std::string name;
  mlir::ingot::Role role = mlir::ingot::Role::other;
  /// It runs after each step, before anything else reads the state.
  bool isAfterStep = false;
  std::vector<Feed> feeds;
  std::vector<Fetch> fetches;
  /// Nodes that run besides those that the fetches need.
  std::vector<int> targets;
  /// Of role init: initial values of variables.
  std::vector<InitialValue> initialValues;
  /// By the names of nodes that write variables: boolean feeds, one of which
  /// must be true for the node to write. Such a feed has no tensor.
  llvm::StringMap<llvm::SmallVector<unsigned>> gates;
  /// Of roles save and restore: the saver.
  mlir::ingot::SaverOp saver;
};

/// The nodes that AdaNet's hooks run, and the fetches of its evaluation.
struct AdaNetEntries {
  AdaNetGraph graph;
  AdaNetEvaluation evaluation;
};

/// All entries but those of savers, in the program's order. `adanet` is null
/// for other graphs. Unknown names in the options, or in the graph's
/// collections, are problems.
std::vector<EntrySpec> findEntries(Program &program,
                                   const ImportOptions &options,
                                   const AdaNetEntries *adanet,
                                   Problems &problems);

/// The default loss: collection `loss`, else the last of `losses`; empty if the
/// graph has neither. Normalized to "name:port".
std::string findLoss(const Program &program);

/// The global step's variable, or null: collection `global_step`, else the
/// variable of that name.
mlir::ingot::VariableOp findGlobalStep(Program &program);

/// Tensors that the graph's collections name, other than those of entries:
/// hooks may want to fetch them in a step.
std::vector<EntrySpec::Fetch> findObservable(const Program &program);

/// Imports one entry at the end of the module; null where it had problems.
mlir::ingot::EntryOp importEntry(Program &program, const EntrySpec &spec,
                                 Problems &problems);

/// Extends `spec`, an entry that imports without problems, by those
/// `candidates` that its own computation yields: tensors that need no further
/// element of an iterator, no further write, and no unsupported op.
void addObservable(Program &program, EntrySpec &spec,
                   llvm::ArrayRef<EntrySpec::Fetch> candidates);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_H
