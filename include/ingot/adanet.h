//===- ingot/adanet.h - Searches for ensembles, in C++ ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Describes an AdaNet search (Cortes et al., 2017) over your own networks. In
// each iteration, builders build new members, which may use the members of the
// best ensemble so far. The new members are trained together with the candidate
// ensembles that contain them; the best candidate is kept. docs/guide/adanet.md
// is the guide. A search can also be described without C++, in a file
// `search.pbtxt` (docs/guide/search.md).
//
// A Search is only a description. Each iteration builds its program from it in
// a process of its own, including the members of earlier iterations, which are
// identified by the names of their builders. So a generator must return the
// same builders whenever it is called for the same iteration, and a builder
// must always build the same network.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_ADANET_H
#define INGOT_ADANET_H

#include "ingot/graph.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ingot::adanet {

using graph::Tensor;

//===----------------------------------------------------------------------===//
// Members of ensembles: features, networks, builders and generators
//===----------------------------------------------------------------------===//

/// A feature of the examples, as networks receive it.
struct Feature {
  /// The feature's values. For a numeric feature, they have type float32 and
  /// shape [batch, n]. For a categorical feature, whose `depth` is not 0, they
  /// have type int64 and shape [batch], and each value is the index of an
  /// example's category. An index outside [0, depth) means no category.
  Tensor values;
  int64_t depth = 0;
  /// For a categorical feature, the length of the trained vector (embedding)
  /// that replaces each category. If it is 0, a one-hot vector replaces the
  /// category.
  int64_t embedding = 0;
};
using Features = std::map<std::string, Feature>;

/// Returns all features concatenated in the order of their names, of shape
/// [batch, n]. Categorical features are first replaced by one-hot or trained
/// vectors; the trained ones are variables in the open name scope.
Tensor inputLayer(graph::Graph &graph, const Features &features);

/// A network that a builder has built: a member of an ensemble.
struct Subnetwork {
  Tensor lastLayer;      // [batch, n]; matrices of mixture weights multiply it
  Tensor logits;         // [batch, logitsDimension of the head]
  double complexity = 0; // r(h) in AdaNet's objective
};

/// A member of the previous ensemble, built in the entry (program function)
/// that is under construction. The entry does not train the member's variables,
/// and computes its outputs in inference mode unless
/// Search::replicateEnsembleInTraining is set.
struct PreviousMember {
  std::string name; // "t0_linear"
  Subnetwork network;
};

/// The ensemble that the previous iteration selected, built in the entry
/// (program function) that is under construction.
struct PreviousEnsemble {
  struct WeightedMember {
    std::string name; // "t0_linear"
    /// The member's mixture weights, one per head of a multi-head. Empty if the
    /// ensembler has no weights.
    std::vector<Tensor> weights;
  };
  std::string name; // "t0_linear_grow_complexity_regularized"
  std::vector<WeightedMember> members;
  std::vector<Tensor> bias; // one per head; empty without bias
  Tensor logits;
};

struct BuildContext {
  graph::Graph &graph;
  const Features &features;
  int64_t logitsDimension;
  /// Whether the network is built in training mode. False in evaluation and
  /// prediction, and for finished members unless
  /// Search::replicateEnsembleInTraining is set.
  bool training;
  int64_t iteration;
  /// The number of training steps that the member has made, as a scalar int64.
  /// If a finished member is built in training mode, this is the global step
  /// instead.
  Tensor step;
  /// The members of the previous ensemble, in the order of that ensemble.
  const std::vector<PreviousMember> &previous;
  /// Returns the previous ensemble, with its mixture weights, or null in
  /// iteration 0. The first call builds the ensemble in the open entry (the
  /// program function that is under construction). Training does not change the
  /// ensemble's variables.
  std::function<const PreviousEnsemble *()> previousEnsemble;
};

/// The arguments of Builder::train().
struct TrainContext {
  graph::Graph &graph;
  const Subnetwork &network;
  /// The head's loss for the logits of the member.
  Tensor loss;
  /// The trainable variables of the member.
  const std::vector<graph::Variable> &variables;
  Tensor step; // as in BuildContext
};

