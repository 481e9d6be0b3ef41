//===- FetchedMetrics.cpp - Metrics from the fetches of batches -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Evaluation/FetchedMetrics.h"

#include "runtime/CommandLine/Evaluation/ConfusionCounts.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Json.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>

using namespace ingot;

/// Returns the name of a fetch without its port if that is 0:
/// "accuracy/update_op" for "accuracy/update_op:0".
static std::string_view nodeName(std::string_view fetch) {
  if (fetch.ends_with(":0"))
    fetch.remove_suffix(2);
  return fetch;
}

/// The suffixes of the names of the two nodes of a streaming metric: tf.metrics
/// calls these nodes NAME/value and NAME/update_op.
static constexpr std::string_view streamingSuffixes[] = {"/update_op",
                                                         "/value"};

static bool isStreaming(std::string_view node) {
  return std::any_of(
      std::begin(streamingSuffixes), std::end(streamingSuffixes),
      [&](std::string_view suffix) { return node.ends_with(suffix); });
}

static bool isLoss(std::string_view fetch, const char *loss) {
  return loss && fetch == loss;
}

std::string ingot::metricName(std::string_view fetch, const char *loss) {
  if (isLoss(fetch, loss))
    return "loss";
  std::string_view node = nodeName(fetch);
  for (std::string_view suffix : streamingSuffixes)
    if (node.ends_with(suffix))
      node.remove_suffix(suffix.size());
  return std::string(node);
}

namespace {

/// The result of one fetch of the evaluation: its mean over all batches or, for
/// the nodes of streaming metrics, its value in the last batch.
class FetchedMetric {
public:
  FetchedMetric(const BoundEntryPoint &bound, size_t index, const char *loss)
      : bound(bound), index(index) {
    const char *fetch = bound.fetches()[index].name;
    theName = metricName(fetch, loss);
    isLast = !isLoss(fetch, loss) && isStreaming(nodeName(fetch));
  }

  /// Adds the value that the fetch had in the batch that has just run.
  /// `weights` has a weight per example of the batch, or is empty if all
  /// weights are 1. If the tensor has several elements per example, those of
  /// one example are consecutive.
  void add(std::span<const float> weights = {}) {
    ingot_tensor_spec spec = bound.fetchSpec(index);
    int64_t elements = elementCountOf(spec);
    isNumber = isNumeric(spec.dtype) && elements == 1;
    // The fetch has an element for each example (such as a loss without
    // reduction): average over examples, not over batches.
    isPerExample = !isLast && spec.rank > 0 && isFloating(spec.dtype);
    if (isPerExample) {
      const char *data = static_cast<const char *>(bound.fetch(index));
      size_t size = dtypeSize(spec.dtype);
      auto numbers = static_cast<size_t>(elements);
      for (size_t i = 0; i < numbers; ++i) {
        double weight =
            weights.empty() ? 1 : weights[i * weights.size() / numbers];
        sum += weight * elementAsDouble(spec.dtype, data + i * size);
        examples += weight;
      }
    } else if (isNumber) {
      sum += elementAsDouble(spec.dtype, bound.fetch(index));
    }
    text.clear();
    appendJsonTensor(text, spec, bound.fetch(index));
    ++count;
  }

  EvaluationResults::Metric result() const {
    EvaluationResults::Metric metric = {theName, text, 0, isNumber};
    if (isPerExample && examples > 0)
      return mean(examples);
    if (!isNumber || count == 0)
      return metric;
    if (isLast || count == 1) {
      ingot_tensor_spec spec = bound.fetchSpec(index);
      metric.value = elementAsDouble(spec.dtype, bound.fetch(index));
      return metric;
    }
    return mean(static_cast<double>(count));
  }

private:
  EvaluationResults::Metric mean(double of) const {
    EvaluationResults::Metric metric = {theName, "", sum / of, true};
    appendElement(metric.text, INGOT_DOUBLE, &metric.value);
    return metric;
  }

