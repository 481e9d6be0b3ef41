//===- ReadModel.cpp - An AdaNet directory's checkpoint and files ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/ModelOverview.h"

#include "runtime/AdaNet/BestEnsemble.h"
#include "runtime/AdaNet/EnsembleSelection.h"
#include "runtime/AdaNet/IterationMemberAndCandidateNames.h"
#include "runtime/AdaNet/TrainingDoneMarkers.h"
#include "runtime/Checkpoint/CheckpointManager.h"
#include "runtime/Checkpoint/ObjectCheckpointNames.h"
#include "runtime/Support/Numeric.h"
#include "tools/AdaNetTool/CheckpointVariables.h"

#include <algorithm>
#include <charconv>
#include <cmath>

using namespace ingot;
using namespace ingot::adanet;

namespace {

/// Fills a ModelOverview from a checkpoint and the files of its model
/// directory.
class ModelReader {
public:
  ModelReader(FileSystem &fileSystem, const CheckpointReader &reader,
              ModelOverview &model)
      : fileSystem(fileSystem), reader(reader), model(model) {}

  Status read();

private:
  Status readCounters();
  Status readArchitectureFiles();
  Status readVariables();
  Status readMember(const AdaNetVariableName &name, const std::string &key);
  Status readEnsemble(const AdaNetVariableName &name, const std::string &key);
  Status readCandidate(const AdaNetVariableName &name, const std::string &key);
  Status readMarkers();
  Status readOrders();
  void nameMembers();
  static void nameWeights(Ensemble &ensemble);
  void share();
  Status findBest();
  void findUnfinished();
  Expected<int64_t> integer(const std::string &key) const;
  Expected<double> number(const std::string &key) const;
  Expected<double> normOf(const std::string &key) const;
  IterationOverview &iteration(int64_t number);
  Member &member(const AdaNetVariableName &name);
  Ensemble &ensemble(const AdaNetVariableName &name);

  FileSystem &fileSystem;
  const CheckpointReader &reader;
  ModelOverview &model;
  /// The checkpoint's key of each variable, keyed by the variable's name. Key
  /// and name differ in object-based checkpoints.
  std::map<std::string, std::string> keys;
};

} // namespace

Expected<int64_t> ModelReader::integer(const std::string &key) const {
  int64_t value = 0;
  INGOT_RETURN_IF_ERROR(reader.read(key, "", INGOT_INT64, Shape(), &value));
  return value;
}

Expected<double> ModelReader::number(const std::string &key) const {
  float value = 0;
  INGOT_RETURN_IF_ERROR(reader.read(key, "", INGOT_FLOAT, Shape(), &value));
  return static_cast<double>(value);
}

Expected<double> ModelReader::normOf(const std::string &key) const {
  const CheckpointEntry &entry = *reader.find(key);
  INGOT_ASSIGN_OR_RETURN(TensorData data, readTensor(reader, key));
  int64_t count = elementCount(entry.shape).value_or(0);
  size_t size = count > 0 ? data.bytes.size() / static_cast<size_t>(count) : 0;
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += std::abs(elementAsDouble(
        entry.dtype, data.bytes.data() + static_cast<size_t>(i) * size));
  return sum;
}

IterationOverview &ModelReader::iteration(int64_t number) {
  for (IterationOverview &view : model.iterations)
    if (view.number == number)
      return view;
  IterationOverview &view = model.iterations.emplace_back();
  view.number = number;
  return view;
}

template <typename T>
static T &byName(std::vector<T> &all, const AdaNetVariableName &name) {
  for (T &one : all)
    if (one.name == name.owner)
      return one;
  T &one = all.emplace_back();
  one.name = name.owner;
  one.iteration = name.iteration;
  return one;
}
Member &ModelReader::member(const AdaNetVariableName &name) {
  return byName(iteration(name.iteration).members, name);
}
Ensemble &ModelReader::ensemble(const AdaNetVariableName &name) {
  return byName(iteration(name.iteration).ensembles, name);
}

