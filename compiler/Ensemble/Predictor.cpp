//===- Predictor.cpp - Exports the best ensemble --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/Predictor.h"

#include "compiler/Ensemble/IterationProgramBuilder.h"
#include "compiler/Ensemble/SearchInput.h"
#include "runtime/AdaNet/Architecture.h"
#include "runtime/Checkpoint/CheckpointReader.h"

#include <cmath>
#include <cstring>

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::vector<IterationProgramBuilder::Built>
IterationProgramBuilder::buildMembers(const Columns &columns,
                                      const std::vector<size_t> &wanted) {
  Features features = search.features(graph, inputs(columns));
  std::vector<Built> members(lineage.members.size() + lineage.builders.size());
  std::vector<PreviousMember> previous;
  // Build all members of earlier iterations, since the builder of a new member
  // may use any of them.
  for (size_t i = 0; i < lineage.members.size(); ++i) {
    members[i] = buildMember(i, features, previous, false);
    previous.push_back({members[i].name, members[i].network});
  }
  for (size_t i : wanted)
    if (i >= lineage.members.size())
      members[i] = buildMember(i, features, previous, false);
  return members;
}

std::vector<NamedTensor>
IterationProgramBuilder::predict(const Columns &columns,
                                 const Candidate &best) {
  std::vector<Built> members = buildMembers(columns, best.members);
  Mixture mixture = mix(members, best);
  NameScope scope(graph, best.scope("ensemble"));
  return search.head->predictions(mixture.logits);
}

void IterationProgramBuilder::buildPredictor(
    const Candidate &best, const PredictionSignatures &signatures) {
  input = graph.iterator(*search.train, "input", false);
  if (!input)
    return;
  for (const TensorSpec &spec : input.components())
    components.push_back({spec.name, spec.dtype, spec.shape});
  std::vector<NamedTensor> figures;
  {
    Entry entry(graph, "predict", Role::Predict);
    figures = predict(feed(entry), best);
    for (const NamedTensor &figure : figures)
      entry.fetch(figure.name, figure.value);
  }
  // Add the signatures that Estimator exports: `classification` for a head that
  // predicts probabilities, `regression` for other heads. If the head is a
  // multi-head, each of its heads has a signature, whose name begins with the
  // head's name, such as "NAME/classification".
  for (const NamedTensor &figure : figures) {
    llvm::StringRef prefix(figure.name);
    if (!signatures.head)
      break;
    if (prefix.consume_back("probabilities"))
      addHeadSignature(prefix.str() + "classification", figure.name, best);
    else if (prefix.consume_back("logistic") ||
             prefix.consume_back("predictions"))
      addHeadSignature(prefix.str() + "regression", figure.name, best);
  }
  if (signatures.lastLayers)
    addMemberSignature("subnetwork_last_layer", false);
  if (signatures.logits)
    addMemberSignature("subnetwork_logits", true);
  graph.dropUnused();
  graph.finish();
}

namespace {
/// Finds the best ensemble of a search, and its variables' values, in the
/// newest checkpoint and the architecture files of a model directory.
class Finder {
public:
  Finder(const Search &search, std::string directory)
      : search(search), directory(std::move(directory)) {}

  Status open();
  /// Returns the candidate to predict with: the one that the iteration has
  /// selected, or else the one with the lowest moving average of the AdaNet
  /// loss.
  Expected<Candidate> choose();
  std::optional<Array> read(const std::string &name) const;

  std::optional<Lineage> lineage;

private:
  template <typename T> Expected<T> number(const std::string &name) const {
    T value;
    INGOT_RETURN_IF_ERROR(reader->read(
        name, "", static_cast<int32_t>(Array(std::vector<T>{}, {0}).dtype()),
        ingot::Shape(), &value));
    return value;
  }

  const Search &search;
  std::string directory;
  std::unique_ptr<CheckpointReader> reader;
  std::vector<FinishedIteration> finished;
};
} // namespace

