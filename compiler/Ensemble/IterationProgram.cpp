//===- IterationProgram.cpp - The program of one iteration ----------------===//

#include "compiler/Ensemble/IterationProgram.h"

#include "compiler/Ensemble/PlacedSteps.h"

#include <algorithm>
#include <cmath>

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

static constexpr VariableOptions untrained = {.trainable = false};

IterationProgram::IterationProgram(Graph &graph, const Search &search,
                                   const Lineage &lineage,
                                   std::optional<Candidate> previous)
    : graph(graph), search(search), lineage(lineage),
      candidates(candidatesOf(search, lineage)),
      hasPrevious(previous.has_value()) {
  if (previous)
    candidates.insert(candidates.begin(), std::move(*previous));
}

static Columns columnsOf(const Element &element) {
  Columns columns;
  for (size_t i = 0; i < element.names().size(); ++i)
    columns[element.names()[i]] = element.tensors()[i];
  return columns;
}

std::string IterationProgram::iterationScope() const {
  return "adanet/iteration_" + std::to_string(lineage.iteration);
}

bool IterationProgram::isLabel(const std::string &column) const {
  for (const auto &[name, dtype] : search.head->columns())
    if (name == column)
      return true;
  return false;
}

Columns IterationProgram::inputs(const Columns &columns) const {
  Columns rest;
  for (const auto &[name, tensor] : columns)
    if (!isLabel(name))
      rest[name] = tensor;
  return rest;
}

std::vector<IterationProgram::Component> IterationProgram::fedColumns() const {
  std::vector<Component> all = search.fedColumns;
  if (all.empty())
    for (const Component &one : components)
      if (!isLabel(one.name))
        all.push_back(one);
  return all;
}

Columns IterationProgram::feed(Entry &entry) const {
  Columns columns;
  for (const Component &one : fedColumns())
    columns[one.name] = entry.feed(one.name, one.dtype, one.shape);
  return columns;
}

IterationProgram::Built
IterationProgram::buildMember(size_t index, const Features &features,
                              const std::vector<PreviousMember> &previous,
                              bool training) {
  bool isNew = index >= lineage.members.size();
  Member member = isNew
                      ? Member{lineage.iteration,
                               lineage.builders[index - lineage.members.size()]}
                      : lineage.members[index];
  Built built;
  built.name = member.name();
  built.born = member.iteration;
  built.scope = "adanet/iteration_" + std::to_string(member.iteration) +
                "/subnetwork_" + built.name;
  NameScope scope(graph, built.scope);
  Variable step = graph.variable("step", {}, DType::Int64, zeros(), untrained);
  // Members see those of earlier iterations, which stand in front of them.
  std::vector<PreviousMember> earlier;
  for (size_t i = 0; i < previous.size(); ++i)
    if (isNew || lineage.members[i].iteration < member.iteration)
      earlier.push_back(previous[i]);
  // AN-039: what is done computes as in inference.
  BuildContext context = {graph,
                          features,
                          search.head->logitsDimension(),
                          training && isNew,
                          member.iteration,
                          step.read(),
                          earlier};
  built.network = member.builder->build(context);
  checkParts(built);
  return built;
}

// AN-175, 176. What a builder gives is anybody's.
void IterationProgram::checkParts(const Built &member) const {
  // A part may be missing because of what was said already.
  if (!graph.ok())
    return;
  const Subnetwork &network = member.network;
  auto fail = [&](const std::string &what) {
    graph.addError("member '" + member.name + "' " + what);
  };
  if (!network.logits)
    return fail("has no logits");
  if (!network.lastLayer)
    return fail("has no last layer");
  if (!std::isfinite(network.complexity) || network.complexity < 0)
    return fail("has complexity " + std::to_string(network.complexity) +
                ", a number from 0 on is expected");
  int64_t expected = search.head->logitsDimension();
  auto shape = network.logits.shape();
  if (shape &&
      (shape->size() != 2 || ((*shape)[1] >= 0 && (*shape)[1] != expected)))
    fail("has logits of " +
         (shape->size() == 2 ? "[batch, " + std::to_string((*shape)[1]) + "]"
                             : std::to_string(shape->size()) + " dimensions") +
         ", the head takes [batch, " + std::to_string(expected) + "]");
}