// The iteration of a checkpoint is the value of `current_iteration` or, in
// object-based checkpoints, the iteration number that the root object holds
// (AN-075). Without either it is the highest iteration of a member.
Status ModelReader::readCounters() {
  INGOT_ASSIGN_OR_RETURN(ObjectCheckpointNames objects,
                         ObjectCheckpointNames::read(reader));
  for (const std::string &key : reader.keys())
    keys.emplace(objects.nameOf(key), key);
  int64_t highest = -1;
  for (const auto &[variable, key] : keys)
    if (auto name = parseName(variable);
        name && name->kind == AdaNetVariableName::Member)
      highest = std::max(highest, name->iteration);
  if (highest < 0)
    return Status(StatusCode::FailedPrecondition,
                  "'" + model.directory +
                      "' is not a model directory of AdaNet: '" +
                      model.checkpoint +
                      "' has no variable of a member, "
                      "'adanet/iteration_0/subnetwork_...'");
  model.current = iterationOf(reader).value_or(highest);
  // The current iteration may be higher than that of the newest member, because
  // `ingot-adanet prune` adds an iteration without members.
  if (model.current < highest)
    return Status(
        StatusCode::DataLoss,
        "'" + model.checkpoint + "' is damaged: it claims iteration " +
            std::to_string(model.current) + ", but has members of iteration " +
            std::to_string(highest));
  if (auto step = keys.find("global_step"); step != keys.end()) {
    INGOT_ASSIGN_OR_RETURN(model.globalStep, integer(step->second));
  }
  return Status::ok();
}

Status ModelReader::readArchitectureFiles() {
  INGOT_ASSIGN_OR_RETURN(
      std::vector<EnsembleArchitecture> files,
      readArchitectures(fileSystem, model.directory, model.current));
  // The iteration number needs no upper limit, although a damaged checkpoint
  // may claim a huge one: readArchitectures() fails unless every earlier
  // iteration has an architecture file.
  for (EnsembleArchitecture &file : files)
    iteration(file.iteration).architecture = std::move(file);
  iteration(model.current);
  // The current iteration has an architecture file, too, if it has selected its
  // ensemble but the next iteration has no checkpoint yet (AN-067).
  INGOT_ASSIGN_OR_RETURN(
      iteration(model.current).architecture,
      readSelection(fileSystem, model.directory, reader, model.current));
  return Status::ok();
}

/// Adds a member's variable to the layer in whose scope it is, or reads the
/// member's step counter. Skips the slot variables of optimizers.
Status ModelReader::readMember(const AdaNetVariableName &name,
                               const std::string &key) {
  const CheckpointEntry &entry = *reader.find(key);
  if (name.rest == "step") {
    INGOT_ASSIGN_OR_RETURN(member(name).steps, integer(key));
    return Status::ok();
  }
  if (isSlot(name.rest) || name.rest == "iteration_step")
    return Status::ok();
  Member &owner = member(name);
  size_t slash = name.rest.rfind('/');
  std::string layer(slash == std::string_view::npos
                        ? std::string_view()
                        : name.rest.substr(0, slash));
  auto found = std::find_if(
      owner.layers.begin(), owner.layers.end(),
      [&](const MemberLayerOverview &other) { return other.name == layer; });
  if (found == owner.layers.end())
    found = owner.layers.insert(owner.layers.end(), {layer, {}});
  std::string_view own =
      slash == std::string_view::npos ? name.rest : name.rest.substr(slash + 1);
  found->variables.push_back({std::string(own), entry.shape});
  owner.parameters += elementCount(entry.shape).value_or(0);
  return Status::ok();
}