  const BoundEntryPoint &bound;
  size_t index;
  std::string theName, text;
  bool isLast = false, isNumber = false, isPerExample = false;
  double sum = 0, examples = 0; // `examples`: the sum of the examples' weights
  int64_t count = 0;
};

/// The weights of a batch's examples, for the metrics of one head. A fetch
/// called OWNER/curve/weights/HEAD, given by its index, has them: OWNER is a
/// candidate or member, and HEAD its head.
struct FetchedExampleWeights {
  std::string owner, head;
  size_t index;
};

/// Two fetches of one head, "NAME/curve/labels" and "NAME/curve/predictions",
/// given by their indices, and the confusion counts of the batches so far, from
/// which AUC and similar metrics are computed.
struct AUCMetricAccumulator {
  /// `owner` is the prefix of the names, such as "ensemble/t0_a_grow/"; `head`
  /// is "/NAME" if the head has a name, otherwise "".
  std::string owner, head;
  size_t labels, predictions;
  ConfusionCounts counts = {};
};

} // namespace

/// Splits the name of a fetch at `name`. For
/// "ensemble/t0_a_grow/curve/labels/HEAD" and the `name` "curve/labels",
/// returns "ensemble/t0_a_grow/" and "/HEAD". Returns std::nullopt if the fetch
/// does not contain `name` as whole components.
static std::optional<std::pair<std::string, std::string>>
ownerAndHead(const std::string &fetch, std::string_view name) {
  size_t at = fetch.rfind(name);
  if (at == std::string::npos || (at != 0 && fetch[at - 1] != '/'))
    return std::nullopt;
  std::string head = fetch.substr(at + name.size());
  if (!head.empty() && head.front() != '/')
    return std::nullopt;
  return std::make_pair(fetch.substr(0, at), head);
}

static std::vector<FetchedExampleWeights>
findWeights(const BoundEntryPoint &bound) {
  std::vector<FetchedExampleWeights> found;
  for (size_t i = 0; i < bound.fetches().size(); ++i)
    if (auto of = ownerAndHead(bound.fetches()[i].name, "curve/weights");
        of && bound.fetches()[i].dtype == INGOT_FLOAT)
      found.push_back({of->first, of->second, i});
  return found;
}

/// Returns the weights of the last batch's examples in the metric of fetch
/// `fetch`: the FetchedExampleWeights with the same owner and head as the
/// fetch. Empty if all weights are 1.
static std::span<const float>
weightsOf(const BoundEntryPoint &bound,
          const std::vector<FetchedExampleWeights> &all,
          const std::string &fetch) {
  for (const FetchedExampleWeights &weights : all) {
    if (!fetch.starts_with(weights.owner) || !fetch.ends_with(weights.head))
      continue;
    // The empty owner means the best candidate. Every fetch starts with "", so
    // exclude the metrics of named ensembles and members here.
    if (weights.owner.empty() &&
        (fetch.starts_with("ensemble/") || fetch.starts_with("subnetwork/")))
      continue;
    return {
        static_cast<const float *>(bound.fetch(weights.index)),
        static_cast<size_t>(elementCountOf(bound.fetchSpec(weights.index)))};
  }
  return {};
}

static std::vector<AUCMetricAccumulator>
findCurves(const BoundEntryPoint &bound) {
  std::vector<AUCMetricAccumulator> found;
  for (size_t i = 0; i < bound.fetches().size(); ++i) {
    auto of = ownerAndHead(bound.fetches()[i].name, "curve/labels");
    if (!of)
      continue;
    auto &[owner, head] = *of;
    for (size_t j = 0; j < bound.fetches().size(); ++j)
      if (bound.fetches()[j].name == owner + "curve/predictions" + head)
        found.push_back({owner, head, i, j});
  }
  return found;
}

