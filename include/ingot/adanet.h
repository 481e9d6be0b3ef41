//===- ingot/adanet.h - Searches for ensembles, in C++ ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// AdaNet's search (Cortes et al., 2017) over networks of one's own: in each
// iteration, builders build members on top of the ensemble so far, all of which
// train together with the ensembles that they would make; the best one stays.
// docs/guide/adanet.md says how; `search.pbtxt` (docs/guide/search.md) says the
// same without C++.
//
// A Search only describes. Every iteration builds its program by it anew, and
// the members of earlier iterations again, by the names of their builders, in
// processes that may have been started for no other reason. So a generator has
// to give the same builders whenever it is asked of the same iteration, and a
// builder the same network.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_ADANET_H
#define INGOT_ADANET_H

#include "ingot/graph.h"

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
// Members
//===----------------------------------------------------------------------===//

/// One thing that networks see of an example.
struct Feature {
  /// Float32 [batch, n]; or, with a `depth`, int64 [batch]: the index of one of
  /// `depth` categories, or of none outside [0, depth).
  Tensor values;
  int64_t depth = 0;
  /// For categories: the length of vectors that the member trains, instead of
  /// one-hot vectors.
  int64_t embedding = 0;
};
using Features = std::map<std::string, Feature>;

/// All of them side by side, in the order of their names: [batch, n]. Vectors
/// of categories are variables of the name scope that is open.
Tensor inputLayer(graph::Graph &graph, const Features &features);

/// A member of an ensemble: the result of a builder.
struct Subnetwork {
  Tensor lastLayer;      // [batch, n], the input of matrices of mixture weights
  Tensor logits;         // [batch, the head's dimension]
  double complexity = 0; // r(h) of AdaNet's objective
};

/// A member of the previous ensemble, in the entry that is open: it computes as
/// in inference, and its variables do not change.
struct PreviousMember {
  std::string name; // "t0_linear"
  Subnetwork network;
};

struct BuildContext {
  graph::Graph &graph;
  const Features &features;
  int64_t logitsDimension;
  bool training; // else evaluation, prediction, or a member that is done
  int64_t iteration;
  /// How many steps the member has made: a scalar int64.
  Tensor step;
  /// The members of earlier iterations.
  const std::vector<PreviousMember> &previous;
};

/// A value in a member's report, for people and for generators.
using Hyperparameter = std::variant<bool, int64_t, double, std::string>;
using Hyperparameters = std::map<std::string, Hyperparameter>;

class Builder {
public:
  virtual ~Builder();
  /// Letters, digits, '_', '.' and '-'; no other builder of the iteration has
  /// the same.
  virtual std::string name() const = 0;
  /// Builds the network in the entry that is open. Variables that it makes are
  /// the member's, whatever they are called.
  virtual Subnetwork build(BuildContext &context) const = 0;
  /// The optimizer that trains the member on the head's loss of its own logits.
  virtual graph::Optimizer optimizer() const = 0;
  virtual Hyperparameters hyperparameters() const { return {}; }
  /// Data that the member trains on in place of the search's (bagging), with
  /// the same columns; its ensembles see the search's. Nothing: the search's.
  virtual std::optional<graph::Dataset> input() const { return std::nullopt; }
};

/// A member by its name, and the builder that made it.
struct Member {
  int64_t iteration = 0;
  std::shared_ptr<const Builder> builder;

  /// "t0_linear", as variables and files call it.
  std::string name() const {
    return "t" + std::to_string(iteration) + "_" + builder->name();
  }
};

/// The report of a member of a finished iteration.
struct MemberReport {
  int64_t iteration = 0;
  std::string name; // the builder's
  Hyperparameters hyperparameters;
  std::map<std::string, double> metrics;
  bool isInEnsemble = false; // added to the one that was selected
};

struct GeneratorContext {
  int64_t iteration = 0;
  /// The members of the ensemble so far, the oldest first.
  const std::vector<Member> &previous;
  /// Reports of all earlier iterations, if the search requests them.
  const std::vector<MemberReport> &reports;
};

class Generator {
public:
  virtual ~Generator();
  /// The builders of an iteration, at least one in all generators together.
  virtual std::vector<std::shared_ptr<const Builder>>
  generate(const GeneratorContext &context) const = 0;
};

/// Two networks: as deep as the ensemble's newest member, and one layer deeper.
struct SimpleDnnOptions {
  int64_t layerSize = 32;
  int64_t initialNumLayers = 0;
  double dropout = 0;
};
std::shared_ptr<const Generator> simpleDnn(graph::Optimizer optimizer,
                                           SimpleDnnOptions options = {});
