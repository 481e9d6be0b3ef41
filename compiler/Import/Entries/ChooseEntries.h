//===- ChooseEntries.h - Selects entries by flags ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_IMPORT_ENTRIES_CHOOSEENTRIES_H
#define INGOT_COMPILER_IMPORT_ENTRIES_CHOOSEENTRIES_H

#include "compiler/Import/Entries/Entries.h"

namespace ingot::importer {

/// Removes the entries that `options.without` names and, if `options.only` is
/// not empty, the entries that `options.only` does not name. Also removes
/// entries that belong to a removed entry, such as the metrics of an
/// evaluation. Keeps the entries that sessions run themselves: those that
/// initialize variables, or test whether variables are initialized.
///
/// Records a problem for each name in the options that is not the name of an
/// entry which can be left out.
void chooseEntries(const ImportOptions &options,
                   std::vector<EntrySpec> &entries, ImportErrors &problems);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ENTRIES_CHOOSEENTRIES_H