Mixture IterationProgram::mix(const std::vector<Built> &all,
                              const Candidate &candidate) {
  std::vector<Subnetwork> members;
  std::vector<int64_t> born;
  for (size_t index : candidate.members) {
    members.push_back(all[index].network);
    born.push_back(all[index].born);
  }
  return buildMixture(graph, candidate, members, born, *search.head);
}

IterationProgram::Networks
IterationProgram::buildNetworks(const Columns &columns, bool training) {
  Networks networks;
  Features features = search.features(graph, inputs(columns));
  std::vector<PreviousMember> previous;
  size_t old = lineage.members.size(), all = old + lineage.builders.size();
  for (size_t i = 0; i < all; ++i) {
    networks.members.push_back(buildMember(i, features, previous, training));
    if (i < old)
      previous.push_back(
          {networks.members.back().name, networks.members.back().network});
  }
  for (const Candidate &candidate : candidates)
    networks.mixtures.push_back(mix(networks.members, candidate));
  return networks;
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

std::vector<IterationProgram::Trained>
IterationProgram::addLosses(const Networks &networks, const Columns &columns,
                            std::vector<Tensor> &losses,
                            std::vector<Tensor> &adanetLosses) {
  std::vector<Trained> trained;
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i) {
    const Built &member = networks.members[i];
    NameScope scope(graph, member.scope);
    size_t index = i - lineage.members.size();
    optimizers.push_back(
        std::make_unique<Optimizer>(lineage.builders[index]->optimizer()));
    trained.push_back({member.scope, optimizers.back().get(),
                       graph.variables(member.scope + "/", true),
                       search.head->loss(member.network.logits, columns)});
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    NameScope scope(graph, candidates[i].scope("ensemble"));
    const Mixture &mixture = networks.mixtures[i];
    Tensor loss = search.head->loss(mixture.logits, columns);
    bool isPenalized = static_cast<bool>(mixture.penalty);
    losses.push_back(loss);
    adanetLosses.push_back(isPenalized ? loss + mixture.penalty : loss);
    const auto *kind =
        std::get_if<ComplexityRegularized>(candidates[i].ensembler);
    if ((hasPrevious && i == 0) || !kind || !kind->optimizer ||
        mixture.trained.empty())
      continue;
    // AN-159, 162.
    Tensor objective = adanetLosses.back();
    if (kind->penaltyTwice && isPenalized)
      objective = objective + mixture.penalty;
    trained.push_back({candidates[i].scope("ensemble"), &*kind->optimizer,
                       mixture.trained, objective});
  }
  return trained;
}

void IterationProgram::train(const std::vector<Trained> &trained) {
  // All gradients are of values from before the step (AN-044).
  std::vector<std::vector<Tensor>> all;
  for (const Trained &one : trained) {
    NameScope scope(graph, one.scope);
    all.push_back(hasOwnInput(one.scope) ? std::vector<Tensor>()
                                         : gradients(one.loss, one.variables));
  }
  for (size_t i = 0; i < trained.size(); ++i) {
    const Trained &one = trained[i];
    if (hasOwnInput(one.scope))
      continue;
    bool isMember = one.scope.find("/subnetwork_") != std::string::npos;
    NameScope scope(graph,
                    one.scope + (isMember ? "" : "/train_mixture_weights"));
    Tensor step = graph.findVariable(one.scope + "/step").read();
    one.optimizer->apply(graph, one.variables, all[i], step);
  }
}

bool IterationProgram::hasOwnInput(const std::string &scope) const {
  for (const auto &builder : lineage.builders)
    if (scope == iterationScope() + "/subnetwork_" +
                     Member{lineage.iteration, builder}.name())
      return builder->input().has_value();
  return false;
}

// AN-233: what trains the member, in front of the step, which counts.
void IterationProgram::addOwnInput(size_t index) {
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
  Columns columns = columnsOf(own.next());
  search.head->check(columns);
  Features features = search.features(graph, inputs(columns));
  std::vector<PreviousMember> previous;
  for (size_t i = 0; i < old; ++i) {
    Built built = buildMember(i, features, previous, true);
    previous.push_back({built.name, built.network});
  }
  Built member = buildMember(index, features, previous, true);
  NameScope scope(graph, member.scope);
  std::vector<Variable> variables =
      graph.variables(member.scope + "/", /*onlyTrainable=*/true);
  std::vector<Tensor> all =
      gradients(search.head->loss(member.network.logits, columns), variables);
  optimizers.push_back(std::make_unique<Optimizer>(builder->optimizer()));
  optimizers.back()->apply(graph, variables, all,
                           graph.findVariable(member.scope + "/step").read());
}