// Reads a variable of an ensemble: step counter, bias or mixture weight. The
// name of a mixture weight is
// "weighted_subnetwork_<k>/logits[_<head>]/mixture_weight" (AN-077, AN-079).
Status ModelReader::readEnsemble(const AdaNetVariableName &name,
                                 const std::string &key) {
  constexpr std::string_view weighted = "weighted_subnetwork_",
                             logits = "/logits", weight = "/mixture_weight";
  std::string_view rest = name.rest;
  if (rest == "step") {
    INGOT_ASSIGN_OR_RETURN(ensemble(name).steps, integer(key));
    return Status::ok();
  }
  if (rest == "bias") {
    ensemble(name).bias = reader.find(key)->shape;
    return Status::ok();
  }
  if (!rest.starts_with(weighted) || !rest.ends_with(weight))
    return Status::ok();
  rest.remove_prefix(weighted.size());
  rest.remove_suffix(weight.size());
  size_t index = 0;
  auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), index);
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  // An index above 4096 can only come from a damaged or hostile checkpoint, so
  // the variable is ignored.
  if (error != std::errc() || index > 4096 || !rest.starts_with(logits))
    return Status::ok();
  rest.remove_prefix(logits.size());
  MixtureWeight found;
  found.head = rest.starts_with('_') ? rest.substr(1) : rest;
  found.shape = reader.find(key)->shape;
  INGOT_ASSIGN_OR_RETURN(found.norm, normOf(key));
  // `member` holds the member's index in the ensemble until nameWeights()
  // replaces it by the name. Weights arrive in the lexicographic order of keys,
  // 10 before 2, and nameWeights() sorts them.
  found.member = std::to_string(index);
  ensemble(name).weights.push_back(std::move(found));
  return Status::ok();
}

// Reads a variable of a candidate from the checkpoint: the moving average of
// its AdaNet loss, or the number of steps that the average covers (AN-078).
Status ModelReader::readCandidate(const AdaNetVariableName &name,
                                  const std::string &key) {
  if (name.rest == "adanet_loss") {
    INGOT_ASSIGN_OR_RETURN(ensemble(name).loss, number(key));
  } else if (name.rest.ends_with("/adanet_loss/local_step")) {
    INGOT_ASSIGN_OR_RETURN(ensemble(name).lossSteps, number(key));
  }
  return Status::ok();
}

Status ModelReader::readVariables() {
  for (const auto &[variable, key] : keys) {
    auto name = parseName(variable);
    if (!name || name->iteration > model.current)
      continue;
    if (name->kind == AdaNetVariableName::Member)
      INGOT_RETURN_IF_ERROR(readMember(*name, key));
    else if (name->kind == AdaNetVariableName::Ensemble)
      INGOT_RETURN_IF_ERROR(readEnsemble(*name, key));
    else if (name->kind == AdaNetVariableName::Candidate)
      INGOT_RETURN_IF_ERROR(readCandidate(*name, key));
  }
  return Status::ok();
}

/// Reads the order of each iteration's members and candidates from the file
/// that its trainer has written, `report/iteration-<t>.json`.
Status ModelReader::readOrders() {
  for (IterationOverview &view : model.iterations) {
    auto order = readOrder(fileSystem, model.directory, view.number);
    if (!order && order.status().code() != StatusCode::NotFound)
      return order.takeStatus();
    // Ignore a file with other members: it was written before training went
    // back to a checkpoint of an earlier iteration.
    auto isThere = [&](const Member &member) {
      return std::count(order->members.begin(), order->members.end(),
                        member.name) == 1;
    };
    if (!order || order->members.size() != view.members.size() ||
        !std::all_of(view.members.begin(), view.members.end(), isThere))
      continue;
    view.memberOrder = std::move(order->members);
    view.candidateOrder = std::move(order->candidates);
    view.ownCandidates = std::move(order->own);
  }
  return Status::ok();
}

Status ModelReader::readMarkers() {
  for (IterationOverview &view : model.iterations) {
    TrainingDoneMarkers markers(fileSystem, model.directory, view.number);
    auto fill = [&](const std::string &name, std::string &text) -> Status {
      INGOT_ASSIGN_OR_RETURN(auto marker, markers.read(name));
      if (marker)
        text = marker->message;
      return Status::ok();
    };
    for (Member &one : view.members)
      INGOT_RETURN_IF_ERROR(fill(one.name, one.marker));
    for (Ensemble &one : view.ensembles)
      INGOT_RETURN_IF_ERROR(fill(one.name, one.marker));
  }
  return Status::ok();
}

