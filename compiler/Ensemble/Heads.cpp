//===- Heads.cpp - Heads: losses and predictions of logits ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/Heads.h"

#include "compiler/Builder/GraphImpl.h"

using namespace ingot::adanet;
using namespace ingot::graph;

ingot::adanet::Head::~Head() = default;

namespace ingot::ensemble {

namespace {
/// Base of heads that read labels, and optional example weights, from columns
/// of the input.
class SingleHead : public Head {
public:
  /// `labelType` is the type of the label columns in the data. Labels are
  /// converted to `type` before losses and metrics are computed.
  SingleHead(const proto::SearchHead &head, DType labelType, DType type)
      : labels(head.label().begin(), head.label().end()), weight(head.weight()),
        labelType(labelType), type(type) {}

  std::vector<std::pair<std::string, DType>> columns() const override {
    std::vector<std::pair<std::string, DType>> all;
    for (const std::string &label : labels)
      all.push_back({label, labelType});
    if (!weight.empty())
      all.push_back({weight, DType::Float32});
    return all;
  }

  void check(const Columns &columns) const override {
    for (const std::string &label : labels)
      if (Tensor values = column(columns, label))
        checkLabels(label, values);
    if (weight.empty())
      return;
    if (Tensor values = column(columns, weight))
      require(all(logicalAnd(isFinite(values),
                             greaterEqual(values, scalarLike(values, 0)))),
              "Weights in column '" + weight +
                  "' must be finite and not negative:",
              {values});
  }

  Tensor loss(Tensor logits, const Columns &columns) const override {
    Tensor expected = expectedOf(columns);
    if (!logits || !expected)
      return {};
    return reduceLoss(losses(logits, expected), weightsOf(columns),
                      Reduction::SumOverBatchSize);
  }

  std::vector<NamedTensor> figures(Tensor logits,
                                   const Columns &columns) const override {
    Tensor expected = expectedOf(columns);
    if (!logits || !expected)
      return {};
    std::vector<NamedTensor> all{
        {"average_loss", flat(losses(logits, expected))}};
    addFigures(logits, expected, all);
    if (Tensor weights = weightsOf(columns))
      all.push_back({"curve/weights", flat(weights)});
    return all;
  }

  std::vector<LabeledPredictions>
  labeled(Tensor logits, const Columns &columns) const override {
    Tensor expected = expectedOf(columns);
    if (!logits || !expected)
      return {};
    return {{"", asNumbers(expected), isOneHot(), probabilities(logits), logits,
             weightsOf(columns)}};
  }

protected:
  /// Returns `labels` as a tensor with the shape of the logits. The multi-class
  /// head overrides this function, since its labels are class ids.
  virtual Tensor asNumbers(Tensor labels) const { return labels; }
  virtual bool isOneHot() const { return false; }
  virtual Tensor probabilities(Tensor logits) const = 0;
  virtual void checkLabels(const std::string &name, Tensor labels) const = 0;
  /// Returns the loss of each example and label column, of shape [batch, n].
  /// `labels` has shape [batch, number of label columns].
  virtual Tensor losses(Tensor logits, Tensor labels) const = 0;
  virtual void addFigures(Tensor logits, Tensor labels,
                          std::vector<NamedTensor> &figures) const = 0;

  static Tensor flat(Tensor x) { return reshape(x, {unknown}); }

  size_t labelCount() const { return labels.size(); }

private:
  /// Returns column `name` as a tensor of shape [batch, n]. If the column is a
  /// scalar per example, so that its shape is [batch], n is 1.
  static Tensor column(const Columns &columns, const std::string &name) {
    auto found = columns.find(name);
    if (found == columns.end() || !found->second)
      return {};
    Tensor values = found->second;
    auto shape = values.shape();
    return shape && shape->size() == 1 ? expandDims(values, 1) : values;
  }

  Tensor expectedOf(const Columns &columns) const {
    std::vector<Tensor> parts;
    for (const std::string &label : labels) {
      Tensor part = column(columns, label);
      if (!part)
        return {};
      parts.push_back(cast(part, type));
    }
    return concat(parts, 1);
  }

  Tensor weightsOf(const Columns &columns) const {
    return weight.empty() ? Tensor()
                          : cast(column(columns, weight), DType::Float32);
  }

