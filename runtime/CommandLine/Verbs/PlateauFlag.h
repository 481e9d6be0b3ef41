//===- PlateauFlag.h - The flag --reduce-lr-on-plateau ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_VERBS_PLATEAUFLAG_H
#define INGOT_RUNTIME_COMMANDLINE_VERBS_PLATEAUFLAG_H

#include "runtime/CommandLine/Verbs/TrainOptions.h"

namespace ingot {

/// Parses the --reduce-lr-on-plateau flags, METRIC[:KEY=VALUE,...] each, into
/// `options.plateaus`, and finds the learning rates that they change.
std::optional<UsageError> readPlateaus(const ingot_program &program,
                                       TrainOptions &options);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_VERBS_PLATEAUFLAG_H
