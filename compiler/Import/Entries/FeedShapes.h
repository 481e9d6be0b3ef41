//===- FeedShapes.h - Shapes of feeds that declare none ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Code is generated only for tensors of known rank, but a placeholder need not
// declare a shape. Its rank is then derived from the ops that use it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_FEEDSHAPES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_FEEDSHAPES_H

#include "compiler/Import/Entries/Entries.h"
#include <map>

namespace ingot::importer {

/// The shapes of a graph's feeds. A tensor has the same shape in all entries
/// that are fed with it.
class FeedShapes {
public:
  /// `stated` are the shapes from --shape. Records a problem for each tensor
  /// that is not in the graph, and for each shape that contradicts the shape
  /// that the graph declares.
  FeedShapes(Program &program, llvm::ArrayRef<ImportOptions::FeedShape> stated,
             ImportErrors &problems);

  /// Sets the types of the feeds of `spec` whose shapes --shape states. A feed
  /// of unknown rank is assigned the rank with which the import of the entry
  /// has the fewest problems. If several ranks have equally few problems, the
  /// most likely one is chosen, with a warning.
  void complete(EntrySpec &spec);
  /// Records a problem for each shape from --shape whose tensor is no feed of
  /// any entry.
  void reportUnused(ImportErrors &problems) const;

private:
  /// Tries the usual ranks for feed number `feed` of `spec`. Returns those with
  /// which importing `spec` has the fewest problems, the most likely one first.
  llvm::SmallVector<int64_t> findRanks(EntrySpec &spec, size_t feed);
  /// Sets the type of each feed in `unknown` (indices of feeds of `spec`) that
  /// has only one possible rank, and removes it from `unknown`. Returns whether
  /// a type was set.
  bool settle(EntrySpec &spec, llvm::SmallVectorImpl<size_t> &unknown);

  Program &program;
  /// For each fed tensor, the type from --shape, or the type that was chosen
  /// for it in an earlier entry.
  llvm::DenseMap<Output, mlir::TensorType> known;
  /// The --shape flags whose tensors have not been a feed of any entry so far,
  /// in the order of the graph's nodes.
  std::map<Output, std::string> unused;
};

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_FEEDSHAPES_H