/// The value of a hyperparameter that a builder returns
/// (Builder::hyperparameters) for the report about its member. Users and
/// generators read these reports.
using Hyperparameter = std::variant<bool, int64_t, double, std::string>;
using Hyperparameters = std::map<std::string, Hyperparameter>;

/// A library of hooks (ingot/hook.h) that a builder or an ensembler adds to the
/// training of its iteration, as the flag --hook LIBRARY:ARGUMENTS does.
struct HookLibrary {
  /// The library's path. A relative path is resolved against the directory in
  /// which `ingot-adanet train` is started.
  std::string library;
  std::string arguments = {};
  /// True if only the chief process loads the library, as with AdaNet's
  /// chief_hooks; false if each process that trains the iteration loads it.
  bool chiefOnly = false;
};

struct Metric;
struct MetricContext;

class Builder {
public:
  virtual ~Builder();
  /// Returns the builder's name, which is unique in its iteration. It consists
  /// of letters, digits, '_', '.' and '-'.
  virtual std::string name() const = 0;
  /// Builds the network in the open entry (the program function that is under
  /// construction). All variables that build() creates belong to the member,
  /// whatever their names are.
  virtual Subnetwork build(BuildContext &context) const = 0;
  /// Returns the optimizer that trains the member: it minimizes the head's loss
  /// for the logits of the member alone, not for those of an ensemble.
  virtual graph::Optimizer optimizer() const = 0;
  virtual Hyperparameters hyperparameters() const { return {}; }
  /// Returns the values that the report about the member has besides its
  /// hyperparameters.
  virtual Hyperparameters attributes() const { return {}; }
  /// Returns further metrics of the member, for evaluations and its report.
  virtual std::vector<Metric> metrics(const MetricContext &context) const;
  /// Returns whether train(), not optimizer(), trains the member.
  virtual bool hasOwnTraining() const { return false; }
  /// Adds the ops of a training step, which assign the member's variables, to
  /// the open entry (the program function that is under construction). The
  /// tensors in the argument are computed from the values that variables have
  /// before the step.
  virtual void train(TrainContext &) const {}
  /// Returns the optimizer for the mixture weights of ensembles in which this
  /// builder's member is the first new member; std::nullopt to use the
  /// ensembler's optimizer (AdaNet's build_mixture_weights_train_op).
  virtual std::optional<graph::Optimizer> mixtureOptimizer() const {
    return std::nullopt;
  }
  /// Returns a scalar bool that ends the training of this member: after the
  /// first step in which it is true, the member is not trained any further,
  /// while the other members are. An invalid tensor means that the member has
  /// no such condition.
  virtual Tensor shouldStop(TrainContext &) const { return {}; }
  /// Returns the hooks that run in the iteration that adds the member, as those
  /// in AdaNet's TrainOpSpec do.
  virtual std::vector<HookLibrary> hooks() const { return {}; }
  /// Returns a dataset for training the member, instead of the search's dataset
  /// (bagging), or std::nullopt to train it on the search's dataset. The
  /// dataset must have the same columns. Ensembles that contain the member
  /// train on the search's dataset in both cases.
  virtual std::optional<graph::Dataset> input() const { return std::nullopt; }
};

/// A member: the iteration that added it, and its builder.
struct Member {
  int64_t iteration = 0;
  std::shared_ptr<const Builder> builder;

  /// Returns the member's name in variables and files, such as "t0_linear".
  std::string name() const {
    return "t" + std::to_string(iteration) + "_" + builder->name();
  }
};

/// The report about a member of a finished iteration.
struct MemberReport {
  int64_t iteration = 0;
  std::string name; // the name of its builder
  Hyperparameters hyperparameters;
  std::map<std::string, double> metrics;
  bool isInEnsemble = false; // in the ensemble that the iteration selected
};

struct GeneratorContext {
  int64_t iteration = 0;
  /// The members of the previous ensemble, oldest first.
  const std::vector<Member> &previous;
  /// The reports of all earlier iterations. Empty unless Search::reports is
  /// set.
  const std::vector<MemberReport> &reports;
  /// The name of the previous ensemble, such as
  /// "t0_linear_grow_complexity_regularized"; "" in iteration 0.
  std::string ensemble = {};
  /// The L1 norm of the mixture weights of each member in `previous`, as of the
  /// time when the ensemble was selected. Empty if the ensemble has no mixture
  /// weights, or if the ensemble was made by AdaNet itself or by `ingot-adanet
  /// prune`. Builders can read the weights themselves
  /// (BuildContext::previousEnsemble).
  std::vector<double> weights = {};
};

