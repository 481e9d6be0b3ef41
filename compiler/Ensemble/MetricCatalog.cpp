//===- MetricCatalog.cpp - Metrics of search files ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/MetricCatalog.h"

#include "compiler/Builder/GraphImpl.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace ingot::adanet;
using namespace ingot::graph;
using Kind = ingot::proto::SearchMetric;

namespace ingot::adanet {

Metric meanMetric(std::string name, Tensor values, Tensor weights) {
  if (!values)
    return {std::move(name), {}, {}};
  values = cast(values, DType::Float32);
  if (weights && weights.shape() && values.shape() &&
      weights.shape()->size() == 2 && values.shape()->size() == 1)
    weights = squeeze(weights, {1});
  Tensor count = weights ? sum(onesLike(values) * weights)
                         : sizeOf(values, DType::Float32);
  return {std::move(name),
          {sum(weights ? values * weights : values), count},
          [](const std::vector<Tensor> &totals) {
            return divNoNan(totals[0], totals[1]);
          }};
}

} // namespace ingot::adanet

namespace ingot::ensemble {

namespace {

using Totals = std::vector<Tensor>;

// As in tf.keras, divisors and arguments of logarithms are at least epsilon.
constexpr double epsilon = 1e-7;
// For metrics with top_k: as in tf.keras.metrics, this value replaces
// predictions that are not among the k highest of their example.
constexpr double belowAll = -1e10;

Tensor rowMean(Tensor x) { return mean(x, {-1}, /*keepDims=*/true); }
Tensor rowSum(Tensor x) { return sum(x, {-1}, /*keepDims=*/true); }
Tensor asNumber(Tensor condition) { return cast(condition, DType::Float32); }
Tensor clip(Tensor x, double low, double high) {
  return minimum(maximum(x, scalarLike(x, low)), scalarLike(x, high));
}
Tensor atLeast(Tensor x, double low) { return maximum(x, scalarLike(x, low)); }
/// Returns element `index` of a vector as a scalar.
Tensor element(Tensor x, int64_t index) {
  return reshape(slice(x, {index}, {1}), Shape{});
}
/// Return `x` without its last (withoutLast) or first row (withoutFirst). `x`
/// is a vector of `size` elements or, if `others` is not 0, a tensor of shape
/// [size, others].
Tensor withoutLast(Tensor x, int64_t size, int64_t others = 0) {
  return others ? slice(x, {0, 0}, {size - 1, others})
                : slice(x, {0}, {size - 1});
}
Tensor withoutFirst(Tensor x, int64_t size, int64_t others = 0) {
  return others ? slice(x, {1, 0}, {size - 1, others})
                : slice(x, {1}, {size - 1});
}

/// Returns the thresholds of a ROC or precision-recall curve: `count` numbers
/// at equal distances, from just below 0 to just above 1. A probability is thus
/// above the first threshold, and not above the last one.
std::vector<float> curveThresholds(int64_t count) {
  if (count == 1)
    return {0.5f};
  std::vector<float> thresholds;
  for (int64_t i = 0; i < count; ++i)
    thresholds.push_back(
        static_cast<float>(static_cast<double>(i) / double(count - 1)));
  thresholds.front() = static_cast<float>(-epsilon);
  thresholds.back() = static_cast<float>(1 + epsilon);
  return thresholds;
}

/// The numbers of true and false positives (`tp`, `fp`) and of false and true
/// negatives (`fn`, `tn`) at each threshold. Each is a vector with an element
/// per threshold, or a matrix [threshold, label] if labels are counted
/// separately.
struct ConfusionMatrix {
  /// `sums` are the true positives and the false positives at each threshold,
  /// then the number of positive and of negative examples.
  explicit ConfusionMatrix(const Totals &sums)
      : tp(sums[0]), fp(sums[1]), fn(sums[2] - sums[0]), tn(sums[3] - sums[1]) {
  }
  Tensor tp, fp, fn, tn;

  Tensor precision() const { return divNoNan(tp, tp + fp); }
  Tensor recall() const { return divNoNan(tp, tp + fn); }
  Tensor specificity() const { return divNoNan(tn, tn + fp); }
};

/// Computes one of the metrics that the search file (the description of an
/// AdaNet search) requests, from the predictions of one head.
class MetricCatalogEntry {
public:
  MetricCatalogEntry(const proto::SearchMetric &metric,
                     const LabeledPredictions &of)
      : metric(metric), isOneHot(of.isOneHot), labels(of.labels),
        predictions(metric.on_logits() ? of.logits : of.predictions),
        weights(metric.unweighted() ? Tensor() : of.weights),
        name(nameOf(metric)), suffix(of.head.empty() ? "" : "/" + of.head),
        graph(*labels.data()->graph),
        classes(labels.shape() ? labels.shape()->back() : 1) {}

