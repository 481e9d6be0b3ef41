//===- Predictor.h - The best ensemble by itself ----------------*- C++ -*-===//
#ifndef INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
#define INGOT_COMPILER_ENSEMBLE_PREDICTOR_H

#include "ingot/adanet.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace ingot::ensemble {

/// The program, as text, that only predicts: what networks see of the columns,
/// and the best ensemble in `modelDirectory`'s newest checkpoint, whose numbers
/// its variables start with. The best is the one that the checkpoint's
/// iteration has selected, else the one with the lowest moving average of the
/// AdaNet loss. `found` is told which it is, and its members. Nothing where
/// something is wrong, with each problem reported; `name` stands in messages.
std::optional<std::string>
buildPredictorProgram(const adanet::Search &search, const std::string &name,
                      const std::string &modelDirectory,
                      llvm::function_ref<void(const std::string &)> report,
                      std::string &found);

} // namespace ingot::ensemble

#endif // INGOT_COMPILER_ENSEMBLE_PREDICTOR_H