class Generator {
public:
  virtual ~Generator();
  /// Returns the builders of an iteration. All generators together must return
  /// at least one.
  virtual std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &context) const = 0;
};

/// Options of simpleDnn(), a generator of two networks per iteration: one as
/// deep as the newest member of the previous ensemble, and one with one more
/// layer.
struct SimpleDnnOptions {
  int64_t layerSize = 32;
  int64_t initialNumLayers = 0;
  double dropout = 0;
};
std::shared_ptr<const Generator> simpleDnn(graph::Optimizer optimizer,
                                           SimpleDnnOptions options = {});
/// Returns a generator that returns the same builders in every iteration.
std::shared_ptr<const Generator>
fixedBuilders(std::vector<std::shared_ptr<const Builder>> builders);
std::shared_ptr<const Builder> linearBuilder(graph::Optimizer optimizer);
/// Returns a builder of a network of dense layers. `activation` is one of
/// activationNames(), or empty for relu.
std::shared_ptr<const Builder> dnnBuilder(graph::Optimizer optimizer,
                                          std::vector<int64_t> layerSizes,
                                          double dropout = 0,
                                          const std::string &activation = "");
std::vector<std::string> activationNames();
/// Options of convolutionalBuilder(). Its network sees all features as an
/// image: 3x3 convolutions, each followed by pooling that halves height and
/// width, then a dense layer.
struct ConvolutionalOptions {
  int64_t height = 0, width = 0, channels = 1;
  std::vector<int64_t> filters;
  int64_t denseSize = 64;
};
std::shared_ptr<const Builder>
convolutionalBuilder(graph::Optimizer optimizer, ConvolutionalOptions options);

/// Options of graphBuilder(), which reads its network from a file: a GraphDef,
/// a MetaGraphDef, a SavedModel's folder or a program in MLIR. The graph's
/// variables become variables of the member, and start with the graph's initial
/// values. A frozen graph has no variables, so no part of it is trained.
struct GraphModel {
  std::string file;
  std::string name; // the name of the builder
  /// Pairs of a tensor's name in the graph and the feature that is fed to the
  /// tensor, such as {"x:0", "pixels"}.
  std::vector<std::pair<std::string, std::string>> features;
  std::string logits;
  std::string lastLayer = {}; // empty: the logits
  double complexity = 0;
  /// A dataset of the member's own (see Builder::input()).
  std::optional<graph::Dataset> input = {};
};
std::shared_ptr<const Builder> graphBuilder(graph::Optimizer optimizer,
                                            GraphModel model);

//===----------------------------------------------------------------------===//
// Heads: losses, predictions and metrics
//===----------------------------------------------------------------------===//

/// A named tensor: a scalar, or one number per example.
struct NamedTensor {
  std::string name;
  Tensor value;
};

/// Columns of the input by name, of shape [batch] or [batch, n].
using Columns = std::map<std::string, Tensor>;

/// The predictions of one head for a batch, and the labels of the batch.
struct LabeledPredictions {
  std::string head; // the name of the head in a multi-head, otherwise ""
  /// Labels as float32 [batch, n]. If `isOneHot`, each row has a single 1: the
  /// class of the example.
  Tensor labels;
  bool isOneHot = false;
  /// Predicted values or probabilities, and their logits, of the same shape.
  Tensor predictions, logits;
  Tensor weights = {}; // [batch, 1]; invalid if examples have no weights
};