// AN-190: what training begins with, whose scales the trainer says.
void IterationProgram::addFirstBatch() {
  Iterator own = graph.iterator(*search.train, "first_batch", false);
  if (!own)
    return;
  Entry entry(graph, "first_batch", Role::Other);
  Columns columns = columnsOf(own.next());
  for (const auto &[name, feature] : search.features(graph, inputs(columns)))
    entry.fetch("feature/" + name, feature.values);
  for (const auto &[name, tensor] : columns)
    if (isLabel(name))
      entry.fetch("label/" + name, tensor);
}

void IterationProgram::addCounters(const Networks &networks) {
  auto count = [&](const std::string &scope) {
    Variable step = graph.findVariable(scope + "/step");
    step.assign(step.read() + 1);
  };
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i)
    count(networks.members[i].scope);
  for (size_t i = hasPrevious; i < candidates.size(); ++i)
    count(candidates[i].scope("ensemble"));
}

void IterationProgram::addStep() {
  Entry entry(graph, "step", Role::Step);
  Columns columns = columnsOf(input.next());
  for (const auto &[name, tensor] : columns)
    components.push_back(
        {name, tensor.dtype(), tensor.shape().value_or(Shape())});
  search.head->check(columns);
  Networks networks = buildNetworks(columns, true);
  for (const Candidate &candidate : candidates) {
    NameScope scope(graph, candidate.scope("ensemble"));
    graph.variable("step", {}, DType::Int64, zeros(), untrained);
  }
  keepEarlier(networks);
  std::vector<Tensor> losses, adanetLosses;
  std::vector<Trained> trained =
      addLosses(networks, columns, losses, adanetLosses);
  Fetches summaries = summarize(networks, trained, losses);
  train(trained);
  std::vector<Tensor> moved;
  for (size_t i = 0; i < candidates.size(); ++i) {
    std::string scope = candidates[i].scope("candidate");
    // AN-133, 134: that of the ensemble so far stands still.
    moved.push_back(hasPrevious && i == 0 && !search.remeasurePrevious
                        ? averageOf(graph, scope).read()
                        : moveAverage(graph, scope, adanetLosses[i],
                                      search.adanetLossDecay));
  }
  addCounters(networks);
  std::vector<Tensor> best =
      selectBest(moved, {losses}, search.forceGrow && hasPrevious);
  entry.loss(iterationScope() + "/best_loss/Reshape:0", best[1]);
  summaries.emplace_back("./loss", best[1]); // AN-202
  summaries.emplace_back("./iteration/adanet/iteration",
                         graph.scalar(static_cast<double>(lineage.iteration)));
  for (size_t i = hasPrevious; i < candidates.size(); ++i)
    summaries.emplace_back("ensemble/" + candidates[i].fullName() +
                               "/adanet_loss/adanet/adanet_weighted_ensemble",
                           moved[i]);
  for (auto &[name, value] : summaries)
    entry.fetch(name, value);
}

// AN-203 to 205, by the names of runtime/AdaNet/SummariesHook.h; members'
// losses are watched for what is not finite, too.
IterationProgram::Fetches
IterationProgram::summarize(const Networks &networks,
                            const std::vector<Trained> &trained,
                            const std::vector<Tensor> &losses) const {
  Fetches fetches;
  auto stepOf = [&](const std::string &scope) {
    return graph.findVariable(scope + "/step").read();
  };
  const std::string step = "iteration_step/adanet/iteration_step";
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i) {
    const Built &member = networks.members[i];
    std::string folder = "subnetwork/" + member.name + "/";
    fetches.emplace_back(folder + "loss",
                         trained[i - lineage.members.size()].loss);
    fetches.emplace_back(folder + step, stepOf(member.scope));
  }
  const std::string all = "/adanet/adanet_weighted_ensemble";
  for (size_t i = hasPrevious; i < candidates.size(); ++i) {
    const Mixture &mixture = networks.mixtures[i];
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
                           divNoNan(norms[k], total)); // AN-164
    }
  }
  return fetches;
}

