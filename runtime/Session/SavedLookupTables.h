//===- SavedLookupTables.h - The lookup tables of a checkpoint --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Says which lookup tables a checkpoint has, and under which keys: those in the
// saver's list, and those that outlive a session. Saves and restores their
// contents for the functions of CheckpointContents.h.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_SESSION_SAVEDLOOKUPTABLES_H
#define INGOT_RUNTIME_SESSION_SAVEDLOOKUPTABLES_H

#include "runtime/Session/CheckpointContents.h"

namespace ingot {

/// A lookup table whose contents a checkpoint has, as a tensor of keys and a
/// tensor of values.
struct SavedLookupTableItem {
  uint32_t table;
  std::string keys, values; // names in the checkpoint
  uint32_t shard = 0;
  bool isUnlisted = false; // the list of the graph's saver lacks it
};

/// Returns the tables that checkpoints of `saver` have. Checkpoints of the
/// session's own saver also have all other persistent tables, under
/// `ingot/table/<name>/keys` and `ingot/table/<name>/values`.
std::vector<SavedLookupTableItem> tableItems(const ingot_program &program,
                                             int32_t saver);

/// Adds a copy of the contents of the tables to `state`.
Status addTables(const ingot_context &context, int32_t saver,
                 VariablesToSave variables, StateToSave &state);

/// Reads the contents of lookup tables during one restore of a checkpoint.
class LookupTableRestorer {
public:
  LookupTableRestorer(ingot_context &context, int32_t saver);

  /// Appends the items that read the tables' tensors.
  void addItems(std::vector<TensorToRestore> &restored);
  /// Returns the name of the table that item `item` reads if the list of the
  /// graph's saver lacks the table; "" for all other items.
  std::string unlistedName(size_t item) const;
  /// Checks that each table has as many keys as values. `missing` lists the
  /// items that the checkpoint lacks, in ascending order.
  Status check(std::span<const size_t> missing) const;
  /// Replaces the contents of the tables by those that the checkpoint has.
  void finish(std::span<const size_t> missing);

private:
  struct LookupTableContents {
    TensorData keys, values;
  };

  size_t countKeys(size_t i) const;
  size_t countValues(size_t i) const;
  bool isMissing(size_t i, std::span<const size_t> missing) const;

  ingot_context &context;
  std::vector<SavedLookupTableItem> items;
  std::vector<LookupTableContents> contents;
  size_t firstItem = 0; // index of the item with the first table's keys
};

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_SAVEDLOOKUPTABLES_H