/// The same builders in every iteration.
std::shared_ptr<const Generator>
fixedBuilders(std::vector<std::shared_ptr<const Builder>> builders);
std::shared_ptr<const Builder> linearBuilder(graph::Optimizer optimizer);
/// `activation`: one of activationNames(); empty: relu.
std::shared_ptr<const Builder> dnnBuilder(graph::Optimizer optimizer,
                                          std::vector<int64_t> layerSizes,
                                          double dropout = 0,
                                          const std::string &activation = "");
std::vector<std::string> activationNames();
/// A network over all features as images: 3x3 convolutions, each followed by
/// pooling that halves the image, then a dense layer.
struct ConvolutionalOptions {
  int64_t height = 0, width = 0, channels = 1;
  std::vector<int64_t> filters;
  int64_t denseSize = 64;
};
std::shared_ptr<const Builder>
convolutionalBuilder(graph::Optimizer optimizer, ConvolutionalOptions options);

/// A network that was made elsewhere: a GraphDef, a MetaGraphDef, a
/// SavedModel's folder or a program in MLIR. Its variables become the member's,
/// with the values that they start with there; of a frozen graph nothing is
/// trained.
struct GraphModel {
  std::string file;
  std::string name; // the builder's
  /// Pairs of a tensor of the graph and the feature that it gets: {"x:0",
  /// "pixels"}.
  std::vector<std::pair<std::string, std::string>> features;
  std::string logits;
  std::string lastLayer = {}; // where it is not the logits
  double complexity = 0;
  /// The member's own input (Builder::input()).
  std::optional<graph::Dataset> input = {};
};
std::shared_ptr<const Builder> graphBuilder(graph::Optimizer optimizer,
                                            GraphModel model);

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// A tensor by name: a number, or one for each example.
struct Figure {
  std::string name;
  Tensor value;
};

/// Columns of the input, by name: [batch] or [batch, n].
using Columns = std::map<std::string, Tensor>;

/// The meaning of logits: their loss, predictions and metrics.
class Head {
public:
  virtual ~Head();
  virtual int64_t logitsDimension() const = 0;
  /// Logits that belong together: ensembles weigh members for each of these
  /// apart. The name of each, and how many there are; all of one head, "".
  virtual std::vector<std::pair<std::string, int64_t>> logitsParts() const {
    return {{"", logitsDimension()}};
  }
  /// The columns that it takes labels and weights from, with their types.
  virtual std::vector<std::pair<std::string, graph::DType>> columns() const = 0;
  /// Has the entry that is open refuse labels and weights that it cannot take,
  /// by the names of their columns: out of range, not finite.
  virtual void check(const Columns &columns) const = 0;
  /// The mean loss of a batch.
  virtual Tensor loss(Tensor logits, const Columns &columns) const = 0;
  /// The metrics that an evaluation reports (docs/guide/adanet.md).
  virtual std::vector<Figure> figures(Tensor logits,
                                      const Columns &columns) const = 0;
  virtual std::vector<Figure> predictions(Tensor logits) const = 0;
};

// Estimator's heads. Labels and weights are columns of the input: of
// regressions float32, of classes int64; `weight` may be empty.
std::shared_ptr<const Head> regressionHead(std::vector<std::string> labels,
                                           std::string weight = {});
std::shared_ptr<const Head> binaryHead(std::string label,
                                       std::string weight = {});
std::shared_ptr<const Head> multiClassHead(int64_t classes, std::string label,
                                           std::string weight = {});
/// A column of 0 and 1 for each class.
std::shared_ptr<const Head> multiLabelHead(std::vector<std::string> labels,
                                           std::string weight = {});
/// Heads by name, whose logits are concatenated. Each head has mixture weights
/// of its own.
std::shared_ptr<const Head> multiHead(
    std::vector<std::pair<std::string, std::shared_ptr<const Head>>> heads);

//===----------------------------------------------------------------------===//
// Ensembles
//===----------------------------------------------------------------------===//

enum class MixtureWeights { Scalar, Vector, Matrix };

struct ComplexityRegularized {
  std::string name = "complexity_regularized";
  MixtureWeights weights = MixtureWeights::Scalar;
  double lambda = 0, beta = 0;
  bool useBias = false;
  /// Weights of earlier members start with their values in the previous
  /// ensemble.
  bool warmStart = false;
  /// Nothing: weights stay as they begin.
  std::optional<graph::Optimizer> optimizer;
  /// Weights of the members, in order, instead of trained ones.
  std::vector<double> fixedWeights;
  /// The penalty counts twice in the gradient, as where AdaNet's ensembler has
  /// the optimizer.
  bool penaltyTwice = false;
};