// AdaNet builds all ensembles that it has ever selected, and looks their
// variables up in each checkpoint (AN-153).
void IterationProgram::keepEarlier(const Networks &networks) {
  for (const Candidate &candidate : earlierOf(search, lineage)) {
    mix(networks.members, candidate);
    averageOf(graph, candidate.scope("candidate"));
    NameScope scope(graph, candidate.scope("ensemble"));
    graph.variable("step", {}, DType::Int64, zeros(), untrained);
  }
}

void IterationProgram::addAfterStep() {
  Entry entry(graph, "after_step", Role::Other);
  entry.runAfterStep();
  // AN-037: the mean, as a whole number.
  Tensor total;
  for (const auto &builder : lineage.builders) {
    std::string scope = iterationScope() + "/subnetwork_" +
                        Member{lineage.iteration, builder}.name();
    Tensor at = graph.findVariable(scope + "/step").read() +
                static_cast<double>(lineage.firstStep);
    total = total ? total + at : at;
  }
  graph.globalStep().assign(total /
                            static_cast<double>(lineage.builders.size()));
}

void IterationProgram::addGrow() {
  if (!hasPrevious)
    return;
  Entry entry(graph, "grow", Role::Other);
  for (size_t i = 1; i < candidates.size(); ++i)
    warmStart(graph, candidates[i], candidates[0], *search.head);
  if (search.remeasurePrevious)
    resetAverage(graph, candidates[0].scope("candidate"));
}

//===----------------------------------------------------------------------===//
// Evaluation and prediction
//===----------------------------------------------------------------------===//

std::vector<Tensor> IterationProgram::averages() {
  std::vector<Tensor> values;
  for (const Candidate &candidate : candidates)
    values.push_back(averageOf(graph, candidate.scope("candidate")).read());
  return values;
}

void IterationProgram::addEvaluation(
    const std::string &name, const std::function<Columns(Entry &)> &read) {
  Entry entry(graph, name, Role::Evaluate);
  Columns columns = read(entry);
  search.head->check(columns);
  Networks networks = buildNetworks(columns, false);

  std::vector<std::vector<Tensor>> lists(1);
  std::vector<std::string> names = {"loss"};
  std::vector<std::pair<std::string, Tensor>> fetches;
  for (size_t i = 0; i < candidates.size(); ++i) {
    NameScope scope(graph, candidates[i].scope("ensemble"));
    const Mixture &mixture = networks.mixtures[i];
    std::string prefix = "ensemble/" + candidates[i].fullName() + "/";
    Tensor loss = search.head->loss(mixture.logits, columns);
    lists[0].push_back(loss);
    fetches.emplace_back(prefix + "loss", loss);
    fetches.emplace_back(prefix + "adanet_loss",
                         mixture.penalty ? loss + mixture.penalty : loss);
    std::vector<Figure> figures = search.head->figures(mixture.logits, columns);
    for (size_t k = 0; k < figures.size(); ++k) {
      fetches.emplace_back(prefix + figures[k].name, figures[k].value);
      if (lists.size() == k + 1) {
        lists.emplace_back();
        names.push_back(figures[k].name);
      }
      lists[k + 1].push_back(figures[k].value);
    }
  }
  for (size_t i = lineage.members.size(); i < networks.members.size(); ++i) {
    NameScope scope(graph, networks.members[i].scope);
    for (Figure &figure :
         search.head->figures(networks.members[i].network.logits, columns))
      fetches.emplace_back("subnetwork/" + networks.members[i].name + "/" +
                               figure.name,
                           figure.value);
  }
  std::vector<Tensor> best =
      selectBest(averages(), lists, search.forceGrow && hasPrevious);
  entry.fetch("best_ensemble_index", best[0]);
  for (auto &[fetch, value] : fetches)
    entry.fetch(fetch, value);
  for (size_t i = 0; i < names.size(); ++i)
    entry.fetch(names[i], best[i + 1]);
}

