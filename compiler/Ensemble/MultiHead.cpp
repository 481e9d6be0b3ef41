//===- MultiHead.cpp - Several heads on one network -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"
#include "ingot/adanet.h"

#include <algorithm>

using namespace ingot::graph;

namespace ingot::adanet {

namespace {
/// A head that combines several heads; its loss is the sum of their losses. The
/// name of a metric ends with the name of its head ("accuracy/NAME"), and the
/// name of a prediction begins with it ("NAME/probabilities").
class MultiHead final : public Head {
public:
  using Named = std::pair<std::string, std::shared_ptr<const Head>>;
  MultiHead(std::vector<Named> heads, std::vector<double> weights)
      : heads(std::move(heads)), weights(std::move(weights)) {}

  int64_t logitsDimension() const override {
    int64_t total = 0;
    for (const auto &[name, head] : heads)
      total += head->logitsDimension();
    return total;
  }

  std::vector<std::pair<std::string, int64_t>> logitsParts() const override {
    std::vector<std::pair<std::string, int64_t>> parts;
    for (const auto &[name, head] : heads)
      parts.emplace_back(name, head->logitsDimension());
    return parts;
  }

  /// Returns the columns that the heads read. A column that several heads share
  /// is returned once.
  std::vector<std::pair<std::string, DType>> columns() const override {
    std::vector<std::pair<std::string, DType>> all;
    for (const auto &[name, head] : heads)
      for (const auto &column : head->columns())
        if (std::find(all.begin(), all.end(), column) == all.end())
          all.push_back(column);
    return all;
  }

  void check(const Columns &columns) const override {
    for (const auto &[name, head] : heads)
      head->check(columns);
  }

  Tensor loss(Tensor logits, const Columns &columns) const override {
    if (!weights.empty() && weights.size() != heads.size()) {
      if (logits)
        logits.data()->graph->addError(
            "multiHead has " + std::to_string(weights.size()) +
            " headWeights for " + std::to_string(heads.size()) +
            " heads: give one for each head");
      return {};
    }
    Tensor total;
    for (size_t index = 0; index < heads.size(); ++index) {
      Tensor own = heads[index].second->loss(part(logits, index), columns);
      if (!weights.empty())
        own = own * weights[index];
      total = index ? total + own : own;
    }
    return total;
  }

  std::vector<NamedTensor> figures(Tensor logits,
                                   const Columns &columns) const override {
    std::vector<NamedTensor> all;
    for (size_t index = 0; index < heads.size(); ++index) {
      const auto &[name, head] = heads[index];
      Tensor own = part(logits, index);
      all.push_back({"loss/" + name, head->loss(own, columns)});
      for (NamedTensor &figure : head->figures(own, columns))
        all.push_back({figure.name + "/" + name, figure.value});
    }
    return all;
  }

  std::vector<NamedTensor> predictions(Tensor logits) const override {
    std::vector<NamedTensor> all;
    for (size_t index = 0; index < heads.size(); ++index) {
      const auto &[name, head] = heads[index];
      for (NamedTensor &figure : head->predictions(part(logits, index)))
        all.push_back({name + "/" + figure.name, figure.value});
    }
    return all;
  }

  std::vector<LabeledPredictions>
  labeled(Tensor logits, const Columns &columns) const override {
    std::vector<LabeledPredictions> all;
    for (size_t index = 0; index < heads.size(); ++index)
      for (LabeledPredictions &one :
           heads[index].second->labeled(part(logits, index), columns)) {
        one.head = heads[index].first;
        all.push_back(std::move(one));
      }
    return all;
  }

private:
  /// Returns the range of the logits that belongs to the head at `index`.
  Tensor part(Tensor logits, size_t index) const {
    int64_t begin = 0;
    for (size_t before = 0; before < index; ++before)
      begin += heads[before].second->logitsDimension();
    return slice(logits, {0, begin},
                 {-1, heads[index].second->logitsDimension()});
  }

  std::vector<Named> heads;
  std::vector<double> weights; // of the heads' losses; empty: all are 1
};
} // namespace

std::shared_ptr<const Head> multiHead(
    std::vector<std::pair<std::string, std::shared_ptr<const Head>>> heads,
    std::vector<double> headWeights) {
  return std::make_shared<MultiHead>(std::move(heads), std::move(headWeights));
}

} // namespace ingot::adanet