  std::vector<std::string> labels;
  std::string weight;
  DType labelType, type;
};

//===----------------------------------------------------------------------===//
// Heads for regression

class RegressionHead final : public SingleHead {
public:
  explicit RegressionHead(const proto::SearchHead &head)
      : SingleHead(head, DType::Float32, DType::Float32) {}

  int64_t logitsDimension() const override { return labelCount(); }

  std::vector<NamedTensor> predictions(Tensor logits) const override {
    return {{"predictions", logits}};
  }

private:
  Tensor probabilities(Tensor logits) const override { return logits; }

  void checkLabels(const std::string &name, Tensor labels) const override {
    require(all(isFinite(labels)),
            "Labels in column '" + name + "' must be finite:", {labels});
  }

  Tensor losses(Tensor logits, Tensor labels) const override {
    return squaredDifference(logits, labels);
  }

  void addFigures(Tensor logits, Tensor labels,
                  std::vector<NamedTensor> &figures) const override {
    figures.push_back({"prediction/mean", flat(logits)});
    figures.push_back({"label/mean", flat(labels)});
  }
};

//===----------------------------------------------------------------------===//
// Heads for classification

/// Base of heads whose logits are independent of each other: a binary head, or
/// a multi-label head, whose classes do not exclude each other.
class SigmoidHead : public SingleHead {
public:
  explicit SigmoidHead(const proto::SearchHead &head)
      : SingleHead(head, DType::Int64, DType::Float32) {}

  int64_t logitsDimension() const override { return labelCount(); }

protected:
  Tensor probabilities(Tensor logits) const override { return sigmoid(logits); }

  void checkLabels(const std::string &name, Tensor labels) const override {
    require(all(logicalOr(equal(labels, scalarLike(labels, 0)),
                          equal(labels, scalarLike(labels, 1)))),
            "Labels in column '" + name + "' must be 0 or 1:", {labels});
  }

  void addFigures(Tensor logits, Tensor labels,
                  std::vector<NamedTensor> &figures) const override {
    figures.push_back({"curve/labels", flat(labels)});
    figures.push_back({"curve/predictions", sigmoid(flat(logits))});
  }
};

/// Returns Estimator's predictions `class_ids` and `classes`: the index of the
/// class with the highest score, as an integer and as a string of digits.
std::vector<NamedTensor> chosenClasses(Tensor scores) {
  Tensor ids = expandDims(argMax(scores, -1), -1);
  if (!ids)
    return {};
  return {{"class_ids", ids}, {"classes", asString(ids)}};
}

class BinaryHead final : public SigmoidHead {
public:
  using SigmoidHead::SigmoidHead;

  std::vector<NamedTensor> predictions(Tensor logits) const override {
    Tensor two = concat({zerosLike(logits), logits}, -1);
    std::vector<NamedTensor> all{{"logits", logits},
                                 {"logistic", sigmoid(logits)},
                                 {"probabilities", softmax(two)}};
    for (NamedTensor &figure : chosenClasses(two))
      all.push_back(figure);
    return all;
  }

private:
  Tensor losses(Tensor logits, Tensor labels) const override {
    return sigmoidCrossEntropy(logits, labels);
  }

  void addFigures(Tensor logits, Tensor labels,
                  std::vector<NamedTensor> &figures) const override {
    SigmoidHead::addFigures(logits, labels, figures);
    Tensor chosen =
        cast(greater(logits, scalarLike(logits, 0)), DType::Float32);
    figures.push_back(
        {"accuracy", flat(cast(equal(chosen, labels), DType::Float32))});
    figures.push_back({"label/mean", flat(labels)});
    figures.push_back({"prediction/mean", sigmoid(flat(logits))});
  }
};

class MultiLabelHead final : public SigmoidHead {
public:
  using SigmoidHead::SigmoidHead;

  std::vector<NamedTensor> predictions(Tensor logits) const override {
    if (!logits)
      return {};
    std::vector<std::string> names;
    for (size_t label = 0; label < labelCount(); ++label)
      names.push_back(std::to_string(label));
    Tensor all = logits.data()->graph->constant(
        Array(std::move(names), {1, static_cast<int64_t>(labelCount())}));
    return {{"logits", logits},
            {"probabilities", sigmoid(logits)},
            // Estimator's prediction "classes" has the names of all classes in
            // each row, one row per example.
            {"classes", broadcastTo(all, shapeOf(logits))}};
  }

private:
  /// Returns, for each example, the mean of the losses of all classes, since a
  /// multi-label head treats each class as a binary problem.
  Tensor losses(Tensor logits, Tensor labels) const override {
    return mean(sigmoidCrossEntropy(logits, labels), {-1}, /*keepDims=*/true);
  }
};

class MultiClassHead final : public SingleHead {
public:
  explicit MultiClassHead(const proto::SearchHead &head)
      : SingleHead(head, DType::Int64, DType::Int64),
        classes(head.multi_class().classes()) {}