void IterationProgram::addPrediction() {
  Entry entry(graph, "predict", Role::Predict);
  Columns columns = feed(entry);
  Networks networks = buildNetworks(columns, false);
  std::vector<std::vector<Tensor>> lists;
  std::vector<std::string> names;
  for (size_t i = 0; i < candidates.size(); ++i) {
    NameScope scope(graph, candidates[i].scope("ensemble"));
    std::vector<Figure> figures =
        search.head->predictions(networks.mixtures[i].logits);
    lists.resize(figures.size());
    names.resize(figures.size());
    for (size_t k = 0; k < figures.size(); ++k) {
      names[k] = figures[k].name;
      lists[k].push_back(figures[k].value);
    }
  }
  std::vector<Tensor> best =
      selectBest(averages(), lists, search.forceGrow && hasPrevious);
  for (size_t i = 0; i < names.size(); ++i)
    entry.fetch(names[i], best[i + 1]);
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

void IterationProgram::build(int64_t processes) {
  input = graph.iterator(*search.train, "input");
  // Functions of the user's would miss the columns.
  if (!input)
    return;
  addStep();
  for (int64_t i = 0; i <= lineage.iteration; ++i) {
    NameScope scope(graph, "adanet/iteration_" + std::to_string(i));
    graph.variable("iteration_number", {}, DType::Int64,
                   constant(static_cast<double>(i)), untrained);
    graph.variable("save_counter", {}, DType::Int64, zeros(), untrained);
  }
  graph.variable("current_iteration", {}, DType::Int64,
                 constant(static_cast<double>(lineage.iteration)), untrained);
  addAfterStep();
  addGrow();
  std::vector<std::pair<std::string, std::string>> owners;
  for (const auto &builder : lineage.builders) {
    std::string name = Member{lineage.iteration, builder}.name();
    owners.emplace_back(name, iterationScope() + "/subnetwork_" + name);
  }
  for (size_t i = hasPrevious; i < candidates.size(); ++i)
    owners.emplace_back(candidates[i].fullName(),
                        candidates[i].scope("ensemble"));
  addTrainedState(graph, owners);
  if (processes > 1) {
    owners.resize(lineage.builders.size());
    addPlacedSteps(graph, owners, processes);
  }
  for (size_t i = 0; i < lineage.builders.size(); ++i)
    addOwnInput(lineage.members.size() + i);
  if (lineage.iteration == 0)
    addFirstBatch();
  if (search.evaluate) {
    evaluation = graph.iterator(*search.evaluate, "evaluation", false);
    if (!evaluation)
      return;
    addEvaluation("evaluate",
                  [&](Entry &) { return columnsOf(evaluation.next()); });
  }
  addEvaluation("evaluate/fed", [&](Entry &entry) {
    Columns columns = feed(entry);
    for (const Component &one : components)
      if (isLabel(one.name))
        columns[one.name] = entry.feed(one.name, one.dtype, one.shape);
    return columns;
  });
  addPrediction();
  graph.finish();
}

} // namespace ingot::ensemble

bool ingot::adanet::buildIteration(
    const Search &search, const std::vector<FinishedIteration> &finished,
    const std::vector<MemberReport> &reports, Graph &graph, int64_t processes) {
  if (!search.train || !search.features || !search.head ||
      search.generators.empty() || search.ensemblers.empty() ||
      search.strategies.empty()) {
    graph.addError("a search needs train, features, head, and at least one "
                   "generator, ensembler and strategy");
    return false;
  }
  std::string error;
  auto lineage = ensemble::traceLineage(search, finished, reports, error);
  if (!lineage) {
    graph.addError(error);
    return false;
  }
  auto previous = ensemble::previousOf(search, *lineage, error);
  if (!error.empty()) {
    graph.addError(error);
    return false;
  }
  for (const auto &builder : lineage->builders)
    if (processes > 1 && builder->input()) {
      graph.addError("builder '" + builder->name() +
                     "' has an input of its own, and its member is not trained "
                     "by one of several processes");
      return false;
    }
  // What networks of two iterations draw is not the same (AN-186).
  graph.setSeed(static_cast<int64_t>(search.seed));
  ensemble::IterationProgram(graph, search, *lineage, std::move(previous))
      .build(processes);
  return graph.ok();
}
