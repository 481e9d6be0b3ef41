//===- ChooseEntries.h - Selects entries by flags ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_CHOOSEENTRIES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_CHOOSEENTRIES_H

#include "compiler/Import/Entries/Entries.h"

namespace ingot::importer {

/// Removes the entries that `options.only` does not name, or that
/// `options.without` names, and entries that belong to a removed one, such as
/// the metrics of an evaluation. Entries that sessions run themselves, which
/// initialize variables or say whether they have values, stay.
///
/// Records a problem for each name in the options that is not the name of an
/// entry which can be left out.
void chooseEntries(const ImportOptions &options,
                   std::vector<EntrySpec> &entries, ImportProblems &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_CHOOSEENTRIES_H
