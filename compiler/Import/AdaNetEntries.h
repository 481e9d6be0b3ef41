//===- AdaNetEntries.h - What AdaNet's hooks run of a graph -----*- C++ -*-===//
#ifndef INGOT_COMPILER_IMPORT_ADANETENTRIES_H
#define INGOT_COMPILER_IMPORT_ADANETENTRIES_H

#include "compiler/Import/Entries.h"

namespace ingot::importer {

/// The entry that runs in the step's place where some are done.
inline constexpr llvm::StringLiteral partialStepName = "step/some";

/// Adds the entries by which members and ensembles stop one by one (AN-040):
/// `step/some` is the step of those whose feed says so: all is computed, and
/// what only others' train ops write stays as it is. `train/NAME` is the train
/// op of a member with an input of its own (AN-233).
void addPartialSteps(Program &program, const AdaNetGraph &found,
                     const EntrySpec &step, std::vector<EntrySpec> &entries);

/// Says what of the graph the evaluation computes as in inference, and warns of
/// what it computes as in training.
void reportMode(Program &program, const AdaNetEvaluation &evaluation,
                const EntrySpec &entry);

/// The same evaluation, with feeds in place of what it needs of elements of the
/// graph's input.
EntrySpec fedInPlaceOfInput(const Graph &graph, const EntrySpec &own);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_ADANETENTRIES_H
