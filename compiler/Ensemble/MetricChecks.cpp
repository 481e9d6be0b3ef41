//===- MetricChecks.cpp - Validates the metrics of a search ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/MetricCatalog.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using Kind = ingot::proto::SearchMetric;

namespace ingot::ensemble {

static bool isOf(int kind, std::initializer_list<int> kinds) {
  return is_contained(kinds, kind);
}

/// Returns whether metrics of kind `kind` count predictions above thresholds.
static bool isOfThresholds(int kind) {
  return kind >= Kind::PRECISION && kind <= Kind::FALSE_NEGATIVES;
}

/// Returns whether metrics of kind `kind` are the best value of one quantity
/// for a given value of another one, such as the sensitivity at a given
/// specificity.
static bool isOfConstraint(int kind) {
  return kind >= Kind::SENSITIVITY_AT_SPECIFICITY &&
         kind <= Kind::RECALL_AT_PRECISION;
}

static bool isOfTwoOrMoreClasses(int kind) {
  return isOf(kind,
              {Kind::MEAN_PER_CLASS_ACCURACY, Kind::MEAN_IO_U, Kind::IO_U});
}

/// Returns whether metrics of this kind are defined for predictions of `head`.
static bool suits(int kind, const proto::SearchHead &head) {
  if (kind > Kind::KL_DIVERGENCE)
    return true;
  if (head.has_regression())
    return false;
  if (isOf(kind, {Kind::TOP_K_ACCURACY, Kind::CATEGORICAL_HINGE}))
    return head.has_multi_class();
  return !isOfTwoOrMoreClasses(kind) || !head.has_multi_label();
}

/// Reports the options of the metric `part` that have no meaning for its kind.
static void checkOptions(const ProtoMessageWithSourceLocations &part, int kind,
                         const std::string &name) {
  bool isBeta = kind == Kind::F_BETA_SCORE, isAuc = kind == Kind::AUC;
  const std::pair<StringRef, bool> known[] = {
      {"threshold", isOfThresholds(kind) || isOfTwoOrMoreClasses(kind) ||
                        isOf(kind, {Kind::ACCURACY, Kind::F_BETA_SCORE,
                                    Kind::PERCENTAGE_BELOW})},
      {"top_k",
       isOf(kind, {Kind::TOP_K_ACCURACY, Kind::PRECISION, Kind::RECALL})},
      {"class_id", isOfThresholds(kind) || isOfConstraint(kind) || isBeta ||
                       kind == Kind::IO_U},
      {"num_thresholds", isAuc || isOfConstraint(kind)},
      {"curve", isAuc},
      {"summation", isAuc},
      {"multi_label", isAuc},
      {"at", isOfConstraint(kind)},
      {"beta", isBeta},
      {"average", isBeta},
      {"label_smoothing", kind == Kind::CROSS_ENTROPY},
      {"on_logits", !isAuc && !isOfConstraint(kind)}};
  for (const auto &[option, hasMeaning] : known)
    if (!hasMeaning && part.has(option))
      part.fail(option, option + " does not apply to " + name + ": remove it");
}

static void checkValues(const ProtoMessageWithSourceLocations &part,
                        const proto::SearchMetric &metric,
                        const std::string &name) {
  int kind = metric.kind();
  for (StringRef field : {"top_k", "num_thresholds"})
    part.positive(field);
  if (kind == Kind::AUC && metric.has_num_thresholds() &&
      metric.num_thresholds() < 2)
    part.fail("num_thresholds", "AUC needs at least 2 thresholds, not " +
                                    Twine(metric.num_thresholds()));
  part.notNegative("class_id");
  part.within("beta", 0, INFINITY, true);
  part.within("label_smoothing", 0, 1);
  if (isOfConstraint(kind) && part.require("at") &&
      !(metric.at() >= 0 && metric.at() <= 1))
    part.fail("at", "at must be in [0, 1], not " +
                        ProtoMessageWithSourceLocations::toText(metric.at()));
  if (kind == Kind::PERCENTAGE_BELOW)
    part.require("threshold");
  if (kind == Kind::IO_U)
    part.require("class_id");
  if (metric.threshold_size() > 1 && !isOfThresholds(kind))
    part.fail("threshold",
              name + " takes only one threshold, not " +
                  Twine(metric.threshold_size()),
              1);
  for (int i = 0; i < metric.threshold_size(); ++i)
    if (!std::isfinite(metric.threshold(i)))
      part.fail(
          "threshold",
          "threshold must be finite, not " +
              ProtoMessageWithSourceLocations::toText(metric.threshold(i)),
          i);
}

/// Reports the kind or the options of `metric` that `head` does not allow: a
/// kind that is not defined for the head, or a class index out of range.
static void checkFor(const ProtoMessageWithSourceLocations &part,
                     const proto::SearchMetric &metric,
                     const proto::SearchHead &head, const std::string &name) {
  std::string of = head.name().empty() ? "" : " '" + head.name() + "'";
  if (!suits(metric.kind(), head))
    return part.fail("kind",
                     name + " is not defined for this kind of head" + of);
  int64_t classes =
      head.has_multi_class() ? head.multi_class().classes() : head.label_size();
  if (isOfTwoOrMoreClasses(metric.kind()) && head.has_binary())
    classes = 2;
  if (metric.has_class_id() && metric.class_id() >= classes)
    part.fail("class_id", "class_id " + Twine(metric.class_id()) +
                              " is not in [0, " + Twine(classes) +
                              "), the range of classes of the head" + of);
  if (head.has_multi_class() && metric.threshold_size() &&
      isOf(metric.kind(), {Kind::ACCURACY, Kind::MEAN_PER_CLASS_ACCURACY,
                           Kind::MEAN_IO_U, Kind::IO_U}))
    part.fail("threshold", "a multi_class head predicts the most probable "
                           "class: remove threshold");
}

void checkMetrics(
    const ProtoMessageWithSourceLocations &search,
    const google::protobuf::RepeatedPtrField<proto::SearchMetric> &metrics,
    const proto::SearchHead &head) {
  StringSet<> seen;
  std::vector<const proto::SearchHead *> heads;
  for (const proto::SearchHead &inner : head.multi().head())
    heads.push_back(&inner);
  if (heads.empty())
    heads.push_back(&head);
  for (int i = 0; i < metrics.size(); ++i) {
    const proto::SearchMetric &metric = metrics[i];
    ProtoMessageWithSourceLocations part = search.part("metric", i);
    part.plainName("name");
    if (metric.kind() == Kind::KIND_UNSPECIFIED) {
      part.fail("missing field kind");
      continue;
    }
    std::string name = Kind::Kind_Name(metric.kind());
    checkOptions(part, metric.kind(), name);
    checkValues(part, metric, name);
    if (std::string called = nameOf(metric);
        called == "loss" || called == "adanet_loss")
      part.fail("name",
                "'" + called +
                    "' is the name of an ensemble's loss: choose another name");
    bool isFound = false;
    for (const proto::SearchHead *one : heads) {
      if (metric.has_head() && metric.head() != one->name())
        continue;
      isFound = true;
      checkFor(part, metric, *one, name);
      if (!seen.insert(nameOf(metric) + "/" + one->name()).second)
        part.fail("duplicate metric '" + nameOf(metric) +
                  "': give it another name");
    }
    if (!isFound)
      part.fail("head", "the search has no head '" + metric.head() + "'");
  }
}

} // namespace ingot::ensemble