/// A head, as in TensorFlow's Estimator: defines what logits mean, and computes
/// losses, predictions and metrics from them.
class Head {
public:
  virtual ~Head();
  virtual int64_t logitsDimension() const = 0;
  /// Returns the name and the size of each part of the logits. Ensembles have
  /// separate mixture weights for each part. A multi-head has one part per
  /// head; by default, all logits are one part with name "".
  virtual std::vector<std::pair<std::string, int64_t>> logitsParts() const {
    return {{"", logitsDimension()}};
  }
  /// Returns the columns that the head reads labels and weights from, with
  /// their types.
  virtual std::vector<std::pair<std::string, graph::DType>> columns() const = 0;
  /// Adds ops to the open entry (the program function that is under
  /// construction) that fail if labels or weights are invalid, for example out
  /// of range or not finite. Their error messages name the column.
  virtual void check(const Columns &columns) const = 0;
  /// Returns the mean loss of a batch.
  virtual Tensor loss(Tensor logits, const Columns &columns) const = 0;
  /// Returns the metrics that an evaluation reports (docs/guide/adanet.md).
  virtual std::vector<NamedTensor> figures(Tensor logits,
                                           const Columns &columns) const = 0;
  virtual std::vector<NamedTensor> predictions(Tensor logits) const = 0;
  /// Returns labels, predictions and weights, from which metrics are computed:
  /// one element, or one per head of a multi-head.
  virtual std::vector<LabeledPredictions> labeled(Tensor,
                                                  const Columns &) const {
    return {};
  }
};

// Heads as in TensorFlow's Estimator. `labels` and `weight` are names of
// columns. Labels are float32 in a regression, and int64 in a classification.
// `weight` may be empty.
std::shared_ptr<const Head> regressionHead(std::vector<std::string> labels,
                                           std::string weight = {});
std::shared_ptr<const Head> binaryHead(std::string label,
                                       std::string weight = {});
std::shared_ptr<const Head> multiClassHead(int64_t classes, std::string label,
                                           std::string weight = {});
/// Returns a head for examples with any number of labels: each class has a
/// label column with the values 0 and 1.
std::shared_ptr<const Head> multiLabelHead(std::vector<std::string> labels,
                                           std::string weight = {});
/// Returns a head that combines named heads. Their logits are concatenated, and
/// each head has mixture weights of its own. The loss is the sum of the heads'
/// losses, each times its weight in `headWeights`, or 1 if that is empty.
std::shared_ptr<const Head> multiHead(
    std::vector<std::pair<std::string, std::shared_ptr<const Head>>> heads,
    std::vector<double> headWeights = {});

//===----------------------------------------------------------------------===//
// Metrics of evaluations
//===----------------------------------------------------------------------===//

/// A metric that an evaluation computes from sums over its batches.
struct Metric {
  std::string name;
  /// Tensors of the current batch, of static shape, which are added up over all
  /// batches.
  std::vector<Tensor> sums;
  /// Computes the metric, a scalar, from the totals of `sums`, which have type
  /// float64.
  std::function<Tensor(const std::vector<Tensor> &totals)> result;
};

/// Returns the weighted mean of `values`, of shape [batch] or [batch, n].
/// `weights` has the same shape, or [batch, 1]; if it is invalid, all weights
/// are 1.
Metric meanMetric(std::string name, Tensor values, Tensor weights = {});

/// The batch that metrics are computed for, and what a member or an ensemble
/// predicts for it.
struct MetricContext {
  graph::Graph &graph;
  const Columns &columns; // the columns with features, labels and weights
  /// The predictions of the head by name, such as "probabilities".
  const std::map<std::string, Tensor> &predictions;
  /// Labels, predictions and weights, from which metrics are computed: one
  /// element, or one per head of a multi-head.
  const std::vector<LabeledPredictions> &labeled;
};

/// A function that returns metrics of a member or an ensemble, like AdaNet's
/// metric_fn. They replace metrics of the head that have the same names.
using MetricFunction =
    std::function<std::vector<Metric>(const MetricContext &)>;

//===----------------------------------------------------------------------===//
// Ensemblers, and strategies that form candidate ensembles
//===----------------------------------------------------------------------===//

enum class MixtureWeights { Scalar, Vector, Matrix };

struct ComplexityRegularizedEnsembler {
  std::string name = "complexity_regularized";
  MixtureWeights weights = MixtureWeights::Scalar;
  double lambda = 0, beta = 0;
  bool useBias = false;
  /// Whether the mixture weights of earlier members start with their values in
  /// the previous ensemble.
  bool warmStart = false;
  /// The optimizer that trains the mixture weights. If it is std::nullopt, they
  /// keep their initial values.
  std::optional<graph::Optimizer> optimizer;
  /// Constant mixture weights of the members, in order. If empty, weights are
  /// trained.
  std::vector<double> fixedWeights;
  /// Whether the gradient counts the complexity penalty twice, as AdaNet does
  /// if its ensembler has an optimizer.
  bool penaltyTwice = false;
};