struct MeanEnsembler {
  std::string name = "mean";
  /// As in AdaNet: ensembles of the iteration's own members.
  bool newMembersOnly = false;
};

using Ensembler = std::variant<ComplexityRegularized, MeanEnsembler>;

/// Which ensembles are tried. Grow: each new member with all earlier ones, or
/// with the newest `keep` of these. Solo: each new member alone. All: all new
/// members with all earlier ones.
struct Strategy {
  enum Kind { Grow, Solo, All };
  Strategy(Kind kind, std::optional<int64_t> keep = {})
      : kind(kind), keep(keep) {}

  Kind kind;
  std::optional<int64_t> keep;
};

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// When iterations and the search end.
struct Limits {
  /// Steps of each member.
  int64_t maxIterationSteps = 0;
  /// Nothing: until max steps, or for ever.
  std::optional<int64_t> maxIterations, maxSteps;
  std::optional<double> maxIterationSeconds;
  /// A member stops after this number of steps without a lower average loss.
  std::optional<int64_t> patienceSteps;
  double patienceMinDelta = 0;
};

/// Selects by figures of an evaluation instead of by moving averages.
struct Evaluator {
  std::string metric = "adanet_loss";
  bool maximize = false;
  /// Batches; nothing: all there are.
  std::optional<int64_t> steps;
};

struct Search {
  uint64_t seed = 0;
  Limits limits;
  /// Elements are batches, of named columns.
  std::optional<graph::Dataset> train;
  /// The dataset that evaluations read, to its end.
  std::optional<graph::Dataset> evaluate;
  /// The feeds of evaluation and prediction, by name, in place of an element's
  /// columns; with a dynamic first dimension (`unknown`), without labels and
  /// weights. Nothing: as an element.
  struct FedColumn {
    std::string name;
    graph::DType dtype;
    graph::Shape shape;
  };
  std::vector<FedColumn> fedColumns;
  /// Makes networks' features from columns, those of an element and fed ones.
  std::function<Features(graph::Graph &, const Columns &)> features;
  std::shared_ptr<const Head> head;
  std::vector<std::shared_ptr<const Generator>> generators;
  std::vector<Ensembler> ensemblers = {ComplexityRegularized()};
  std::vector<Strategy> strategies = {Strategy::Grow};
  double adanetLossDecay = 0.9;
  bool forceGrow = false;
  /// The previous ensemble is measured again in each iteration, on the batches
  /// that new ensembles are measured on. AdaNet keeps its average instead.
  bool remeasurePrevious = false;
  std::optional<Evaluator> evaluator;
  /// Whether iterations write reports of their members, for generators and for
  /// people, from an evaluation of `reportSteps` batches; nothing: of all.
  bool reports = false;
  std::optional<int64_t> reportSteps;
  /// By iteration, the candidate to select.
  std::vector<int64_t> replayIndices;
  /// Iterations begin with the first example, as AdaNet's do, not with the
  /// next.
  bool restartInput = false;
  /// The folder of relative names of data files.
  std::string dataDirectory;
};

/// The result of a finished iteration, as architecture-<t>.json states it.
struct FinishedIteration {
  std::string candidate; // "linear_grow"
  std::string ensembler;
  int64_t globalStep = 0;
  /// Iteration and builder of each member, in the ensemble's order.
  std::vector<std::pair<int64_t, std::string>> members;
};

/// Builds the program of the iteration that follows `finished` into an empty
/// graph, and finishes it. False on errors, which graph.errors() lists. With
/// several `processes` it has an entry for each of them, too
/// (docs/guide/adanet.md, Workers).
bool buildIteration(const Search &search,
                    const std::vector<FinishedIteration> &finished,
                    const std::vector<MemberReport> &reports,
                    graph::Graph &graph, int64_t processes = 1);

/// The `main` of a program that is a search:
///
///   int main(int argc, char **argv) {
///     return ingot::adanet::searchMain(argc, argv, describeSearch);
///   }
///
/// `ingot-adanet train ./program --model-dir run` asks it for the plan and for
/// each iteration's trainer. It takes the flags that `ingotc` has for searches:
///
///   --search-plan          print what the search asks of trainers
///   [--model-dir DIR] [--iteration T] -o OUT
///                          compile an iteration's trainer
///   --processes N          of a trainer: for N processes that share the folder
///   --predictor --model-dir DIR -o OUT
///                          compile what only predicts: the best ensemble in
///                          the folder, with its weights
///   --emit=mlir            print the program instead
///   --cpu LEVELS, --cache-dir DIR, --no-cache, --runtime-dir DIR
///                          as of ingotc
int searchMain(int argc, char **argv, const std::function<Search()> &describe);

} // namespace ingot::adanet

#endif // INGOT_ADANET_H
