//===- UseBestEnsemble.cpp - Predicts with the best ensemble --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/UseBestEnsemble.h"

#include "runtime/AdaNet/BestEnsemble.h"
#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/Iteration.h"
#include "runtime/AdaNet/MemberLosses.h"
#include "runtime/Checkpoint/CheckpointNames.h"
#include "runtime/Session/Context.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace ingot;
using namespace ingot::adanet;

Status adanet::useBestEnsemble(ingot_context &context, FileSystem &fileSystem,
                               const std::string &prefix) {
  auto iteration = findIteration(*context.program);
  if (!iteration)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(fileSystem, prefix));
  INGOT_ASSIGN_OR_RETURN(
      BestEnsemble best,
      findBestEnsemble(fileSystem, directoryOf(prefix), *reader));
  // A checkpoint may have no ensembles with AdaNet's names, for instance
  // because its variables were renamed. Compiled code then chooses the
  // candidate with the lowest moving average of the loss.
  if (best.name.empty())
    return Status::ok();
  std::vector<const MemberOrEnsemble *> candidates = candidatesOf(*iteration);
  if (std::none_of(
          candidates.begin(), candidates.end(),
          [&](const MemberOrEnsemble *one) { return one->name == best.name; }))
    return Status(StatusCode::FailedPrecondition,
                  "'" + prefix + "' predicts with '" + best.name +
                      "', an ensemble that this program does not have: "
                      "compile the program of the checkpoint's iteration");
  for (const MemberOrEnsemble *candidate : candidates) {
    int32_t variable = findAverage(*context.program, candidate->name);
    if (variable < 0)
      continue;
    auto &average = *static_cast<float *>(
        changeVariable(context, static_cast<uint32_t>(variable)));
    if (candidate->name != best.name)
      average = std::numeric_limits<float>::infinity();
    else if (!std::isfinite(average))
      average = 0;
  }
  return Status::ok();
}
