//===- FeedShapes.h - Shapes of feeds that declare none ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Code is generated for tensors of known rank only, but a placeholder need not
// declare a shape. Its rank follows from what the graph does with it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_FEEDSHAPES_H
#define INGOT_COMPILER_IMPORT_FEEDSHAPES_H

#include "compiler/Import/Entries.h"
#include <map>

namespace ingot::importer {

/// The shapes of a graph's feeds. All entries agree on them.
class FeedShapes {
public:
  /// Takes the shapes that the user states for tensors. Records a problem for
  /// a tensor that the graph does not have, and for a shape that contradicts
  /// the one that the graph declares.
  FeedShapes(Program &program, llvm::ArrayRef<ImportOptions::Shape> stated,
             ImportProblems &problems);

  /// Sets the types of those feeds of `spec` whose shape the user states, and
  /// gives those of unknown rank the rank with which the entry has the fewest
  /// problems. If several ranks have as few, takes the most likely and warns.
  void complete(EntrySpec &spec);
  /// Records a problem for each stated shape of a tensor that no entry is fed
  /// with.
  void reportUnused(ImportProblems &problems) const;

private:
  /// Returns the ranks with which `spec` has the fewest problems if feed
  /// `feed` has them, the most likely first.
  llvm::SmallVector<int64_t> findRanks(EntrySpec &spec, size_t feed);
  /// Sets the types of all feeds in `unknown` with a single possible rank, and
  /// removes them from `unknown`. Returns whether there was one.
  bool settle(EntrySpec &spec, llvm::SmallVectorImpl<size_t> &unknown);

  Program &program;
  /// The types that the user states, or that an earlier entry settled.
  llvm::DenseMap<Output, mlir::TensorType> known;
  /// The flags of stated shapes that no entry has needed yet, in the order of
  /// the graph's nodes.
  std::map<Output, std::string> unused;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_FEEDSHAPES_H