  int64_t logitsDimension() const override { return classes; }

  std::vector<NamedTensor> predictions(Tensor logits) const override {
    std::vector<NamedTensor> all{{"logits", logits},
                                 {"probabilities", softmax(logits)}};
    for (NamedTensor &figure : chosenClasses(logits))
      all.push_back(figure);
    return all;
  }

private:
  Tensor asNumbers(Tensor labels) const override {
    return oneHot(idsOf(labels), classes);
  }
  bool isOneHot() const override { return true; }
  Tensor probabilities(Tensor logits) const override { return softmax(logits); }

  void checkLabels(const std::string &name, Tensor labels) const override {
    require(all(logicalAnd(greaterEqual(labels, scalarLike(labels, 0)),
                           less(labels, scalarLike(labels, double(classes))))),
            "Labels in column '" + name + "' must be in [0, " +
                std::to_string(classes) + "):",
            {labels});
  }

  static Tensor idsOf(Tensor labels) { return squeeze(labels, {-1}); }

  Tensor losses(Tensor logits, Tensor labels) const override {
    return expandDims(sparseSoftmaxCrossEntropy(logits, idsOf(labels)), -1);
  }

  void addFigures(Tensor logits, Tensor labels,
                  std::vector<NamedTensor> &figures) const override {
    figures.push_back({"accuracy", cast(equal(argMax(logits, 1), idsOf(labels)),
                                        DType::Float32)});
  }

  int64_t classes;
};
} // namespace

static std::shared_ptr<const Head> makeHeads(const proto::MultiHead &multi) {
  std::vector<std::pair<std::string, std::shared_ptr<const Head>>> heads;
  for (const proto::SearchHead &head : multi.head()) {
    auto made = makeHead(head);
    if (!made)
      return nullptr;
    heads.push_back({head.name(), std::move(made)});
  }
  return multiHead(std::move(heads),
                   {multi.head_weight().begin(), multi.head_weight().end()});
}

std::shared_ptr<const Head> makeHead(const proto::SearchHead &head) {
  switch (head.kind_case()) {
  case proto::SearchHead::kRegression:
    return std::make_shared<RegressionHead>(head);
  case proto::SearchHead::kBinary:
    return std::make_shared<BinaryHead>(head);
  case proto::SearchHead::kMultiClass:
    return std::make_shared<MultiClassHead>(head);
  case proto::SearchHead::kMultiLabel:
    return std::make_shared<MultiLabelHead>(head);
  case proto::SearchHead::kMulti:
    return makeHeads(head.multi());
  case proto::SearchHead::KIND_NOT_SET:
    break;
  }
  return nullptr;
}

} // namespace ingot::ensemble

namespace ingot::adanet {

static std::shared_ptr<const Head> make(proto::SearchHead &description,
                                        const std::vector<std::string> &labels,
                                        const std::string &weight) {
  for (const std::string &label : labels)
    description.add_label(label);
  if (!weight.empty())
    description.set_weight(weight);
  return ensemble::makeHead(description);
}

std::shared_ptr<const Head> regressionHead(std::vector<std::string> labels,
                                           std::string weight) {
  proto::SearchHead description;
  description.mutable_regression();
  return make(description, labels, weight);
}

std::shared_ptr<const Head> binaryHead(std::string label, std::string weight) {
  proto::SearchHead description;
  description.mutable_binary();
  return make(description, {label}, weight);
}

std::shared_ptr<const Head> multiClassHead(int64_t classes, std::string label,
                                           std::string weight) {
  proto::SearchHead description;
  description.mutable_multi_class()->set_classes(classes);
  return make(description, {label}, weight);
}

std::shared_ptr<const Head> multiLabelHead(std::vector<std::string> labels,
                                           std::string weight) {
  proto::SearchHead description;
  description.mutable_multi_label();
  return make(description, labels, weight);
}

} // namespace ingot::adanet
