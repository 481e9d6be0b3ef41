//===- KerasWeights.cpp - Where Keras keeps a model's weights -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/KerasWeights.h"

#include "runtime/Checkpoint/MetaGraphWire.h"

using namespace ingot;
using namespace ingot::wire;

bool KerasWeights::isOfTraining(std::string_view path) {
  return path.starts_with("optimizer/") || path.starts_with("metrics/");
}

Expected<KerasWeights> ingot::kerasWeightsOf(std::string_view metaGraph) {
  KerasWeights found;
  bool isBroken = false;
  forEach(metaGraph, metaGraphDef::collection, [&](std::string_view entry) {
    if (fieldOf(entry, mapKey) != "ingot_keras_weights")
      return;
    std::string_view list =
        fieldOf(fieldOf(entry, mapValue), collectionDef::bytesList);
    forEach(list, collectionDef::value, [&](std::string_view line) {
      size_t tab = line.find('\t');
      if (tab == std::string_view::npos || tab == 0) {
        isBroken = true;
        return;
      }
      std::string path(line.substr(0, tab)), variable(line.substr(tab + 1));
      if (path.back() == '/')
        found.groups.push_back(std::move(path));
      else
        found.arrays.emplace_back(std::move(path), std::move(variable));
    });
  });
  if (isBroken)
    return Status(
        StatusCode::DataLoss,
        "the graph's collection 'ingot_keras_weights' has a line without a "
        "path or a variable: export the model again with ingot.export()");
  return found;
}
