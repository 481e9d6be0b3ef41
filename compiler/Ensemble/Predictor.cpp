//===- Predictor.cpp - Exports the best ensemble --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/Predictor.h"

#include "compiler/Ensemble/BuilderReports.h"
#include "compiler/Ensemble/IterationProgramBuilder.h"
#include "compiler/Ensemble/SearchPrograms.h"
#include "runtime/AdaNet/BestEnsemble.h"
#include "runtime/AdaNet/SearchProgress.h"
#include "runtime/Checkpoint/CheckpointReader.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::vector<IterationProgramBuilder::MemberTensors>
IterationProgramBuilder::buildMembers(const Columns &columns,
                                      const std::vector<size_t> &wanted) {
  Features features = search.features(graph, inputs(columns));
  std::vector<MemberTensors> members(lineage.members.size() +
                                     lineage.builders.size());
  buildEarlier(features, false);
  for (size_t i = 0; i < lineage.members.size(); ++i)
    members[i] = networksOfEntry().members[i];
  for (size_t i : wanted)
    if (i >= lineage.members.size())
      members[i] = buildNew(i - lineage.members.size(), features, false);
  return members;
}

std::vector<NamedTensor>
IterationProgramBuilder::predict(const Columns &columns, const Candidate &best,
                                 std::vector<NamedTensor> *others) {
  std::vector<MemberTensors> members = buildMembers(columns, best.members);
  EnsembleTensors mixture = mix(members, best, /*training=*/false);
  NameScope scope(graph, best.scope("ensemble"));
  if (others)
    *others = mixture.predictions;
  return search.head->predictions(mixture.logits);
}

void IterationProgramBuilder::buildPredictor(
    const Candidate &best, const PredictionSignatures &signatures) {
  input = graph.iterator(*search.train, "input", false);
  if (!input)
    return;
  for (const TensorSpec &spec : input.components())
    components.push_back({spec.name, spec.dtype, spec.shape});
  std::vector<NamedTensor> figures, others;
  {
    Entry entry(graph, "predict", Role::Predict);
    figures = predict(feed(entry), best, &others);
    for (const auto *list : {&figures, &others})
      for (const NamedTensor &figure : *list)
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
  // Each prediction of the ensemble itself has a signature of its own (AN-169).
  for (const NamedTensor &other : others)
    addEnsembleSignature(other.name, best);
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
class BestEnsembleFinder {
public:
  BestEnsembleFinder(const Search &search, std::string directory)
      : search(search), directory(std::move(directory)) {}

  Status open();
  /// Returns the ensemble with which the newest checkpoint predicts.
  Expected<Candidate> choose() const;
  std::optional<Array> read(const std::string &name) const;

  std::optional<EnsembleLineage> lineage;

private:
  const Search &search;
  std::string directory;
  std::unique_ptr<CheckpointReader> reader;
};
} // namespace

Status BestEnsembleFinder::open() {
  FileSystem &files = FileSystem::posix();
  INGOT_ASSIGN_OR_RETURN(SearchProgress progress,
                         readProgress(files, directory));
  if (progress.checkpoint.empty())
    return Status(
        StatusCode::NotFound,
        "'" + directory +
            "' has no checkpoint to predict with: train the search first");
  auto opened = CheckpointReader::open(files, progress.checkpoint);
  if (!opened)
    return opened.status();
  reader = std::move(*opened);
  bool isPruned = progress.hasPruned();
  // The ensemble to predict with is one of the newest iteration's candidates,
  // so the lineage must describe this iteration. traceLineage() describes the
  // iteration after those that it receives, so do not pass the newest iteration
  // to it. An iteration that the prune command has made is an exception: it has
  // no candidates, and its ensemble is the previous ensemble of the iteration
  // after it. So pass such an iteration, too.
  if (progress.selected && !isPruned)
    progress.architectures.pop_back();
  INGOT_ASSIGN_OR_RETURN(auto finished,
                         toFinished(progress.architectures, directory));
  // Read the member reports, so that generators return the same builders as
  // when the members were trained.
  INGOT_ASSIGN_OR_RETURN(auto reports, readMemberReports(search, directory));
  std::string error;
  lineage = traceLineage(search, finished, reports, error);
  if (!lineage)
    return Status(StatusCode::InvalidArgument, error);
  if (isPruned)
    lineage->endWithoutMembers();
  return Status::ok();
}

Expected<Candidate> BestEnsembleFinder::choose() const {
  INGOT_ASSIGN_OR_RETURN(
      BestEnsemble best,
      findBestEnsemble(FileSystem::posix(), directory, *reader));
  if (best.hasDiverged)
    return Status(StatusCode::InvalidArgument,
                  "the losses of all candidates in the newest checkpoint of '" +
                      directory + "' are NaN, so there is no best ensemble");
  std::string error;
  auto previous = previousOf(search, *lineage, error);
  if (!error.empty())
    return Status(StatusCode::InvalidArgument, error);
  if (previous && previous->fullName() == best.name)
    return std::move(*previous);
  for (Candidate &candidate : candidatesOf(search, *lineage, error))
    if (candidate.fullName() == best.name)
      return std::move(candidate);
  if (!error.empty())
    return Status(StatusCode::InvalidArgument, error);
  return Status(
      StatusCode::InvalidArgument,
      "the newest checkpoint predicts with '" + best.name +
          "', which is not a candidate of iteration " +
          std::to_string(best.iteration) +
          " of this search: the model directory belongs to another search");
}

std::optional<Array> BestEnsembleFinder::read(const std::string &name) const {
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

std::optional<std::string> buildPredictorProgram(
    const Search &search, const std::string &name,
    const std::string &modelDirectory, const PredictionSignatures &signatures,
    llvm::function_ref<void(const std::string &)> report, std::string &found) {
  BestEnsembleFinder finder(search, modelDirectory);
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
      graph.addError("cannot read variable '" + variable +
                     "' from the newest checkpoint of '" + modelDirectory +
                     "': it is missing or damaged there, or has a type other "
                     "than float32, float64 or int64");
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
