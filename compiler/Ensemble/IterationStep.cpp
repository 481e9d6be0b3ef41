//===- IterationStep.cpp - The training step of an iteration --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/ProgramOps.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::vector<IterationProgramBuilder::MemberOrEnsembleToTrain>
IterationProgramBuilder::addLosses(const MemberAndEnsembleTensors &networks,
                                   const Columns &columns,
                                   std::vector<Tensor> &losses,
                                   std::vector<Tensor> &adanetLosses) {
  std::vector<MemberOrEnsembleToTrain> trained;
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i) {
    const MemberTensors &member = networks.members[i];
    NameScope scope(graph, member.scope);
    size_t index = i - lineage.members.size();
    const Builder &builder = *lineage.builders[index];
    optimizers.push_back(std::make_unique<Optimizer>(builder.optimizer()));
    trained.push_back({member.scope, optimizers.back().get(),
                       graph.variables(member.scope + "/", true),
                       search.head->loss(member.network.logits, columns),
                       builder.hasOwnTraining() ? &builder : nullptr,
                       member.network});
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    NameScope scope(graph, candidates[i].scope("ensemble"));
    const EnsembleTensors &mixture = networks.mixtures[i];
    Tensor loss = search.head->loss(mixture.logits, columns);
    bool isPenalized = static_cast<bool>(mixture.penalty);
    losses.push_back(loss);
    adanetLosses.push_back(isPenalized ? loss + mixture.penalty : loss);
    auto optimizer = optimizerOf(*candidates[i].ensembler);
    // If the builder of the candidate's first new member returns a mixture
    // optimizer, use it instead of the ensembler's optimizer. Mixture
    // optimizers of other builders are ignored (AN-160).
    bool isOfBuilder = false;
    for (size_t index : candidates[i].members)
      if (index >= lineage.members.size()) {
        const auto &builder = lineage.builders[index - lineage.members.size()];
        if (auto own = builder->mixtureOptimizer()) {
          optimizer = std::move(own);
          isOfBuilder = true;
        }
        break;
      }
    if ((hasPrevious && i == 0) || !optimizer || mixture.trained.empty())
      continue;
    optimizers.push_back(std::make_unique<Optimizer>(std::move(*optimizer)));
    // The objective that an ensemble's optimizer minimizes is the loss plus the
    // complexity penalty (AN-162), or plus twice the penalty if `penaltyTwice`
    // is set (AN-159).
    const auto *kind =
        std::get_if<ComplexityRegularizedEnsembler>(candidates[i].ensembler);
    Tensor objective = adanetLosses.back();
    if (kind && kind->penaltyTwice && isPenalized && !isOfBuilder)
      objective = objective + mixture.penalty;
    trained.push_back({candidates[i].scope("ensemble"), optimizers.back().get(),
                       mixture.trained, objective});
  }
  return trained;
}

/// Finds the members and ensembles of `trained` that share an optimizer: their
/// optimizers have the same `instance`, and must have equal settings.
void IterationProgramBuilder::noteInstances(
    const std::vector<MemberOrEnsembleToTrain> &trained) {
  std::map<std::string, const MemberOrEnsembleToTrain *> first;
  for (const MemberOrEnsembleToTrain &one : trained) {
    const std::string &instance = one.optimizer->instance;
    if (instance.empty())
      continue;
    auto [known, isNew] = first.try_emplace(instance, &one);
    if (!isNew && !(*known->second->optimizer == *one.optimizer))
      graph.addError("the optimizers of '" + known->second->scope + "' and '" +
                     one.scope + "' have the same instance '" + instance +
                     "', but different settings: give both the same settings, "
                     "or choose another instance");
    trainedByInstance[instance].push_back(one.scope);
  }
}

/// For each optimizer that several members or ensembles share, computes how
/// many updates it has made: the sum of the step counters of these members and
/// ensembles, as each of them makes one update per step. Adam's powers of beta1
/// and beta2 are computed from this number. The number is not stored in a
/// variable of its own, which would have to be kept equal in all processes that
/// train the iteration. (AdaNet instead multiplies the powers by the betas in
/// each network's train op, in no fixed order, and usually after all train ops
/// of the step have read the powers.)
void IterationProgramBuilder::countUpdates() {
  for (const auto &[instance, scopes] : trainedByInstance) {
    Tensor updates;
    for (const std::string &scope : scopes) {
      Tensor steps = graph.findVariable(scope + "/step").read();
      updates = updates ? updates + steps : steps;
    }
    GraphImpl::OptimizerInstance &shared =
        graph.data().optimizerInstances[instance];
    shared.updates = updates;
    shared.entry = graph.data().entry;
    shared.updatesInEntry = 0;
  }
}