static void addBatch(const BoundEntryPoint &bound,
                     const std::vector<FetchedExampleWeights> &weights,
                     AUCMetricAccumulator &curve) {
  ingot_tensor_spec labels = bound.fetchSpec(curve.labels),
                    predictions = bound.fetchSpec(curve.predictions);
  int64_t count = elementCountOf(labels);
  if (labels.dtype != INGOT_FLOAT || predictions.dtype != INGOT_FLOAT ||
      count != elementCountOf(predictions))
    return;
  curve.counts.add(
      {static_cast<const float *>(bound.fetch(curve.labels)),
       static_cast<size_t>(count)},
      {static_cast<const float *>(bound.fetch(curve.predictions)),
       static_cast<size_t>(count)},
      weightsOf(bound, weights, bound.fetches()[curve.labels].name));
}

/// For each curve, removes the metrics "curve/labels" and "curve/predictions"
/// (whose means say nothing) and adds the metrics that are computed from the
/// confusion counts, such as "auc".
static void replaceCurves(const std::vector<AUCMetricAccumulator> &curves,
                          std::vector<EvaluationResults::Metric> &metrics) {
  for (const AUCMetricAccumulator &curve : curves) {
    auto named = [&](const std::string &name) {
      return curve.owner + name + curve.head;
    };
    auto add = [&](const std::string &name, double value) {
      EvaluationResults::Metric metric = {named(name), "", value, true};
      appendElement(metric.text, INGOT_DOUBLE, &metric.value);
      metrics.push_back(std::move(metric));
    };
    bool hasClasses = false;
    std::erase_if(metrics, [&](const EvaluationResults::Metric &metric) {
      hasClasses |= metric.name == named("accuracy");
      return metric.name == named("curve/labels") ||
             metric.name == named("curve/predictions");
    });
    const double values[] = {curve.counts.areaUnderRoc(),
                             curve.counts.areaUnderPrecisionRecall(),
                             curve.counts.precision(), curve.counts.recall(),
                             curve.counts.baseline()};
    static_assert(std::size(values) == std::size(curveMetrics));
    for (size_t i = 0; i < curveMetricsOf(hasClasses).size(); ++i)
      add(curveMetrics[i], values[i]);
  }
}

/// The compiled function (entry) that runs for each batch, and the metrics of
/// its fetches so far.
struct FetchedMetrics::Batches {
  Batches(const BoundEntryPoint &bound, const char *loss)
      : bound(bound), curves(findCurves(bound)), weights(findWeights(bound)) {
    for (size_t i = 0; i < bound.fetches().size(); ++i)
      fetched.emplace_back(bound, i, loss);
  }

  const BoundEntryPoint &bound;
  std::vector<FetchedMetric> fetched;
  std::vector<AUCMetricAccumulator> curves;
  std::vector<FetchedExampleWeights> weights;
};

FetchedMetrics::FetchedMetrics(const char *loss) : loss(loss) {}
FetchedMetrics::~FetchedMetrics() = default;

void FetchedMetrics::reset() { batches.reset(); }

void FetchedMetrics::add(const BoundEntryPoint &bound) {
  if (!batches)
    batches = std::make_unique<Batches>(bound, loss);
  for (size_t i = 0; i < batches->fetched.size(); ++i)
    batches->fetched[i].add(
        weightsOf(bound, batches->weights, bound.fetches()[i].name));
  for (AUCMetricAccumulator &curve : batches->curves)
    addBatch(bound, batches->weights, curve);
}

std::vector<EvaluationResults::Metric> FetchedMetrics::results() const {
  std::vector<EvaluationResults::Metric> metrics;
  if (!batches)
    return metrics;
  for (const FetchedMetric &metric : batches->fetched)
    metrics.push_back(metric.result());
  replaceCurves(batches->curves, metrics);
  std::erase_if(metrics, [](const EvaluationResults::Metric &metric) {
    return ownerAndHead(metric.name, "curve/weights").has_value();
  });
  return metrics;
}
