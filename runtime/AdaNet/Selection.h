//===- Selection.h - Which ensemble an iteration leaves ---------*- C++ -*-===//
#ifndef INGOT_RUNTIME_ADANET_SELECTION_H
#define INGOT_RUNTIME_ADANET_SELECTION_H

#include "runtime/AdaNet/Architecture.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/Session/Reporter.h"

struct ingot_context;

namespace ingot::adanet {

/// The members that an ensemble's name says it has, new ones behind those of
/// `previous` where it keeps them; and what is left of the name: candidate and
/// ensembler. Nothing for names of strategies of a user's own.
std::optional<Architecture> parseEnsembleName(const std::string &name,
                                              const Iteration &iteration,
                                              const Architecture *previous);

/// The candidate with the lowest moving average of the AdaNet loss, NaN left
/// out; the first one of equals; where growth is forced, among the new ones.
/// FailedPrecondition where all are NaN, or where its name does not say who is
/// in it.
Expected<Architecture> selectBest(const ingot_context &context,
                                  const Iteration &iteration,
                                  const Architecture *previous,
                                  int64_t globalStep, bool forcesGrowth,
                                  Reporter &reporter);

/// Writes `<directory>/architecture-<t>.json` as AdaNet does.
Status writeArchitecture(FileSystem &fileSystem, const std::string &directory,
                         const Architecture &architecture);

} // namespace ingot::adanet

#endif // INGOT_RUNTIME_ADANET_SELECTION_H