Status Finder::open() {
  FileSystem &files = FileSystem::posix();
  auto opened = CheckpointReader::open(files, directory);
  if (!opened)
    return opened.status();
  reader = std::move(*opened);
  INGOT_ASSIGN_OR_RETURN(int64_t iteration,
                         number<int64_t>("current_iteration"));
  INGOT_ASSIGN_OR_RETURN(int64_t count, countArchitectures(files, directory));
  std::vector<Architecture> all;
  if (count > 0) {
    INGOT_ASSIGN_OR_RETURN(all, readArchitectures(files, directory, count));
  }
  finished = toFinished(all);
  if (iteration < 0 || static_cast<size_t>(iteration) > finished.size())
    return Status(StatusCode::DataLoss,
                  "'" + directory +
                      "': its newest checkpoint is of iteration " +
                      std::to_string(iteration) + ", but there are " +
                      std::to_string(finished.size()) + " architecture files");
  std::string error;
  lineage = traceLineage(
      search, {finished.begin(), finished.begin() + iteration}, {}, error);
  return lineage ? Status::ok() : Status(StatusCode::InvalidArgument, error);
}

Expected<Candidate> Finder::choose() {
  std::string error;
  auto previous = previousOf(search, *lineage, error);
  if (!error.empty())
    return Status(StatusCode::InvalidArgument, error);
  std::vector<Candidate> candidates = candidatesOf(search, *lineage);
  if (previous)
    candidates.insert(candidates.begin(), *previous);
  auto iteration = static_cast<size_t>(lineage->iteration);
  if (iteration < finished.size()) {
    for (Candidate &candidate : candidates)
      if (candidate.name == finished[iteration].candidate &&
          nameOf(*candidate.ensembler) == finished[iteration].ensembler)
        return std::move(candidate);
    return Status(StatusCode::InvalidArgument,
                  "iteration " + std::to_string(iteration) + " selected '" +
                      finished[iteration].candidate +
                      "', which is not a candidate of this search");
  }
  size_t best = candidates.size();
  float lowest = 0;
  for (size_t i = search.forceGrow && previous; i < candidates.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(
        float average,
        number<float>(candidates[i].scope("candidate") + "/adanet_loss"));
    if (std::isnan(average) || (best < candidates.size() && average >= lowest))
      continue;
    best = i;
    lowest = average;
  }
  if (best == candidates.size())
    return Status(
        StatusCode::InvalidArgument,
        "the losses of all candidates in the newest checkpoint are NaN");
  return std::move(candidates[best]);
}

std::optional<Array> Finder::read(const std::string &name) const {
  const CheckpointEntry *entry = reader->find(name);
  if (!entry || entry->dtype == static_cast<int32_t>(DType::String))
    return std::nullopt;
  auto dtype = static_cast<DType>(entry->dtype);
  Shape shape(entry->shape.begin(), entry->shape.end());
  int64_t size = entry->dtype == static_cast<int32_t>(DType::Float32) ? 4
                 : dtype == DType::Float64 || dtype == DType::Int64   ? 8
                                                                      : 0;
  for (int64_t dim : shape)
    size *= dim;
  std::string bytes(static_cast<size_t>(size), 0);
  if (size <= 0 ||
      !reader->read(name, "", entry->dtype, entry->shape, bytes.data()).isOk())
    return std::nullopt;
  return Array::fromBytes(dtype, std::move(shape), std::move(bytes));
}

static std::string nameOfMember(const Lineage &lineage, size_t index) {
  if (index < lineage.members.size())
    return lineage.members[index].name();
  return Member{lineage.iteration,
                lineage.builders[index - lineage.members.size()]}
      .name();
}

std::optional<std::string> buildPredictorProgram(
    const Search &search, const std::string &name,
    const std::string &modelDirectory, const PredictionSignatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found) {
  Finder finder(search, modelDirectory);
  if (Status status = finder.open(); !status.isOk()) {
    report(name + ": " + std::string(status.message()));
    return std::nullopt;
  }
  auto best = finder.choose();
  if (!best) {
    report(name + ": " + std::string(best.status().message()));
    return std::nullopt;
  }
  found = "'" + best->fullName() + "' of";
  for (size_t index : best->members)
    found += " " + nameOfMember(*finder.lineage, index);
  Graph graph;
  // Take the variables' initial values from the checkpoint. A variable that is
  // not in the checkpoint is an error, as predictions with an untrained
  // variable would be meaningless.
  graph.setInitialValues([&](const std::string &variable) {
    auto found = finder.read(variable);
    if (!found)
      graph.addError("the checkpoint has no variable '" + variable + "'");
    return found;
  });
  IterationProgramBuilder(graph, search, *finder.lineage, std::nullopt)
      .buildPredictor(*best, signatures);
  if (graph.ok())
    return graph.toMLIR();
  report(name + ": " + graph.errors());
  return std::nullopt;
}

} // namespace ingot::ensemble