struct MeanEnsembler {
  std::string name = "mean";
  /// Whether only the members that the iteration adds are averaged, as in
  /// AdaNet, without the members of earlier iterations.
  bool newMembersOnly = false;
  /// Whether the mean of the members' last layers is a further prediction,
  /// `mean_last_layer`. All last layers must have the same shape.
  bool addMeanLastLayerPredictions = false;
};

/// The arguments of UserEnsembler::build(): the members of the ensemble, and
/// the graph in which the ensemble is built.
struct EnsembleContext {
  struct EnsembleMember {
    std::string name; // "t0_linear"
    bool isNew;       // added by iteration `iteration`
    Subnetwork network;
  };
  graph::Graph &graph;
  const std::vector<EnsembleMember> &members;
  int64_t logitsDimension;
  bool training; // false in evaluation, prediction, and for finished ensembles
  int64_t iteration;
  /// Returns the ensemble that the previous iteration selected; null in
  /// iteration 0 (see BuildContext::previousEnsemble).
  std::function<const PreviousEnsemble *()> previousEnsemble;
};

/// The ensemble that a UserEnsembler has built.
struct Ensemble {
  Tensor logits; // [batch, logitsDimension]
  /// A scalar that is added to the head's loss in the AdaNet loss, by which
  /// ensembles are trained and compared. May be invalid.
  Tensor penalty = {};
  /// Predictions besides those of the head. All candidates of a search must
  /// have predictions of the same names.
  std::vector<NamedTensor> predictions = {};
};

/// The base class of ensemblers that users implement.
class UserEnsembler {
public:
  virtual ~UserEnsembler();
  virtual std::string name() const = 0;
  /// Builds the ensemble in the open entry (the program function that is under
  /// construction). All variables that build() creates belong to the ensemble.
  virtual Ensemble build(EnsembleContext &context) const = 0;
  /// Returns the optimizer that trains the ensemble's trainable variables to
  /// minimize its AdaNet loss, or std::nullopt if they keep their initial
  /// values.
  virtual std::optional<graph::Optimizer> optimizer() const { return {}; }
  /// Returns hooks for each iteration.
  virtual std::vector<HookLibrary> hooks() const { return {}; }
};

/// An ensembler that the user provides as a graph. The members of this struct
/// name the tensors of the graph. The graph is copied into the program once for
/// each member of an ensemble, in the order of the members. Each copy has
/// variables of its own, which are trained if the graph marks them as
/// trainable. A tensor that the graph lacks has the name "".
struct EnsemblerModel {
  std::string name = "graph";
  std::string file; // GraphDef, MetaGraphDef, SavedModel or MLIR
  /// Names of tensors that are fed: the member's logits [batch, n], its last
  /// layer, and its complexity, a scalar.
  std::string memberLogits, lastLayer = {}, complexity = {};
  /// The name of a tensor that is fed with the logits that the graph has
  /// returned for the preceding member, or with zeros for the first member. The
  /// ensemble's logits are then those that the graph returns for the last
  /// member. If the name is "", the ensemble's logits are the sum of the
  /// graph's logits over all members.
  std::string logitsSoFar = {};
  /// The name of a tensor that is fed with the logits of the ensemble that the
  /// previous iteration selected, or with zeros in the first iteration.
  std::string previousLogits = {};
  /// Names of tensors that are fetched: the logits [batch, n] and a scalar
  /// penalty. The sum of the penalties of all members is the ensemble's
  /// (Ensemble::penalty).
  std::string logits, penalty = {};
  /// The optimizer that trains the variables. If it is std::nullopt, they keep
  /// their initial values.
  std::optional<graph::Optimizer> optimizer = {};
};
std::shared_ptr<const UserEnsembler> graphEnsembler(EnsemblerModel model);

using Ensembler = std::variant<ComplexityRegularizedEnsembler, MeanEnsembler,
                               std::shared_ptr<const UserEnsembler>>;

