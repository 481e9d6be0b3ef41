//===- ReadCurves.cpp - Losses of candidates and members ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Summary/EventFiles.h"
#include "tools/AdaNetTool/ModelOverview.h"

#include <algorithm>
#include <cmath>

using namespace ingot;
using namespace ingot::adanet;

/// Reads the event files of the iteration's ensembles or members into curves of
/// `view`. Each ensemble or member has a folder of its own, named
/// "t<number>_...". Also reads the folders of ensembles and members that the
/// checkpoint no longer contains.
static Status addCurves(FileSystem &fileSystem, const std::string &directory,
                        bool ofEnsembles, IterationOverview &view) {
  std::string folder = directory + (ofEnsembles ? "/ensemble" : "/subnetwork");
  if (fileSystem.kindOf(folder) != FileKind::Directory)
    return Status::ok();
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> names,
                         fileSystem.list(folder));
  std::sort(names.begin(), names.end());
  std::string prefix = "t" + std::to_string(view.number) + "_";
  const std::string tag =
      ofEnsembles ? "adanet_loss/adanet/adanet_weighted_ensemble" : "loss";
  for (const std::string &name : names) {
    if (!name.starts_with(prefix) ||
        fileSystem.kindOf(folder + "/" + name) != FileKind::Directory)
      continue;
    LossCurve curve = {name, ofEnsembles, {}};
    INGOT_ASSIGN_OR_RETURN(auto scalars,
                           readScalars(fileSystem, folder + "/" + name));
    for (const auto &[step, values] : scalars)
      if (auto value = values.find(tag);
          value != values.end() && std::isfinite(value->second))
        curve.points.emplace_back(step, value->second);
    if (!curve.points.empty())
      view.curves.push_back(std::move(curve));
  }
  return Status::ok();
}

void adanet::readCurves(FileSystem &fileSystem, ModelOverview &model,
                        SessionLogger &reporter) {
  for (IterationOverview &view : model.iterations)
    for (bool ofEnsembles : {true, false})
      if (Status status =
              addCurves(fileSystem, model.directory, ofEnsembles, view);
          !status.isOk())
        reporter.warning("loss curves of iteration " +
                         std::to_string(view.number) +
                         " are not shown: " + status.message());
}