void IterationProgramBuilder::train(
    const std::vector<MemberOrEnsembleToTrain> &trained) {
  noteInstances(trained);
  countUpdates();
  // Compute all gradients before any optimizer assigns a variable, so that all
  // of them see the values from before the step (AN-044).
  std::vector<std::vector<Tensor>> all;
  for (const MemberOrEnsembleToTrain &one : trained) {
    NameScope scope(graph, one.scope);
    all.push_back(hasOwnInput(one.scope) || one.builder
                      ? std::vector<Tensor>()
                      : gradients(one.loss, one.variables));
  }
  for (size_t i = 0; i < trained.size(); ++i) {
    const MemberOrEnsembleToTrain &one = trained[i];
    if (hasOwnInput(one.scope))
      continue;
    bool isMember = one.scope.find("/subnetwork_") != std::string::npos;
    NameScope scope(graph,
                    one.scope + (isMember ? "" : "/train_mixture_weights"));
    Tensor step = graph.findVariable(one.scope + "/step").read();
    if (one.builder)
      trainByBuilder(*one.builder, one.network, one.loss, one.variables, step);
    else
      one.optimizer->apply(graph, one.variables, all[i], step);
  }
}

void IterationProgramBuilder::trainByBuilder(
    const Builder &builder, const Subnetwork &network, Tensor loss,
    const std::vector<Variable> &variables, Tensor step) {
  TrainContext context = {graph, network, loss, variables, step};
  builder.train(context);
}

bool IterationProgramBuilder::hasOwnInput(const std::string &scope) const {
  for (const auto &builder : lineage.builders)
    if (scope == iterationScope() + "/subnetwork_" +
                     Member{lineage.iteration, builder}.name())
      return builder->input().has_value();
  return false;
}

// If the member at `index` has an input pipeline of its own (bagging, AN-233),
// adds an entry of role member_step that draws a batch from it and trains the
// member. The trainer runs this entry before the step. The step does not train
// the member, but increments the member's step counter.
void IterationProgramBuilder::addOwnInput(size_t index) {
  size_t old = lineage.members.size();
  const auto &builder = lineage.builders[index - old];
  auto dataset = builder->input();
  if (!dataset)
    return;
  Iterator own = graph.iterator(*dataset, "input_" + builder->name());
  if (!own)
    return;
  std::string name = Member{lineage.iteration, builder}.name();
  Entry entry(graph, "train/" + name, Role::Other);
  graph.data().setRole(mlir::ingot::Role::member_step, name);
  Columns columns = columnsOf(own.next());
  search.head->check(columns);
  Features features = search.features(graph, inputs(columns));
  buildEarlier(features, true);
  MemberTensors member = buildNew(index - old, features, true);
  NameScope scope(graph, member.scope);
  std::vector<Variable> variables =
      graph.variables(member.scope + "/", /*onlyTrainable=*/true);
  Tensor loss = search.head->loss(member.network.logits, columns);
  Tensor step = graph.findVariable(member.scope + "/step").read();
  if (builder->hasOwnTraining())
    return trainByBuilder(*builder, member.network, loss, variables, step);
  std::vector<Tensor> all = gradients(loss, variables);
  countUpdates();
  optimizers.push_back(std::make_unique<Optimizer>(builder->optimizer()));
  optimizers.back()->apply(graph, variables, all, step);
}

// Adds entry "first_batch", which returns the features and labels of the first
// batch. The trainer logs their smallest and largest values before training
// (AN-190).
void IterationProgramBuilder::addFirstBatch() {
  Iterator own = graph.iterator(*search.train, "first_batch", false);
  if (!own)
    return;
  Entry entry(graph, "first_batch", Role::Other);
  graph.data().setRole(mlir::ingot::Role::first_batch);
  Columns columns = columnsOf(own.next());
  for (const auto &[name, feature] : search.features(graph, inputs(columns)))
    entry.fetch("feature/" + name, feature.values);
  for (const auto &[name, tensor] : columns)
    if (isLabel(name))
      entry.fetch("label/" + name, tensor);
}