/// Sorts an ensemble's weights by member index, and replaces the indices in
/// `MixtureWeight::member` by members' names.
void ModelReader::nameWeights(Ensemble &ensemble) {
  auto indexOf = [](const MixtureWeight &weight) {
    return static_cast<size_t>(std::stoul(weight.member));
  };
  std::stable_sort(ensemble.weights.begin(), ensemble.weights.end(),
                   [&](const MixtureWeight &a, const MixtureWeight &b) {
                     return indexOf(a) < indexOf(b);
                   });
  // AdaNet numbers weights by member. If there are more or fewer weights than
  // members, the members are unknown: a user-defined strategy chose the
  // ensemble's name, which only looks like one of AdaNet's.
  size_t count =
      ensemble.weights.empty() ? 0 : indexOf(ensemble.weights.back()) + 1;
  if (count != 0 && count != ensemble.members.size())
    ensemble.members.clear();
  for (MixtureWeight &weight : ensemble.weights) {
    size_t index = indexOf(weight);
    weight.member =
        index < ensemble.members.size() ? ensemble.members[index] : "";
  }
}

/// Finds the members of each ensemble. A selected ensemble has an architecture
/// file that lists its members. The members of any other candidate follow from
/// its name and from the previously selected members.
void ModelReader::nameMembers() {
  // Maps the name of each selected ensemble to its architecture. The iteration
  // that selects an ensemble may be later than the iteration that has the
  // ensemble's variables: an iteration may select the previous ensemble again,
  // and `ingot-adanet prune` adds an iteration without members. If several
  // iterations have selected ensembles of the same name, the last iteration
  // counts.
  std::map<std::string, EnsembleArchitecture> selected;
  for (const IterationOverview &view : model.iterations)
    if (view.architecture)
      selected.insert_or_assign(view.architecture->ensembleName(),
                                *view.architecture);
  std::optional<EnsembleArchitecture> previous;
  for (IterationOverview &view : model.iterations) {
    Iteration names;
    names.number = view.number;
    names.ensembles = view.ownCandidates;
    for (const std::string &added : view.memberOrder)
      names.members.push_back({added, 0});
    bool isOrdered = !names.members.empty() || view.members.size() < 2;
    if (names.members.empty())
      for (const Member &added : view.members)
        names.members.push_back({added.name, 0});
    for (Ensemble &one : view.ensembles) {
      auto won = selected.find(one.name);
      auto known = won != selected.end()
                       ? std::optional(won->second)
                       : parseEnsembleName(one.name, names,
                                           previous ? &*previous : nullptr);
      auto isNew = [&](const EnsembleArchitecture::Member &member) {
        return member.iteration == view.number;
      };
      // The name of an ensemble does not tell the order of several new members,
      // so their weights can be assigned only if a file states the order.
      if (known && (isOrdered || won != selected.end() ||
                    std::count_if(known->members.begin(), known->members.end(),
                                  isNew) < 2))
        for (const EnsembleArchitecture::Member &member : known->members)
          one.members.push_back(member.name());
      nameWeights(one);
    }
    if (view.architecture)
      previous = view.architecture;
  }
}

void ModelReader::share() {
  for (IterationOverview &view : model.iterations)
    for (Ensemble &one : view.ensembles) {
      double total = 0;
      for (const MixtureWeight &weight : one.weights)
        total += weight.norm;
      // If all weights are 0, every share is 0 (AN-164).
      for (MixtureWeight &weight : one.weights)
        weight.share = total > 0 ? weight.norm / total : 0;
    }
}