/// The arguments of UserStrategy::candidates(): the members from which this
/// function forms candidate ensembles.
struct StrategyContext {
  int64_t iteration;
  /// The members of the previous ensemble, oldest first.
  const std::vector<Member> &previous;
  /// The builders of the iteration's new members.
  const std::vector<std::shared_ptr<const Builder>> &builders;
};

/// A candidate ensemble, described by the indices of its members in
/// StrategyContext.
struct UserCandidate {
  std::string name; // of letters, digits, '_', '.' and '-'; unique
  std::vector<size_t> previous, builders;
};

/// The base class of strategies that users implement.
class UserStrategy {
public:
  virtual ~UserStrategy();
  /// Returns candidates, each with at least one new member.
  virtual std::vector<UserCandidate>
  candidates(const StrategyContext &context) const = 0;
};

// Deprecated earlier names of two classes. Version 0.2 will not have them.
using OwnEnsembler = UserEnsembler;
using OwnCandidate = UserCandidate;
using OwnStrategy = UserStrategy;

/// Which candidate ensembles an iteration tries.
///
/// - Grow: each new member together with all earlier members, or with the
///   newest `keep` of them.
/// - Solo: each new member alone.
/// - All: all new members together with all earlier ones.
/// - User: as the user's UserStrategy says.
struct Strategy {
  enum Kind { Grow, Solo, All, User };
  static constexpr Kind Own = User; // deprecated
  Strategy(Kind kind, std::optional<int64_t> keep = {})
      : kind(kind), keep(keep) {}
  Strategy(std::shared_ptr<const UserStrategy> own)
      : kind(User), own(std::move(own)) {}

  Kind kind;
  std::optional<int64_t> keep;
  std::shared_ptr<const UserStrategy> own; // if `kind` is User
};

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// The limits of each iteration and of the whole search: steps, time and number
/// of iterations.
struct SearchLimits {
  /// The number of steps that each iteration trains its members.
  int64_t maxIterationSteps = 0;
  /// The numbers of iterations and of steps after which the search ends.
  /// std::nullopt means no limit.
  std::optional<int64_t> maxIterations, maxSteps;
  std::optional<double> maxIterationSeconds;
  /// A member's training stops if its average loss has not fallen for this
  /// number of steps.
  std::optional<int64_t> patienceSteps;
  double patienceMinDelta = 0;
};

/// The new members of an iteration may have made different numbers of steps,
/// because members may stop early. The global step is its value before the
/// iteration plus the mean (rounded down), minimum or maximum of these numbers.
enum class GlobalStepCombiner { Mean, Min, Max };

/// Selects the best ensemble by a metric of an evaluation, instead of by the
/// moving average of the AdaNet loss.
struct Evaluator {
  std::string metric = "adanet_loss";
  bool maximize = false;
  /// The number of batches to evaluate on. std::nullopt means all batches.
  std::optional<int64_t> steps;
  /// The dataset to evaluate on, which must end. If it is std::nullopt,
  /// Search::evaluate is used.
  std::optional<graph::Dataset> input = {};
};

