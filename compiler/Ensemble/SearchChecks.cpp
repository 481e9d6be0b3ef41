//===- SearchChecks.cpp - Validates a search ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchChecks.h"

#include "compiler/Ensemble/ArrayFiles.h"
#include "compiler/Ensemble/MetricCatalog.h"
#include "compiler/Ensemble/ProtoMessageWithSourceLocations.h"
#include "ingot/adanet.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

#include <cmath>

using namespace llvm;
namespace ingot::ensemble {

std::string placed(StringRef file, int line, int column) {
  if (line < 0)
    return (file + ": ").str();
  return (file + ":" + Twine(line + 1) + ":" + Twine(column + 1) + ": ").str();
}

namespace {

void checkCsv(const ProtoMessageWithSourceLocations &part,
              const proto::CsvSource &csv) {
  part.require("file");
  if (csv.has_delimiter() && csv.delimiter().size() != 1)
    part.fail("delimiter", "delimiter must be one ASCII character, not '" +
                               csv.delimiter() + "'");
  StringSet<> names;
  for (int i = 0; i < csv.column_size(); ++i)
    if (!names.insert(csv.column(i)).second)
      part.fail(
          "column",
          "duplicate column '" + csv.column(i) + "': list each column once", i);
  if (csv.header() && csv.column_size())
    part.fail("column", "set either header or column, not both");
}

void checkArrayFiles(const ProtoMessageWithSourceLocations &part,
                     const proto::ArraysSource &arrays, StringRef directory) {
  bool ok = part.require("column");
  StringSet<> names;
  for (int i = 0; i < arrays.column_size(); ++i) {
    ProtoMessageWithSourceLocations column = part.part("column", i);
    bool hasName = column.require("name"), hasFile = column.require("file");
    ok &= hasName && hasFile;
    if (hasName && !names.insert(arrays.column(i).name()).second)
      column.fail("name", "duplicate column '" + arrays.column(i).name() +
                              "': list each column once");
  }
  if (!ok)
    return;
  for (const auto &[index, problem] : checkArrays(arrays, directory))
    part.part("column", index).fail("file", problem);
}

void checkInput(const ProtoMessageWithSourceLocations &part,
                const proto::SearchPrograms &input, StringRef directory,
                bool mayBeEndless) {
  switch (input.source_case()) {
  case proto::SearchPrograms::kCsv:
    checkCsv(part.part("csv"), input.csv());
    break;
  case proto::SearchPrograms::kTfrecord:
    part.part("tfrecord").require("file");
    if (const std::string &name = input.tfrecord().compression();
        !name.empty() && name != "GZIP" && name != "ZLIB")
      part.part("tfrecord")
          .fail("compression",
                "compression must be GZIP or ZLIB, not '" + name + "'");
    break;
  case proto::SearchPrograms::kArrays:
    checkArrayFiles(part.part("arrays"), input.arrays(), directory);
    break;
  case proto::SearchPrograms::SOURCE_NOT_SET:
    part.fail("needs a source: csv, tfrecord or arrays");
  }
  if (input.has_shuffle() && part.part("shuffle").require("buffer"))
    part.part("shuffle").positive("buffer");
  if (part.require("batch"))
    part.positive("batch");
  part.positive("prefetch");
  part.positive("take");
  part.notNegative("skip");
  // Evaluation reads its data to the end, so its number of epochs must be
  // positive (AN-142). Training data may repeat forever, without a number of
  // epochs.
  if (mayBeEndless)
    part.positive("epochs");
  else if (input.has_epochs() && input.epochs() <= 0)
    part.fail("epochs", "epochs of an evaluation must be positive, not " +
                            Twine(input.epochs()));
}

void checkRate(const ProtoMessageWithSourceLocations &part) {
  if (part.require("learning_rate"))
    part.within("learning_rate", 0, INFINITY, true);
}

void checkOptimizer(const ProtoMessageWithSourceLocations &part,
                    const proto::SearchOptimizer &optimizer) {
  switch (optimizer.kind_case()) {
  case proto::SearchOptimizer::kSgd:
    checkRate(part.part("sgd"));
    break;
  case proto::SearchOptimizer::kMomentum:
    checkRate(part.part("momentum"));
    part.part("momentum").within("momentum", 0, 1);
    break;
  case proto::SearchOptimizer::kAdam:
    checkRate(part.part("adam"));
    part.part("adam").within("beta1", 0, 1);
    part.part("adam").within("beta2", 0, 1);
    part.part("adam").within("epsilon", 0, INFINITY);
    part.part("adam").within("weight_decay", 0, INFINITY);
    break;
  case proto::SearchOptimizer::kAdagrad:
    checkRate(part.part("adagrad"));
    part.part("adagrad").within("initial_accumulator", 0, INFINITY);
    break;
  case proto::SearchOptimizer::kRmsprop:
    checkRate(part.part("rmsprop"));
    part.part("rmsprop").within("decay", 0, 1);
    part.part("rmsprop").within("momentum", 0, 1);
    part.part("rmsprop").within("epsilon", 0, INFINITY);
    break;
  case proto::SearchOptimizer::kFtrl:
    checkRate(part.part("ftrl"));
    part.part("ftrl").within("l1", 0, INFINITY);
    part.part("ftrl").within("l2", 0, INFINITY);
    break;
  case proto::SearchOptimizer::KIND_NOT_SET:
    part.fail("needs a kind: sgd, momentum, adam, adagrad, rmsprop or ftrl");
  }
  part.within("clip_norm", 0, INFINITY, true);
  if (!optimizer.has_schedule())
    return;
  ProtoMessageWithSourceLocations schedule = part.part("schedule");
  if (optimizer.schedule().has_exponential()) {
    ProtoMessageWithSourceLocations kind = schedule.part("exponential");
    if (kind.require("steps"))
      kind.positive("steps");
    if (kind.require("rate"))
      kind.within("rate", 0, INFINITY, true);
  } else if (optimizer.schedule().has_cosine()) {
    ProtoMessageWithSourceLocations kind = schedule.part("cosine");
    if (kind.require("steps"))
      kind.positive("steps");
    kind.within("alpha", 0, INFINITY);
  } else {
    schedule.fail("needs a kind: exponential or cosine");
  }
}

void checkCategorical(const ProtoMessageWithSourceLocations &part,
                      const proto::CategoricalFeature &feature) {
  switch (feature.ids_case()) {
  case proto::CategoricalFeature::kVocabulary: {
    ProtoMessageWithSourceLocations words = part.part("vocabulary");
    if (!words.require("word"))
      return;
    StringSet<> seen;
    for (int i = 0; i < feature.vocabulary().word_size(); ++i)
      if (!seen.insert(feature.vocabulary().word(i)).second)
        words.fail("word",
                   "word '" + feature.vocabulary().word(i) +
                       "' is listed twice: list each word once",
                   i);
    words.notNegative("oov_buckets");
    return;
  }
  case proto::CategoricalFeature::kHashBuckets:
    return part.positive("hash_buckets");
  case proto::CategoricalFeature::kIdentity:
    return part.positive("identity");
  case proto::CategoricalFeature::IDS_NOT_SET:
    part.fail("needs a kind: vocabulary, hash_buckets or identity");
  }
}

void checkFeature(const ProtoMessageWithSourceLocations &part,
                  const proto::SearchFeature &feature) {
  if (part.require("name"))
    part.plainName("name");
  part.positive("embedding");
  bool isDense = false;
  switch (feature.kind_case()) {
  case proto::SearchFeature::kNumeric: {
    ProtoMessageWithSourceLocations numeric = part.part("numeric");
    numeric.within("scale", -HUGE_VAL, HUGE_VAL);
    if (feature.numeric().has_scale() && feature.numeric().scale() == 0)
      numeric.fail("scale", "scale must not be zero");
    for (int i = 0; i < feature.numeric().shape_size(); ++i)
      if (feature.numeric().shape(i) <= 0)
        numeric.fail("shape",
                     "dimensions must be positive, not " +
                         Twine(feature.numeric().shape(i)),
                     i);
    isDense = true;
    break;
  }
  case proto::SearchFeature::kBucketized: {
    ProtoMessageWithSourceLocations buckets = part.part("bucketized");
    if (!buckets.require("boundary"))
      break;
    for (int i = 0; i < feature.bucketized().boundary_size(); ++i) {
      double value = feature.bucketized().boundary(i);
      if (!std::isfinite(value) ||
          (i && value <= feature.bucketized().boundary(i - 1)))
        buckets.fail("boundary",
                     "boundaries must be finite and increasing, but boundary " +
                         Twine(i) + " is " +
                         ProtoMessageWithSourceLocations::toText(value),
                     i);
    }
    break;
  }
  case proto::SearchFeature::kCategorical:
    checkCategorical(part.part("categorical"), feature.categorical());
    break;
  case proto::SearchFeature::kCrossed: {
    ProtoMessageWithSourceLocations crossed = part.part("crossed");
    if (feature.crossed().feature_size() < 2)
      crossed.fail("needs at least two features, not " +
                   Twine(feature.crossed().feature_size()));
    if (crossed.require("hash_buckets"))
      crossed.positive("hash_buckets");
    break;
  }
  case proto::SearchFeature::KIND_NOT_SET:
    part.fail("needs a kind: numeric, bucketized, categorical or crossed");
    return;
  }
  if (isDense && feature.has_embedding())
    part.fail("embedding", "numeric features cannot have an embedding");
}

void checkHead(const ProtoMessageWithSourceLocations &part,
               const proto::SearchHead &head, bool isInner) {
  part.plainName("name");
  if (isInner)
    part.require("name");
  if (head.kind_case() != proto::SearchHead::kMulti)
    part.require("label");
  size_t labels = head.label_size();
  switch (head.kind_case()) {
  case proto::SearchHead::kRegression:
    return;
  case proto::SearchHead::kBinary:
    if (labels > 1)
      part.fail(
          "label",
          "a binary head takes only one label column, not " + Twine(labels), 1);
    return;
  case proto::SearchHead::kMultiClass: {
    ProtoMessageWithSourceLocations kind = part.part("multi_class");
    if (labels > 1)
      part.fail("label",
                "a multi_class head takes only one label column, not " +
                    Twine(labels),
                1);
    if (kind.require("classes") && head.multi_class().classes() < 2)
      kind.fail("classes",
                "classes must be at least 2, not " +
                    Twine(head.multi_class().classes()) +
                    "; for two classes, consider a binary head, which needs "
                    "only one logit");
    return;
  }
  case proto::SearchHead::kMultiLabel:
    if (labels == 1)
      part.fail("label", "a multi_label head needs several label columns; for "
                         "one, use a binary head");
    return;
  case proto::SearchHead::kMulti: {
    if (isInner)
      return part.fail("multi", "multi-heads cannot be nested");
    ProtoMessageWithSourceLocations kind = part.part("multi");
    if (!kind.require("head"))
      return;
    StringSet<> names;
    for (int i = 0; i < head.multi().head_size(); ++i) {
      checkHead(kind.part("head", i), head.multi().head(i), true);
      if (!names.insert(head.multi().head(i).name()).second)
        kind.fail("head",
                  "duplicate head '" + head.multi().head(i).name() +
                      "': give each head a name of its own",
                  i);
    }
    int weights = head.multi().head_weight_size();
    if (weights && weights != head.multi().head_size())
      kind.fail("head_weight", "head_weight has " + Twine(weights) +
                                   " values for " +
                                   Twine(head.multi().head_size()) +
                                   " heads: give one for each head");
    for (int i = 0; i < weights; ++i)
      if (double weight = head.multi().head_weight(i);
          !std::isfinite(weight) || weight < 0)
        kind.fail("head_weight",
                  "head_weight must be finite and not negative, but is " +
                      ProtoMessageWithSourceLocations::toText(weight),
                  i);
    return;
  }
  case proto::SearchHead::KIND_NOT_SET:
    part.fail("needs a kind: regression, binary, multi_class, multi_label or "
              "multi");
  }
}

void checkSizes(const ProtoMessageWithSourceLocations &part,
                const pb::RepeatedField<int64_t> &sizes, StringRef name) {
  for (int i = 0; i < sizes.size(); ++i)
    if (sizes[i] <= 0)
      part.fail(name, name + " must be positive, not " + Twine(sizes[i]), i);
}

void checkGenerator(const ProtoMessageWithSourceLocations &part,
                    const proto::SearchGenerator &generator,
                    StringRef directory) {
  if (part.require("optimizer"))
    checkOptimizer(part.part("optimizer"), generator.optimizer());
  switch (generator.kind_case()) {
  case proto::SearchGenerator::kSimpleDnn: { // AdaNet's limits (AN-185)
    ProtoMessageWithSourceLocations kind = part.part("simple_dnn");
    kind.positive("layer_size");
    kind.notNegative("initial_num_layers");
    kind.within("dropout", 0, 1);
    return;
  }
  case proto::SearchGenerator::kLinear:
    return;
  case proto::SearchGenerator::kDnn: {
    ProtoMessageWithSourceLocations kind = part.part("dnn");
    kind.require("layer_size");
    kind.within("dropout", 0, 1);
    if (std::string name = generator.dnn().activation();
        !name.empty() && !is_contained(adanet::activationNames(), name))
      kind.fail("activation", "unknown activation '" + name +
                                  "'; expected one of " +
                                  join(adanet::activationNames(), ", "));
    checkSizes(kind, generator.dnn().layer_size(), "layer_size");
    return;
  }
  case proto::SearchGenerator::kConvolutional: {
    ProtoMessageWithSourceLocations kind = part.part("convolutional");
    for (StringRef name : {"height", "width", "filters"})
      kind.require(name);
    for (StringRef name : {"height", "width", "channels", "dense_size"})
      kind.positive(name);
    checkSizes(kind, generator.convolutional().filters(), "filters");
    return;
  }
  case proto::SearchGenerator::kGraph: {
    ProtoMessageWithSourceLocations kind = part.part("graph");
    for (StringRef name : {"file", "name", "features", "logits"})
      kind.require(name);
    kind.plainName("name");
    kind.within("complexity", 0, INFINITY);
    if (kind.has("last_layer") && part.has("last_layer"))
      part.fail("last_layer",
                "set either last_layer or graph.last_layer, not both");
    if (generator.graph().has_input()) // a member's own input (AN-233)
      checkInput(kind.part("input"), generator.graph().input(), directory,
                 true);
    return;
  }
  case proto::SearchGenerator::KIND_NOT_SET:
    part.fail("needs a kind: simple_dnn, linear, dnn, convolutional or graph");
  }
}

void checkEnsembler(const ProtoMessageWithSourceLocations &part,
                    const proto::SearchEnsembler &ensembler) {
  part.plainName("name");
  if (ensembler.has_mean())
    return;
  if (ensembler.has_graph()) {
    ProtoMessageWithSourceLocations kind = part.part("graph");
    for (StringRef name : {"file", "member_logits", "logits"})
      kind.require(name);
    if (ensembler.graph().has_optimizer())
      checkOptimizer(kind.part("optimizer"), ensembler.graph().optimizer());
    return;
  }
  if (!ensembler.has_complexity_regularized())
    return part.fail("needs a kind: complexity_regularized, mean or graph");
  ProtoMessageWithSourceLocations kind = part.part("complexity_regularized");
  const proto::ComplexityRegularized &it = ensembler.complexity_regularized();
  kind.within("lambda", 0, INFINITY); // ranges of λ and β (AN-011)
  kind.within("beta", 0, INFINITY);
  if (it.has_optimizer())
    checkOptimizer(kind.part("optimizer"), it.optimizer());
  for (int i = 0; i < it.fixed_weight_size(); ++i)
    if (!std::isfinite(it.fixed_weight(i)))
      kind.fail("fixed_weight",
                "fixed_weight must be finite, not " +
                    ProtoMessageWithSourceLocations::toText(it.fixed_weight(i)),
                i);
  if (!it.fixed_weight_size())
    return;
  if (it.weights() != proto::ComplexityRegularized::SCALAR)
    kind.fail("fixed_weight",
              "fixed weights are scalars: remove the field 'weights'");
  if (it.has_optimizer())
    kind.fail("fixed_weight",
              "fixed weights are not trained: remove the field 'optimizer'");
}

/// Reports an error for each optimizer whose settings differ from those of an
/// earlier optimizer with the same `instance`. Members and ensembles whose
/// optimizers have the same `instance` share one optimizer, so its settings
/// must be the same everywhere.
class SharedOptimizerConsistencyChecker {
public:
  void check(const ProtoMessageWithSourceLocations &part,
             const proto::SearchOptimizer &optimizer) {
    if (!optimizer.has_instance())
      return;
    if (optimizer.instance().empty())
      return part.fail(
          "instance",
          "instance must not be empty: give it a name, or remove the field");
    std::string text = optimizer.SerializeAsString();
    auto [known, isNew] = found.try_emplace(optimizer.instance(), text);
    if (!isNew && known->second != text)
      part.fail("instance", "an earlier optimizer has the same instance '" +
                                optimizer.instance() +
                                "', but different settings: give both the "
                                "same settings, or choose another instance");
  }

private:
  StringMap<std::string> found;
};

/// Reports an error for each element of `list` that has the name of an earlier
/// element, because the names of candidates are formed from these names.
template <typename T, typename Name>
void checkDistinct(const ProtoMessageWithSourceLocations &part,
                   const pb::RepeatedPtrField<T> &list, StringRef field,
                   Name name) {
  StringSet<> names;
  for (int i = 0; i < list.size(); ++i)
    if (std::string found = name(list[i]); !names.insert(found).second)
      part.fail(field, "duplicate " + field + " '" + found + "'", i);
}

std::string ensemblerName(const proto::SearchEnsembler &ensembler) {
  if (ensembler.has_name())
    return ensembler.name();
  return ensembler.has_mean()    ? "mean"
         : ensembler.has_graph() ? "graph"
                                 : "complexity_regularized";
}

void checkLimits(const ProtoMessageWithSourceLocations &part,
                 const proto::AdaNetSearch &search) {
  // Check that the numbers of steps and iterations are positive (AN-001,
  // AN-003, AN-004, AN-019), and that times in seconds and the decay of moving
  // averages are in the ranges that AdaNet accepts (AN-011).
  if (part.require("max_iteration_steps"))
    part.positive("max_iteration_steps");
  part.positive("max_iterations");
  part.positive("max_steps");
  part.within("max_iteration_secs", 0, INFINITY, true);
  part.within("adanet_loss_decay", 0, 1);
  if (search.has_patience()) {
    ProtoMessageWithSourceLocations patience = part.part("patience");
    if (patience.require("steps"))
      patience.positive("steps");
    patience.within("min_delta", 0, INFINITY);
  }
  if (search.has_reports())
    part.part("reports").positive("steps");
  for (int i = 0; i < search.replay_index_size(); ++i)
    if (search.replay_index(i) < 0)
      part.fail("replay_index",
                "replay_index must not be negative, but is " +
                    Twine(search.replay_index(i)),
                i);
}

void checkEvaluation(const ProtoMessageWithSourceLocations &part,
                     const proto::AdaNetSearch &search, StringRef directory) {
  if (search.has_evaluate())
    checkInput(part.part("evaluate"), search.evaluate(), directory, false);
  if (search.has_evaluate_fraction()) {
    part.within("evaluate_fraction", 0, 1, true);
    if (search.has_evaluate())
      part.fail("evaluate_fraction",
                "set either evaluate_fraction or evaluate, not both");
  }
  bool evaluates = search.has_evaluate() || search.has_evaluate_fraction();
  auto checkData = [&](StringRef name, const proto::SearchPrograms *own,
                       const Twine &needs) {
    if (own)
      checkInput(part.part(name).part("input"), *own, directory, false);
    else if (part.has(name) && !evaluates)
      part.fail(name, needs + " data: set evaluate, evaluate_fraction or " +
                          name + ".input");
  };
  if (search.has_evaluator())
    part.part("evaluator").positive("steps");
  checkData("evaluator",
            search.evaluator().has_input() ? &search.evaluator().input()
                                           : nullptr,
            "an evaluator needs");
  checkData("reports",
            search.reports().has_input() ? &search.reports().input() : nullptr,
            "reports need");
}

} // namespace

bool checkSearch(const proto::AdaNetSearch &search,
                 const pb::TextFormat::ParseInfoTree &places, StringRef file,
                 function_ref<void(const std::string &)> report) {
  bool ok = true;
  // Relative paths of data files are resolved from the folder of the search
  // file.
  StringRef directory = sys::path::parent_path(file);
  ProtoMessageWithSourceLocations part(
      search, &places, pb::TextFormat::ParseLocation(), file, report, ok);
  if (part.require("train"))
    checkInput(part.part("train"), search.train(), directory, true);
  checkEvaluation(part, search, directory);
  part.require("feature");
  for (int i = 0; i < search.feature_size(); ++i)
    checkFeature(part.part("feature", i), search.feature(i));
  checkDistinct(part, search.feature(), "feature",
                [](const proto::SearchFeature &it) { return it.name(); });
  if (part.require("head"))
    checkHead(part.part("head"), search.head(), false);
  checkMetrics(part, search.metric(), search.head());
  part.require("generator"); // at least one generator (AN-002)
  for (int i = 0; i < search.generator_size(); ++i)
    checkGenerator(part.part("generator", i), search.generator(i), directory);
  for (int i = 0; i < search.ensembler_size(); ++i)
    checkEnsembler(part.part("ensembler", i), search.ensembler(i));
  SharedOptimizerConsistencyChecker instances;
  for (int i = 0; i < search.generator_size(); ++i)
    if (search.generator(i).has_optimizer())
      instances.check(part.part("generator", i).part("optimizer"),
                      search.generator(i).optimizer());
  for (int i = 0; i < search.ensembler_size(); ++i) {
    const proto::SearchEnsembler &it = search.ensembler(i);
    ProtoMessageWithSourceLocations ensembler = part.part("ensembler", i);
    if (it.complexity_regularized().has_optimizer())
      instances.check(
          ensembler.part("complexity_regularized").part("optimizer"),
          it.complexity_regularized().optimizer());
    if (it.graph().has_optimizer())
      instances.check(ensembler.part("graph").part("optimizer"),
                      it.graph().optimizer());
  }
  // Two ensemblers with the same name would form candidates with the same name
  // (AN-005).
  checkDistinct(part, search.ensembler(), "ensembler", ensemblerName);
  for (int i = 0; i < search.strategy_size(); ++i)
    if (part.part("strategy", i).notNegative("keep_newest");
        search.strategy(i).has_keep_newest() &&
        search.strategy(i).kind() != proto::SearchStrategy::GROW)
      part.part("strategy", i)
          .fail("keep_newest", "keep_newest needs kind GROW, not " +
                                   proto::SearchStrategy::Kind_Name(
                                       search.strategy(i).kind()));
  checkDistinct(part, search.strategy(), "strategy",
                [](const proto::SearchStrategy &it) {
                  return proto::SearchStrategy::Kind_Name(it.kind()) +
                         (it.has_keep_newest()
                              ? ".keep" + std::to_string(it.keep_newest())
                              : "");
                });
  checkLimits(part, search);
  return ok;
}

} // namespace ingot::ensemble
