//===- RunWarnings.h - What a run's curves warn of --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_COMMANDLINE_REPORT_RUNWARNINGS_H
#define INGOT_RUNTIME_COMMANDLINE_REPORT_RUNWARNINGS_H

#include "runtime/CommandLine/Report/TrainingRunCurves.h"

namespace ingot {

/// Returns what is wrong with a run, the worst first: losses that are not
/// finite or do not fall, a model that overfits, steps that are in no
/// checkpoint, a run that has become slow. `newest` is the step of the newest
/// checkpoint, or -1.
std::vector<std::string> warningsOf(const TrainingRunCurves &run,
                                    int64_t newest);

} // namespace ingot

#endif // INGOT_RUNTIME_COMMANDLINE_REPORT_RUNWARNINGS_H
