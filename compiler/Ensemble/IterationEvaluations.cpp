//===- IterationEvaluations.cpp - Evaluation and prediction of a search ---===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/IterationProgramBuilder.h"

#include "compiler/Builder/GraphImpl.h"
#include "dialects/Ingot/IR/ProgramOps.h"

#include "llvm/ADT/StringExtras.h"

using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

std::vector<Tensor> IterationProgramBuilder::averages() {
  std::vector<Tensor> values;
  for (const Candidate &candidate : candidates)
    values.push_back(averageOf(graph, candidate.scope("candidate")).read());
  return values;
}

// Computes metrics of one batch and adds them to the totals of each metric over
// all batches: the search's metrics, and those of `builder` unless it is null.
// `columns` has the batch's labels, and `logits` are those of the ensemble or
// member whose fetches begin with `prefix`. Totals are local variables, so each
// evaluation starts with zeros.
void IterationProgramBuilder::addMetrics(
    const std::string &prefix, Tensor logits, const Columns &columns,
    const Builder *builder, std::vector<MetricAccumulators> &totals) {
  if ((!search.metrics && !builder) || !logits)
    return;
  std::map<std::string, Tensor> predictions;
  for (const NamedTensor &one : search.head->predictions(logits))
    predictions[one.name] = one.value;
  std::vector<LabeledPredictions> labeled =
      search.head->labeled(logits, columns);
  MetricContext context = {graph, columns, predictions, labeled};
  std::vector<Metric> metrics;
  if (search.metrics)
    metrics = search.metrics(context);
  if (builder)
    for (Metric &own : builder->metrics(context))
      metrics.push_back(std::move(own));
  for (Metric &metric : metrics) {
    MetricAccumulators total = {
        prefix + metric.name, prefix, std::move(metric), {}};
    for (size_t i = 0; i < total.metric.sums.size(); ++i) {
      Tensor sum = total.metric.sums[i];
      auto shape = sum ? sum.shape() : std::nullopt;
      if (!shape || llvm::is_contained(*shape, unknown)) {
        graph.addError("sum " + std::to_string(i) + " of metric '" +
                       total.metric.name +
                       "' must be a tensor of static shape");
        return;
      }
      // Totals are float64, since a float32 total stops growing after 2^24
      // examples.
      total.variables.push_back(graph.variable(
          "evaluation/" + total.fetch + "/total_" + std::to_string(i), *shape,
          DType::Float64, zeros(), {.trainable = false, .local = true}));
      Variable &variable = total.variables.back();
      variable.assign(variable.read() + cast(sum, DType::Float64));
    }
    totals.push_back(std::move(total));
  }
}

// Adds the entry that computes metrics from their totals after the last batch
// of evaluation `name`.
void IterationProgramBuilder::addMetricsEntry(
    const std::string &name, const std::vector<MetricAccumulators> &totals) {
  if (totals.empty())
    return;
  Entry entry(graph, name + "/metrics", Role::Other);
  graph.data().setRole(mlir::ingot::Role::metrics);
  // Maps the name of each metric to its values for the candidates, in the order
  // of the candidates.
  std::vector<std::string> names;
  std::map<std::string, std::vector<Tensor>> ofCandidates;
  for (const MetricAccumulators &total : totals) {
    std::vector<Tensor> values;
    for (const Variable &variable : total.variables)
      values.push_back(variable.read());
    if (!total.metric.result)
      return graph.addError("metric '" + total.metric.name +
                            "' has no function 'result', which computes the "
                            "metric from its sums");
    Tensor value = cast(total.metric.result(values), DType::Float32);
    entry.fetch(total.fetch, value);
    if (total.prefix.starts_with("ensemble/")) {
      auto &list = ofCandidates[total.metric.name];
      if (list.empty())
        names.push_back(total.metric.name);
      list.push_back(value);
    }
  }
  for (const std::string &metric : names)
    if (ofCandidates[metric].size() == candidates.size())
      entry.fetch(metric, selectBest(averages(), {ofCandidates[metric]},
                                     /*forceGrow=*/false)[1]);
}