void IterationProgramBuilder::addCounters(
    const MemberAndEnsembleTensors &networks) {
  auto count = [&](const std::string &scope) {
    Variable step = graph.findVariable(scope + "/step");
    step.assign(step.read() + 1);
  };
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i)
    count(networks.members[i].scope);
  for (size_t i = hasPrevious; i < candidates.size(); ++i)
    count(candidates[i].scope("ensemble"));
}

void IterationProgramBuilder::addStep() {
  Entry entry(graph, "step", Role::Step);
  Columns columns = columnsOf(input.next());
  for (const auto &[name, tensor] : columns)
    components.push_back(
        {name, tensor.dtype(), tensor.shape().value_or(Shape())});
  search.head->check(columns);
  MemberAndEnsembleTensors networks = buildNetworks(columns, true);
  for (const Candidate &candidate : candidates) {
    NameScope scope(graph, candidate.scope("ensemble"));
    graph.variable("step", {}, DType::Int64, zeros(), untrained);
  }
  keepEarlier(networks);
  std::vector<Tensor> losses, adanetLosses;
  std::vector<MemberOrEnsembleToTrain> trained =
      addLosses(networks, columns, losses, adanetLosses);
  Fetches summaries = summarize(networks, trained, losses);
  train(trained);
  std::vector<Tensor> moved;
  for (size_t i = 0; i < candidates.size(); ++i) {
    std::string scope = candidates[i].scope("candidate");
    // The moving average of the previous ensemble's AdaNet loss stays as it was
    // when the ensemble was selected (AN-133), unless
    // `search.remeasurePrevious` is set (AN-134).
    moved.push_back(hasPrevious && i == 0 && !search.remeasurePrevious
                        ? averageOf(graph, scope).read()
                        : moveAverage(graph, scope, adanetLosses[i],
                                      search.adanetLossDecay));
  }
  addCounters(networks);
  std::vector<Tensor> best =
      selectBest(moved, {losses}, search.forceGrow && hasPrevious);
  entry.loss(iterationScope() + "/best_loss/Reshape:0", best[1]);
  // The folder "." is the model directory, which has AdaNet's global summaries
  // (AN-202).
  summaries.emplace_back("./loss", best[1]);
  summaries.emplace_back("./iteration/adanet/iteration",
                         graph.scalar(static_cast<double>(lineage.iteration)));
  for (size_t i = hasPrevious; i < candidates.size(); ++i)
    summaries.emplace_back("ensemble/" + candidates[i].fullName() +
                               "/adanet_loss/adanet/adanet_weighted_ensemble",
                           moved[i]);
  for (auto &[name, value] : summaries)
    entry.fetch(name, value);
}

// Returns the values that the trainer writes as AdaNet's summaries (AN-203 to
// AN-205), named "FOLDER/TAG" as runtime/AdaNet/AdaNetSummariesHook.h expects.
// Hooks also watch the members' losses for NaN and infinity.
IterationProgramBuilder::Fetches IterationProgramBuilder::summarize(
    const MemberAndEnsembleTensors &networks,
    const std::vector<MemberOrEnsembleToTrain> &trained,
    const std::vector<Tensor> &losses) const {
  Fetches fetches;
  auto stepOf = [&](const std::string &scope) {
    return graph.findVariable(scope + "/step").read();
  };
  const std::string step = "iteration_step/adanet/iteration_step";
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i) {
    const MemberTensors &member = networks.members[i];
    std::string folder = "subnetwork/" + member.name + "/";
    fetches.emplace_back(folder + "loss",
                         trained[i - lineage.members.size()].loss);
    fetches.emplace_back(folder + step, stepOf(member.scope));
    if (Tensor stop = shouldStop(i - lineage.members.size(),
                                 trained[i - lineage.members.size()], member))
      // This fetch is not a summary: it tells the trainer when to stop training
      // the member.
      fetches.emplace_back(folder + "stop:0", stop);
  }
  const std::string all = "/adanet/adanet_weighted_ensemble";
  for (size_t i = hasPrevious; i < candidates.size(); ++i) {
    const EnsembleTensors &mixture = networks.mixtures[i];
    std::string folder = "ensemble/" + candidates[i].fullName() + "/";
    NameScope scope(graph, candidates[i].scope("ensemble"));
    fetches.emplace_back(folder + "loss", losses[i]);
    fetches.emplace_back(folder + step,
                         stepOf(candidates[i].scope("ensemble")));
    if (mixture.penalty)
      fetches.emplace_back(folder + "complexity_regularization" + all,
                           mixture.penalty);
    if (mixture.weights.empty())
      continue;
    std::vector<Tensor> norms;
    for (const std::vector<Tensor> &weights : mixture.weights) {
      norms.push_back(sum(abs(weights[0])));
      for (size_t k = 1; k < weights.size(); ++k)
        norms.back() = norms.back() + sum(abs(weights[k]));
    }
    Tensor list = stack(norms), total = sum(list);
    fetches.emplace_back(folder + "mixture_weights" + all, list);
    for (size_t k = 0; k < norms.size(); ++k) {
      std::string own = all + "/subnetwork_" + std::to_string(k);
      fetches.emplace_back(folder + "mixture_weight_norms" + own, norms[k]);
      fetches.emplace_back(folder + "mixture_weight_fractions" + own,
                           // If all weights are 0, so are their fractions
                           // (AN-164).
                           divNoNan(norms[k], total));
    }
  }
  return fetches;
}