  std::vector<Metric> make();

private:
  Tensor exampleValues() const;
  Tensor crossEntropy() const;
  Tensor rightlyClassified() const;
  Metric ofExamples(Tensor values) const {
    return meanMetric(name + suffix, values, weights);
  }
  Metric rootMeanSquare() const;
  Metric r2() const;
  std::vector<Metric> atThresholds();
  Metric auc();
  Metric underConstraint();
  Metric ofClasses() const;
  Metric fBeta() const;

  Totals count(const std::vector<float> &thresholds, bool labelsApart = false);
  void keepTopK();
  Tensor predictedClasses() const;
  double threshold() const {
    return metric.threshold_size() ? metric.threshold(0) : 0.5;
  }
  Tensor weighted(Tensor x) const { return weights ? x * weights : x; }
  int64_t thresholdCount() const {
    return metric.has_num_thresholds() ? metric.num_thresholds() : 200;
  }

  const proto::SearchMetric &metric;
  bool isOneHot;
  Tensor labels, predictions, weights;
  std::string name, suffix;
  Graph &graph;
  int64_t classes;
};

} // namespace

//===----------------------------------------------------------------------===//
// Metrics that are means over examples
//===----------------------------------------------------------------------===//

Tensor MetricCatalogEntry::rightlyClassified() const {
  if (isOneHot)
    return expandDims(
        asNumber(equal(argMax(predictions, 1), argMax(labels, 1))), 1);
  Tensor chosen = greater(predictions, scalarLike(predictions, threshold()));
  return rowMean(asNumber(equal(asNumber(chosen), labels)));
}

Tensor MetricCatalogEntry::crossEntropy() const {
  double smoothing = metric.label_smoothing();
  if (isOneHot) {
    Tensor expected = smoothing ? labels * (1 - smoothing) +
                                      smoothing / static_cast<double>(classes)
                                : labels;
    if (metric.on_logits())
      return expandDims(softmaxCrossEntropy(predictions, expected), 1);
    Tensor scaled =
        clip(predictions / rowSum(predictions), epsilon, 1 - epsilon);
    return -rowSum(expected * log(scaled));
  }
  Tensor expected =
      smoothing ? labels * (1 - smoothing) + smoothing / 2 : labels;
  if (metric.on_logits())
    return rowMean(sigmoidCrossEntropy(predictions, expected));
  Tensor p = clip(predictions, epsilon, 1 - epsilon);
  return -rowMean(expected * log(p + epsilon) +
                  (1 - expected) * log(1 - p + epsilon));
}

/// Returns the metric of each example, of shape [batch, 1], if the metric is
/// the weighted mean of such values. Returns an invalid tensor for any other
/// metric.
Tensor MetricCatalogEntry::exampleValues() const {
  Tensor y = labels, p = predictions;
  auto normalized = [](Tensor x) {
    return x * rsqrt(atLeast(rowSum(square(x)), 1e-12));
  };
  auto hinge = [&] { return relu(1 - (y * 2 - 1) * p); };
  switch (metric.kind()) {
  case Kind::ACCURACY:
    return rightlyClassified();
  case Kind::TOP_K_ACCURACY: {
    int64_t k = std::min(metric.has_top_k() ? metric.top_k() : 5, classes);
    Tensor right =
        graph.create("in_top_k", {p, argMax(y, 1, DType::Int32),
                                  graph.scalar(double(k), DType::Int32)});
    return expandDims(asNumber(right), 1);
  }
  case Kind::CROSS_ENTROPY:
    return crossEntropy();
  case Kind::HINGE:
    return rowMean(hinge());
  case Kind::SQUARED_HINGE:
    return rowMean(square(hinge()));
  case Kind::CATEGORICAL_HINGE:
    return relu(max((1 - y) * p, {-1}, /*keepDims=*/true) - rowSum(y * p) + 1);
  case Kind::KL_DIVERGENCE: {
    Tensor expected = clip(y, epsilon, 1);
    return rowSum(expected * log(expected / clip(p, epsilon, 1)));
  }
  case Kind::MEAN_ABSOLUTE_ERROR:
    return rowMean(abs(p - y));
  case Kind::MEAN_SQUARED_ERROR:
    return rowMean(squaredDifference(p, y));
  case Kind::MEAN_ABSOLUTE_PERCENTAGE_ERROR:
    return rowMean(abs((y - p) / atLeast(abs(y), epsilon))) * 100;
  case Kind::MEAN_SQUARED_LOGARITHMIC_ERROR:
    return rowMean(squaredDifference(log(atLeast(p, epsilon) + 1),
                                     log(atLeast(y, epsilon) + 1)));
  case Kind::LOG_COSH_ERROR:
    return rowMean((p - y) + softplus((p - y) * -2) - std::log(2.0));
  case Kind::POISSON:
    return rowMean(p - y * log(p + epsilon));
  case Kind::COSINE_SIMILARITY:
    return rowSum(normalized(y) * normalized(p));
  case Kind::PERCENTAGE_BELOW:
    return rowMean(asNumber(less(p, scalarLike(p, threshold()))));
  default:
    return {};
  }
}

Metric MetricCatalogEntry::rootMeanSquare() const {
  Metric made = ofExamples(rowMean(squaredDifference(predictions, labels)));
  made.result = [](const Totals &totals) {
    return sqrt(divNoNan(totals[0], totals[1]));
  };
  return made;
}

Metric MetricCatalogEntry::r2() const {
  Tensor ones = onesLike(labels);
  Totals sums = {sum(weighted(labels), {0}), sum(weighted(square(labels)), {0}),
                 sum(weighted(squaredDifference(predictions, labels)), {0}),
                 sum(weighted(ones), {0})};
  return {name + suffix, sums, [](const Totals &totals) {
            Tensor variance =
                totals[1] - totals[0] * divNoNan(totals[0], totals[3]);
            Tensor one = 1 - totals[2] / variance;
            // If all labels are equal, their variance is 0 and the quotient is
            // not finite. R² is set to 0 then.
            return mean(select(isFinite(one), one, zerosLike(one)));
          }};
}

//===----------------------------------------------------------------------===//
// Metrics from counts at thresholds
//===----------------------------------------------------------------------===//

/// Counts the predictions of the batch. Returns the true and the false
/// positives at each threshold, then the number of positive and of negative
/// examples. If `labelsApart`, each label is counted separately.
Totals MetricCatalogEntry::count(const std::vector<float> &thresholds,
                                 bool labelsApart) {
  auto size = static_cast<int64_t>(thresholds.size());
  Tensor w = weights ? onesLike(labels) * weights : onesLike(labels);
  Tensor positive = labels * w, negative = (1 - labels) * w, p = predictions;
  Shape rows = labelsApart ? Shape{1, unknown, classes} : Shape{1, unknown};
  Tensor limits = graph.constant(
      Array(thresholds, labelsApart ? Shape{size, 1, 1} : Shape{size, 1}));
  Tensor above = asNumber(greater(reshape(p, rows), limits));
  Axes all = labelsApart ? Axes{0} : Axes{};
  return {sum(above * reshape(positive, rows), {1}),
          sum(above * reshape(negative, rows), {1}), sum(positive, all),
          sum(negative, all)};
}

/// Keeps the k highest predictions of each example, and sets all other
/// predictions to `belowAll`, which is lower than every threshold.
void MetricCatalogEntry::keepTopK() {
  int64_t k = std::min(metric.top_k(), classes);
  std::vector<Tensor> top = graph.createAll(
      "top_k", {predictions, graph.scalar(double(k), DType::Int32)},
      {{"index_type", DType::Int32}});
  if (top.size() < 2)
    return;
  Tensor kept = sum(oneHot(reshape(top[1], {unknown, k}), classes), {1});
  predictions = kept * predictions + (1 - kept) * belowAll;
}

std::vector<Metric> MetricCatalogEntry::atThresholds() {
  std::vector<float> thresholds(metric.threshold().begin(),
                                metric.threshold().end());
  if (metric.has_top_k())
    keepTopK();
  if (metric.has_class_id()) {
    labels = slice(labels, {0, metric.class_id()}, {-1, 1});
    predictions = slice(predictions, {0, metric.class_id()}, {-1, 1});
  }
  if (thresholds.empty())
    thresholds = {metric.has_top_k() ? static_cast<float>(belowAll) : 0.5f};
  Totals sums = count(thresholds);
  std::vector<Metric> all;
  for (size_t i = 0; i < thresholds.size(); ++i) {
    std::string at = thresholds.size() == 1
                         ? ""
                         : llvm::formatv("/positive_threshold_{0:f6}",
                                         double(metric.threshold(int(i))))
                               .str();
    auto index = static_cast<int64_t>(i);
    all.push_back({name + at + suffix, sums,
                   [kind = metric.kind(), index](const Totals &totals) {
                     ConfusionMatrix counts(totals);
                     return element(kind == Kind::PRECISION ? counts.precision()
                                    : kind == Kind::RECALL  ? counts.recall()
                                    : kind == Kind::TRUE_POSITIVES  ? counts.tp
                                    : kind == Kind::TRUE_NEGATIVES  ? counts.tn
                                    : kind == Kind::FALSE_POSITIVES ? counts.fp
                                                                    : counts.fn,
                                    index);
                   }});
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Areas below ROC and precision-recall curves
//===----------------------------------------------------------------------===//

/// Returns the area below a curve through the points (x, y), which are in
/// descending order of x. `summation` says which height the curve has between
/// two points: the smaller y, the larger y or their mean.
static Tensor areaBelow(Tensor x, Tensor y, int64_t size, int64_t others,
                        proto::SearchMetric::Summation summation) {
  Tensor first = withoutLast(y, size, others),
         second = withoutFirst(y, size, others);
  Tensor heights = summation == Kind::MINORING   ? minimum(first, second)
                   : summation == Kind::MAJORING ? maximum(first, second)
                                                 : (first + second) / 2;
  return sum((withoutLast(x, size, others) - withoutFirst(x, size, others)) *
                 heights,
             {0});
}

/// Returns the area below a precision-recall curve. Between two thresholds, the
/// counts of positives are interpolated instead of the precision (Davis and
/// Goadrich, "The Relationship Between Precision-Recall and ROC Curves").
static Tensor precisionRecallArea(const ConfusionMatrix &counts, int64_t size,
                                  int64_t others) {
  auto high = [&](Tensor x) { return withoutLast(x, size, others); };
  auto low = [&](Tensor x) { return withoutFirst(x, size, others); };
  Tensor all = counts.tp + counts.fp;
  Tensor slope =
      divNoNan(high(counts.tp) - low(counts.tp), relu(high(all) - low(all)));
  Tensor start = low(counts.tp) - slope * low(all);
  Tensor zero = scalarLike(all, 0);
  Tensor hasRatio =
      logicalAnd(greater(high(all), zero), greater(low(all), zero));
  Tensor ratio =
      select(hasRatio, divNoNan(high(all), low(all)), onesLike(high(all)));
  Tensor gained = high(counts.tp) - low(counts.tp);
  return sum(divNoNan(slope * (gained + start * log(ratio)),
                      low(counts.tp + counts.fn)),
             {0});
}

Metric MetricCatalogEntry::auc() {
  int64_t size = thresholdCount();
  bool isApart = metric.multi_label();
  int64_t others = isApart ? classes : 0;
  Totals sums = count(curveThresholds(size), isApart);
  return {name + suffix, sums,
          [curve = metric.curve(), summation = metric.summation(), size,
           others](const Totals &totals) {
            ConfusionMatrix counts(totals);
            Tensor areas;
            if (curve == Kind::PR && summation == Kind::INTERPOLATION)
              areas = precisionRecallArea(counts, size, others);
            else if (curve == Kind::PR)
              areas = areaBelow(counts.recall(), counts.precision(), size,
                                others, summation);
            else
              areas = areaBelow(divNoNan(counts.fp, counts.fp + counts.tn),
                                counts.recall(), size, others, summation);
            return mean(areas);
          }};
}

Metric MetricCatalogEntry::underConstraint() {
  if (metric.has_class_id()) {
    labels = slice(labels, {0, metric.class_id()}, {-1, 1});
    predictions = slice(predictions, {0, metric.class_id()}, {-1, 1});
  }
  Totals sums = count(curveThresholds(thresholdCount()));
  return {name + suffix, sums,
          [kind = metric.kind(), at = metric.at()](const Totals &totals) {
            ConfusionMatrix counts(totals);
            bool ofSpecificity = kind == Kind::SPECIFICITY_AT_SENSITIVITY,
                 ofPrecision = kind == Kind::PRECISION_AT_RECALL;
            Tensor best = ofSpecificity ? counts.specificity()
                          : ofPrecision ? counts.precision()
                                        : counts.recall();
            Tensor held =
                kind == Kind::SENSITIVITY_AT_SPECIFICITY ? counts.specificity()
                : kind == Kind::RECALL_AT_PRECISION      ? counts.precision()
                                                         : counts.recall();
            return max(select(greaterEqual(held, scalarLike(held, at)), best,
                              zerosLike(best)));
          }};
}

//===----------------------------------------------------------------------===//
// Metrics from counts by class
//===----------------------------------------------------------------------===//

/// Returns predictions as 0 or 1 in the shape of the labels: the most probable
/// class of each example, or all classes whose prediction is above the
/// threshold.
Tensor MetricCatalogEntry::predictedClasses() const {
  if (isOneHot && !metric.threshold_size())
    return oneHot(argMax(predictions, 1), classes);
  return asNumber(greater(predictions, scalarLike(predictions, threshold())));
}

Metric MetricCatalogEntry::ofClasses() const {
  Tensor right = labels, chosen = predictedClasses();
  int64_t size = classes;
  // If labels and predictions have a single column, for class 1, add a column
  // for class 0.
  if (!isOneHot) {
    right = concat({1 - right, right}, 1);
    chosen = concat({1 - chosen, chosen}, 1);
    size = 2;
  }
  Totals sums = {sum(weighted(right * chosen), {0}), sum(weighted(right), {0}),
                 sum(weighted(chosen), {0})};
  return {name + suffix, sums,
          [kind = metric.kind(), id = metric.class_id(),
           size](const Totals &totals) {
            if (kind == Kind::MEAN_PER_CLASS_ACCURACY)
              return sum(divNoNan(totals[0], totals[1])) /
                     static_cast<double>(size);
            Tensor all = totals[1] + totals[2] - totals[0];
            Tensor shares = divNoNan(totals[0], all);
            if (kind == Kind::IO_U)
              return element(shares, id);
            // As in tf.keras, a class that is neither a label nor a prediction
            // of any example is left out of the mean.
            Tensor occurs =
                cast(notEqual(all, scalarLike(all, 0)), all.dtype());
            return divNoNan(sum(shares), sum(occurs));
          }};
}

Metric MetricCatalogEntry::fBeta() const {
  Tensor chosen = predictedClasses();
  Axes axes = metric.average() == Kind::MICRO && !metric.has_class_id()
                  ? Axes{}
                  : Axes{0};
  auto total = [&](Tensor x) { return sum(weighted(x), axes); };
  Totals sums = {total(chosen * labels), total(chosen * (1 - labels)),
                 total((1 - chosen) * labels), total(labels)};
  double beta = metric.has_beta() ? metric.beta() : 1;
  std::optional<int64_t> id;
  if (metric.has_class_id())
    id = metric.class_id();
  bool byWeight = metric.average() == Kind::WEIGHTED;
  return {name + suffix, sums, [=](const Totals &totals) {
            Tensor precision = divNoNan(totals[0], totals[0] + totals[1]),
                   recall = divNoNan(totals[0], totals[0] + totals[2]);
            Tensor scores = divNoNan(precision * recall,
                                     precision * (beta * beta) + recall) *
                            (1 + beta * beta);
            if (id)
              return element(scores, *id);
            return byWeight ? divNoNan(sum(scores * totals[3]), sum(totals[3]))
                            : mean(scores);
          }};
}

//===----------------------------------------------------------------------===//
// Creation of metrics by their kinds
//===----------------------------------------------------------------------===//

std::vector<Metric> MetricCatalogEntry::make() {
  if (Tensor values = exampleValues())
    return {ofExamples(values)};
  switch (metric.kind()) {
  case Kind::ROOT_MEAN_SQUARED_ERROR:
    return {rootMeanSquare()};
  case Kind::R2_SCORE:
    return {r2()};
  case Kind::AUC:
    return {auc()};
  case Kind::SENSITIVITY_AT_SPECIFICITY:
  case Kind::SPECIFICITY_AT_SENSITIVITY:
  case Kind::PRECISION_AT_RECALL:
  case Kind::RECALL_AT_PRECISION:
    return {underConstraint()};
  case Kind::MEAN_PER_CLASS_ACCURACY:
  case Kind::MEAN_IO_U:
  case Kind::IO_U:
    return {ofClasses()};
  case Kind::F_BETA_SCORE:
    return {fBeta()};
  default:
    return atThresholds();
  }
}

std::string nameOf(const proto::SearchMetric &metric) {
  return metric.has_name()
             ? metric.name()
             : llvm::StringRef(Kind::Kind_Name(metric.kind())).lower();
}

MetricFunction makeMetrics(
    const google::protobuf::RepeatedPtrField<proto::SearchMetric> &metrics) {
  if (metrics.empty())
    return nullptr;
  return [metrics](const MetricContext &context) {
    std::vector<Metric> all;
    for (const proto::SearchMetric &metric : metrics)
      for (const LabeledPredictions &labeled : context.labeled)
        if (!metric.has_head() || metric.head() == labeled.head)
          for (Metric &made : MetricCatalogEntry(metric, labeled).make())
            all.push_back(std::move(made));
    return all;
  };
}

} // namespace ingot::ensemble