Status ModelReader::findBest() {
  INGOT_ASSIGN_OR_RETURN(BestEnsemble best,
                         findBestEnsemble(fileSystem, model.directory, reader));
  for (IterationOverview &view : model.iterations)
    for (Ensemble &one : view.ensembles)
      one.isBest = one.name == best.name;
  return Status::ok();
}

/// Lists the unfinished work: members that were not trained for all steps, a
/// trained iteration that has not selected its ensemble, a selection after
/// which the next iteration has not begun, and leftovers of a crash.
void ModelReader::findUnfinished() {
  IterationOverview &now = iteration(model.current);
  std::string which = "iteration " + std::to_string(model.current);
  for (const IterationOverview &view : model.iterations)
    if (view.number < model.current)
      for (const Member &one : view.members)
        model.stepsOfIteration =
            std::max(model.stepsOfIteration, one.steps.value_or(-1));
  if (now.architecture)
    model.unfinished.push_back(
        which + " has ended and its ensemble is selected ('" +
        architecturePath(model.directory, model.current) +
        "'), but the next one has not begun: no checkpoint of iteration " +
        std::to_string(model.current + 1));
  bool isDone = !now.members.empty();
  for (const Member &one : now.members) {
    bool reached = model.stepsOfIteration > 0 &&
                   one.steps.value_or(0) >= model.stepsOfIteration;
    if (!one.marker.empty() || reached)
      continue;
    isDone = false;
    model.unfinished.push_back(
        "member " + one.name + " has " + std::to_string(one.steps.value_or(0)) +
        " steps" +
        (model.stepsOfIteration > 0
             ? " of " + std::to_string(model.stepsOfIteration)
             : std::string("; the number of an iteration's steps is unknown")));
  }
  if (isDone && !now.architecture)
    model.unfinished.push_back(
        which + " is trained, but its best ensemble is not selected ('" +
        architecturePath(model.directory, model.current) + "' is missing)");
  // The folder temp_model_dir is left over if AdaNet crashed during growth
  // (AN-065).
  if (fileSystem.kindOf(model.directory + "/temp_model_dir") ==
      FileKind::Directory)
    model.unfinished.push_back(
        "'" + model.directory +
        "/temp_model_dir' is left over from an interrupted growth");
}

Status ModelReader::read() {
  INGOT_RETURN_IF_ERROR(readCounters());
  INGOT_RETURN_IF_ERROR(readArchitectureFiles());
  INGOT_RETURN_IF_ERROR(readVariables());
  INGOT_RETURN_IF_ERROR(readMarkers());
  INGOT_RETURN_IF_ERROR(readOrders());
  nameMembers();
  share();
  INGOT_RETURN_IF_ERROR(findBest());
  findUnfinished();
  return Status::ok();
}

Expected<ModelOverview> adanet::readModel(FileSystem &fileSystem,
                                          const std::string &directory,
                                          const std::string &checkpoint,
                                          SessionLogger &reporter) {
  ModelOverview model;
  model.directory = directory;
  model.checkpoint = checkpoint;
  if (checkpoint.empty()) {
    // A missing architecture file is reported first, because other errors do
    // not matter while this file is missing (AN-031).
    INGOT_RETURN_IF_ERROR(
        countArchitectures(fileSystem, directory).takeStatus());
    CheckpointManagerOptions options;
    options.directory = directory;
    INGOT_ASSIGN_OR_RETURN(
        LatestCheckpoint latest,
        CheckpointManager(fileSystem, options).latestComplete());
    for (const std::string &warning : latest.warnings)
      reporter.warning(warning);
    if (!latest.found)
      return Status(StatusCode::NotFound,
                    "no usable checkpoint in '" + directory +
                        "': train first, or give another --model-dir");
    model.checkpoint = latest.found->prefix;
  }
  INGOT_ASSIGN_OR_RETURN(auto reader,
                         CheckpointReader::open(fileSystem, model.checkpoint));
  INGOT_RETURN_IF_ERROR(ModelReader(fileSystem, *reader, model).read());
  return model;
}