void IterationProgramBuilder::addEvaluation(
    const std::string &name, const std::function<Columns(Entry &)> &read,
    bool isFed) {
  Entry entry(graph, name, Role::Evaluate);
  if (isFed)
    graph.data().setRole(mlir::ingot::Role::fed_evaluation);
  Columns columns = read(entry);
  search.head->check(columns);
  MemberAndEnsembleTensors networks = buildNetworks(columns, false);

  std::vector<std::vector<Tensor>> lists(1);
  std::vector<std::string> names = {"loss"};
  std::vector<std::pair<std::string, Tensor>> fetches;
  struct EvaluatedModel {
    std::string prefix;
    Tensor logits;
    // the member's builder; null for an ensemble
    const Builder *builder = nullptr;
  };
  std::vector<EvaluatedModel> owners;
  for (size_t i = 0; i < candidates.size(); ++i) {
    NameScope scope(graph, candidates[i].scope("ensemble"));
    const EnsembleTensors &mixture = networks.mixtures[i];
    std::string prefix = "ensemble/" + candidates[i].fullName() + "/";
    owners.push_back({prefix, mixture.logits});
    Tensor loss = search.head->loss(mixture.logits, columns);
    lists[0].push_back(loss);
    fetches.emplace_back(prefix + "loss", loss);
    fetches.emplace_back(prefix + "adanet_loss",
                         mixture.penalty ? loss + mixture.penalty : loss);
    std::vector<NamedTensor> figures =
        search.head->figures(mixture.logits, columns);
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
    const MemberTensors &member = networks.members[i];
    NameScope scope(graph, member.scope);
    std::string prefix = "subnetwork/" + member.name + "/";
    owners.push_back({prefix, member.network.logits,
                      lineage.builders[i - lineage.members.size()].get()});
    for (NamedTensor &figure :
         search.head->figures(member.network.logits, columns))
      fetches.emplace_back(prefix + figure.name, figure.value);
  }
  std::vector<Tensor> best = selectBest(averages(), lists, /*forceGrow=*/false);
  entry.fetch("best_ensemble_index", best[0]);
  for (auto &[fetch, value] : fetches)
    entry.fetch(fetch, value);
  for (size_t i = 0; i < names.size(); ++i)
    entry.fetch(names[i], best[i + 1]);
  std::vector<MetricAccumulators> totals;
  for (const EvaluatedModel &owner : owners)
    addMetrics(owner.prefix, owner.logits, columns, owner.builder, totals);
  entry.close();
  // The entries for batches of the evaluation dataset and for batches that the
  // caller feeds add to the same totals. So one entry computes the metrics for
  // both; add it when the entry for the dataset is built.
  if (!isFed)
    addMetricsEntry(name, totals);
}

void IterationProgramBuilder::addPrediction() {
  Entry entry(graph, "predict", Role::Predict);
  Columns columns = feed(entry);
  MemberAndEnsembleTensors networks = buildNetworks(columns, false);
  std::vector<std::vector<Tensor>> lists;
  std::vector<std::string> names;
  for (size_t i = 0; i < candidates.size(); ++i) {
    NameScope scope(graph, candidates[i].scope("ensemble"));
    const EnsembleTensors &mixture = networks.mixtures[i];
    std::vector<NamedTensor> figures = search.head->predictions(mixture.logits);
    figures.insert(figures.end(), mixture.predictions.begin(),
                   mixture.predictions.end());
    std::vector<std::string> own;
    lists.resize(figures.size());
    for (size_t k = 0; k < figures.size(); ++k) {
      own.push_back(figures[k].name);
      lists[k].push_back(figures[k].value);
    }
    // The best candidate is known only when the entry runs, so the entry can
    // fetch only predictions that all candidates have (AN-042).
    if (i > 0 && own != names)
      return graph.addError(
          "all candidates must have predictions of the same names, but '" +
          candidates[0].fullName() + "' has [" + llvm::join(names, ", ") +
          "] and '" + candidates[i].fullName() + "' has [" +
          llvm::join(own, ", ") + "]");
    names = own;
  }
  std::vector<Tensor> best = selectBest(averages(), lists, /*forceGrow=*/false);
  for (size_t i = 0; i < names.size(); ++i)
    entry.fetch(names[i], best[i + 1]);
}

void IterationProgramBuilder::addEvaluations() {
  if (search.evaluate) {
    evaluation = graph.iterator(*search.evaluate, "evaluation", false);
    if (!evaluation)
      return;
    addEvaluation("evaluate",
                  [&](Entry &) { return columnsOf(evaluation.next()); });
  }
  // Entry "evaluate/fed" evaluates batches that the caller feeds. If the search
  // has no evaluation data, this is the program's only evaluation, so the entry
  // then has the role of an evaluation instead of fed_evaluation.
  addEvaluation(
      "evaluate/fed",
      [&](Entry &entry) {
        Columns columns = feed(entry);
        for (const FeedColumnSpec &one : components)
          if (isLabel(one.name))
            columns[one.name] = entry.feed(one.name, one.dtype, one.shape);
        return columns;
      },
      /*isFed=*/static_cast<bool>(evaluation));
  // An iteration that adds no members has only one candidate, so it needs no
  // entries for the evaluations that decide which candidate is selected.
  if (lineage.builders.empty())
    return;
  auto add = [&](const char *name, const std::optional<Dataset> &data) {
    Iterator own = data ? graph.iterator(*data, name, false) : Iterator();
    if (own)
      addEvaluation(name, [&](Entry &) { return columnsOf(own.next()); });
  };
  if (search.evaluator)
    add(evaluatorEntry, search.evaluator->input);
  if (search.reports)
    add(reportEntry, search.reportInput);
}

} // namespace ingot::ensemble