// Returns a bool scalar that is true if the member of the builder at `index`
// must stop training after this step (AN-051). Returns an invalid tensor if the
// builder's shouldStop() returns one.
Tensor
IterationProgramBuilder::shouldStop(size_t index,
                                    const MemberOrEnsembleToTrain &trained,
                                    const MemberTensors &member) const {
  NameScope scope(graph, member.scope);
  TrainContext context = {graph, member.network, trained.loss,
                          trained.variables,
                          graph.findVariable(member.scope + "/step").read()};
  Tensor stop = lineage.builders[index]->shouldStop(context);
  if (stop &&
      (stop.dtype() != DType::Bool || !stop.shape() || !stop.shape()->empty()))
    graph.addError("shouldStop() of builder '" +
                   lineage.builders[index]->name() +
                   "' must return a scalar bool");
  return stop;
}

// Adds the variables of all ensembles that earlier iterations selected. This
// program does not use these ensembles, but AdaNet rebuilds them and expects
// their variables in each checkpoint (AN-031).
void IterationProgramBuilder::keepEarlier(
    const MemberAndEnsembleTensors &networks) {
  for (const Candidate &candidate : earlierOf(search, lineage)) {
    mix(networks.members, candidate, /*training=*/false);
    averageOf(graph, candidate.scope("candidate"));
    NameScope scope(graph, candidate.scope("ensemble"));
    graph.variable("step", {}, DType::Int64, zeros(), untrained);
  }
}

void IterationProgramBuilder::addAfterStep() {
  Entry entry(graph, "after_step", Role::Other);
  entry.runAfterStep();
  // AdaNet defines the global step as the global step at which the iteration
  // began, plus the mean of the step counters of all new members, rounded down
  // (AN-037). The search may ask for the minimum or the maximum of the counters
  // in place of the mean.
  GlobalStepCombiner combiner = search.globalStepCombiner;
  Tensor total;
  for (const auto &builder : lineage.builders) {
    std::string scope = iterationScope() + "/subnetwork_" +
                        Member{lineage.iteration, builder}.name();
    Tensor at = graph.findVariable(scope + "/step").read() +
                static_cast<double>(lineage.firstStep);
    total = !total                                ? at
            : combiner == GlobalStepCombiner::Min ? minimum(total, at)
            : combiner == GlobalStepCombiner::Max ? maximum(total, at)
                                                  : total + at;
  }
  bool isMean = combiner == GlobalStepCombiner::Mean;
  graph.globalStep().assign(
      isMean ? total / static_cast<double>(lineage.builders.size()) : total);
}

void IterationProgramBuilder::addGrow() {
  if (!hasPrevious)
    return;
  Entry entry(graph, "grow", Role::Other);
  graph.data().setRole(mlir::ingot::Role::grow);
  for (size_t i = 1; i < candidates.size(); ++i)
    warmStart(graph, candidates[i], candidates[0], *search.head);
  if (search.remeasurePrevious)
    resetAverage(graph, candidates[0].scope("candidate"));
}

} // namespace ingot::ensemble