struct Search {
  uint64_t seed = 0;
  SearchLimits limits;
  /// The dataset to train on. Its elements are batches with named columns.
  std::optional<graph::Dataset> train;
  /// The dataset to evaluate on. It must end.
  std::optional<graph::Dataset> evaluate;
  /// The columns that are fed to those entries (program functions) that
  /// evaluate or predict without a dataset: their names, types and shapes, with
  /// `unknown` as the first dimension. If empty, these are the columns of an
  /// element of `train`. Labels and weights are not listed here: an entry that
  /// needs them has feeds for them, too.
  struct FeedColumnSpec {
    std::string name;
    graph::DType dtype;
    graph::Shape shape;
  };
  std::vector<FeedColumnSpec> fedColumns;
  /// Computes the features of networks from columns. The columns come from an
  /// element of a dataset, or are fed.
  std::function<Features(graph::Graph &, const Columns &)> features;
  std::shared_ptr<const Head> head;
  /// Metrics of evaluations besides those of the head. May be null.
  MetricFunction metrics;
  std::vector<std::shared_ptr<const Generator>> generators;
  std::vector<Ensembler> ensemblers = {ComplexityRegularizedEnsembler()};
  std::vector<Strategy> strategies = {Strategy::Grow};
  double adanetLossDecay = 0.9;
  GlobalStepCombiner globalStepCombiner = GlobalStepCombiner::Mean;
  bool forceGrow = false;
  /// Whether each iteration measures the previous ensemble again, on the same
  /// batches as the new ensembles. AdaNet keeps the previous ensemble's average
  /// instead.
  bool remeasurePrevious = false;
  /// Whether members of the previous ensemble are built in training mode while
  /// new members and ensembles train, so that their dropout and batch
  /// normalization work as in training. Their variables do not change.
  bool replicateEnsembleInTraining = false;
  std::optional<Evaluator> evaluator;
  /// Whether iterations write reports about their members, which users and
  /// generators read. The metrics in a report come from an evaluation of
  /// `reportSteps` batches, or of all batches if `reportSteps` is not set.
  bool reports = false;
  std::optional<int64_t> reportSteps;
  /// The dataset on which the metrics in the reports are computed. If it is
  /// std::nullopt, `evaluate` is used.
  std::optional<graph::Dataset> reportInput;
  /// The folder of iteration_reports.json; if empty, `report` in the model
  /// directory.
  std::string reportDirectory;
  /// Whether trainers write summaries (TensorBoard's curves) of each ensemble,
  /// and of each subnetwork.
  bool ensembleSummaries = true, subnetworkSummaries = true;
  /// The index of the candidate that each iteration selects, one index per
  /// iteration, as in AdaNet's replay.Config. If empty, each iteration selects
  /// the best candidate.
  std::vector<int64_t> replayIndices;
  /// Whether each iteration begins with the first example, as in AdaNet.
  /// Otherwise it continues after the last example of the previous iteration.
  bool restartInput = false;
  /// The folder in which relative names of data files are resolved.
  std::string dataDirectory;
  /// The values that replace missing values in numeric columns, such as empty
  /// CSV fields, keyed by the column's name. They are used in predictions
  /// (`predict --missing`), and should equal those that the dataset `train`
  /// uses.
  std::map<std::string, double> valuesWhereMissing;
};

/// The result of a finished iteration, as stored in architecture-<t>.json.
struct FinishedIteration {
  std::string candidate; // "linear_grow"
  std::string ensembler;
  int64_t globalStep = 0;
  /// The iteration and the builder's name of each member, in the ensemble's
  /// order.
  std::vector<std::pair<int64_t, std::string>> members;
  /// The L1 norm of each member's mixture weights, in the order of `members`;
  /// may be empty (see GeneratorContext::weights).
  std::vector<double> weights = {};
};

/// Builds the program of the iteration that follows the iterations `finished`,
/// in `graph`, which must be empty, and finishes the graph (Graph::finish). If
/// there are several `processes`, the program also has an entry for each of
/// them (docs/guide/adanet.md, Workers). Returns false on errors, which
/// graph.errors() lists.
bool buildIteration(const Search &search,
                    const std::vector<FinishedIteration> &finished,
                    const std::vector<MemberReport> &reports,
                    graph::Graph &graph, int64_t processes = 1);

/// The `main` function of a program that describes a search:
///
///   int main(int argc, char **argv) {
///     return ingot::adanet::searchMain(argc, argv, describeSearch);
///   }
///
/// `ingot-adanet train ./program --model-dir run` calls the program for the
/// plan of the search and for each iteration's trainer. The program has these
/// flags, which mean the same as those of `ingotc`:
///
///   --search-plan          print the plan of the search as JSON
///   [--model-dir DIR] [--iteration T] -o OUT
///                          compile the trainer of an iteration
///   --report-facts FILE    write the builders' hyperparameters and attributes
///   --hooks-file FILE      write the hooks of builders and ensemblers, as JSON
///   --processes N          compile a trainer for N processes that share DIR
///   --predictor --model-dir DIR -o OUT
///                          compile a program that only predicts with the best
///                          ensemble in DIR
///   --emit=mlir            print the program instead of compiling it
///   --cpu LEVELS, --cache-dir DIR, --no-cache, --runtime-dir DIR
///                          as for ingotc
///
/// Returns the exit code of the program.
int searchMain(int argc, char **argv, const std::function<Search()> &describe);

} // namespace ingot::adanet

#endif // INGOT_ADANET_H
