//===- Entries.h - What a program can be asked to run -----------*- C++ -*-===//
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
    std::string name; // as users know it: "x:0"
    Output tensor;
    /// Its type where something says it (signatures do); else null, and the
    /// node has to.
    mlir::TensorType type;
  };
  struct Fetch {
    std::string name;
    Output tensor;
  };
  std::string name;
  mlir::ingot::Role role = mlir::ingot::Role::other;
  /// It runs after each step, before anything else sees it.
  bool isAfterStep = false;
  std::vector<Feed> feeds;
  std::vector<Fetch> fetches;
  /// Nodes that run besides what the fetches need.
  std::vector<int> targets;
  /// Of role init: values that variables get before anything runs.
  std::vector<InitialValue> initialValues;
  /// By the names of nodes that write variables: feeds, of one of which it
  /// takes that it is true for the node to write. Such a feed has no tensor.
  llvm::StringMap<llvm::SmallVector<unsigned>> gates;
  /// Of roles save and restore: the saver.
  mlir::ingot::SaverOp saver;
};

/// What AdaNet's hooks run of the graph, and what an evaluation of it fetches.
struct AdaNetEntries {
  AdaNetGraph graph;
  AdaNetEvaluation evaluation;
};

/// All entries but those of savers, in the order in which the program lists
/// them. `adanet` is null for graphs that are none of AdaNet's. Names in the
/// options that the graph does not have, and names in its collections that it
/// does not have, are problems.
std::vector<EntrySpec> findEntries(Program &program,
                                   const ImportOptions &options,
                                   const AdaNetEntries *adanet,
                                   Problems &problems);

/// The default loss: collection `loss`, else the last of `losses`; empty where
/// the graph has neither. Normalized to "name:port".
std::string findLoss(const Program &program);

/// The variable that counts the steps, or null: collection `global_step`, else
/// the variable of that name.
mlir::ingot::VariableOp findGlobalStep(Program &program);

/// Tensors that the graph's collections name, apart from those that entries
/// are made of: what hooks may want to see of a step.
std::vector<EntrySpec::Fetch> findObservable(const Program &program);

/// Imports one entry at the end of the module; null where it had problems.
mlir::ingot::EntryOp importEntry(Program &program, const EntrySpec &spec,
                                 Problems &problems);

/// Extends `spec`, an entry that imports without problems, by those of
/// `candidates` that its own computation gives: numbers that need no further
/// element of an iterator, no further write, and nothing that is not
/// supported.
void addObservable(Program &program, EntrySpec &spec,
                   llvm::ArrayRef<EntrySpec::Fetch> candidates);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_H
