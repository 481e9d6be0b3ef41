//===- SearchFromProto.cpp - Converts a search file to a search -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Ensemble/SearchFromProto.h"

#include "compiler/Builder/Datasets.h"
#include "compiler/Ensemble/AdaptedBuilders.h"
#include "compiler/Ensemble/ArrayFiles.h"
#include "compiler/Ensemble/FeatureColumns.h"
#include "compiler/Ensemble/Heads.h"
#include "compiler/Ensemble/MetricCatalog.h"
#include "compiler/Ensemble/SearchOptimizers.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace ingot::adanet;
using namespace ingot::graph;

namespace ingot::ensemble {

//===----------------------------------------------------------------------===//
// Datasets of a search file's inputs

static CsvOptions csvOptions(const proto::CsvSource &csv, StringRef directory) {
  CsvOptions options;
  options.header = csv.header();
  options.names.assign(csv.column().begin(), csv.column().end());
  if (csv.has_delimiter())
    options.delimiter = csv.delimiter()[0];
  options.missing = csv.missing();
  options.directory = directory.str();
  return options;
}

/// Returns the names of all columns of the data, or an empty vector if the data
/// does not name its columns. Returns std::nullopt, with a message in `error`,
/// if a file cannot be read.
static std::optional<std::vector<std::string>>
knownColumns(const proto::SearchPrograms &input, StringRef directory,
             std::string &error) {
  if (input.has_arrays()) {
    std::vector<std::string> names;
    for (const proto::ArrayColumn &column : input.arrays().column())
      names.push_back(column.name());
    return names;
  }
  if (!input.has_csv())
    return std::vector<std::string>();
  if (input.csv().column_size())
    return std::vector<std::string>(input.csv().column().begin(),
                                    input.csv().column().end());
  return csvHeader(input.csv().file(0), csvOptions(input.csv(), directory),
                   error);
}

/// Returns the dataset of CSV files with the columns of features and head.
static Dataset readCsv(const proto::CsvSource &csv,
                       const std::vector<DataFileColumn> &columns,
                       StringRef directory) {
  std::vector<CsvColumn> wanted;
  for (const DataFileColumn &column : columns) {
    if (column.dtype == DType::String)
      wanted.emplace_back(column.name, column.dtype, std::string());
    else if (column.whereEmpty)
      wanted.emplace_back(column.name, column.dtype, *column.whereEmpty);
    else
      wanted.emplace_back(column.name, column.dtype);
  }
  CsvOptions options = csvOptions(csv, directory);
  if (!options.header && options.names.empty()) {
    // For a file without a header, csvHeader() returns the indices of the
    // columns as names. If a file of training data cannot be read,
    // knownColumns() has reported it already.
    std::string ignored;
    options.names =
        csvHeader(csv.file(0), options, ignored).value_or(options.names);
  }
  return Dataset::csv({csv.file().begin(), csv.file().end()}, wanted, options);
}

/// Returns the dataset of TFRecord files, whose records are tf.Examples.
static Dataset readRecords(const proto::TFRecordSource &records,
                           const std::vector<DataFileColumn> &columns) {
  std::vector<ExampleFeature> features;
  for (const DataFileColumn &column : columns) {
    ExampleFeature feature = {column.name, column.dtype, column.shape};
    if (column.whereEmpty) {
      int64_t size = 1;
      for (int64_t dim : column.shape)
        size *= dim;
      feature.whereAbsent = Array(
          std::vector<float>(size, static_cast<float>(*column.whereEmpty)),
          column.shape);
    }
    features.push_back(std::move(feature));
  }
  return Dataset::records({records.file().begin(), records.file().end()},
                          records.compression())
      .parseExamples(std::move(features));
}

namespace {
/// The examples that split() returns: all, only those for training, or only
/// those for evaluation.
enum class DataSplit { All, Training, Evaluation };
} // namespace

/// Returns the examples of `data` that belong to `part`. In each group of
/// `every` consecutive examples, the last one is for evaluation, and all others
/// are for training.
static Dataset split(const Dataset &data, int64_t every, DataSplit part) {
  if (part == DataSplit::Evaluation)
    return data.shard(every, every - 1);
  // For training, batch every `every` examples, drop the last example of each
  // full batch, and unbatch the remaining ones. This keeps the order of the
  // examples.
  return data.batch(every)
      .map([every](const Element &group) {
        Element rest;
        for (size_t i = 0; i < group.names().size(); ++i) {
          Tensor all = group.tensors()[i];
          Graph &graph = *all.data()->graph;
          Tensor size = minimum(slice(shapeOf(all), {0}, {1}),
                                graph.constant(Array(std::vector<int32_t>{
                                    static_cast<int32_t>(every - 1)})));
          std::vector<int32_t> indices(every - 1);
          for (int64_t k = 0; k < every - 1; ++k)
            indices[k] = static_cast<int32_t>(k);
          Tensor kept = graph.create(
              "slice", {graph.constant(Array(indices)),
                        graph.constant(Array(std::vector<int32_t>{0})), size});
          rest.set(group.names()[i], gather(all, kept));
        }
        return rest;
      })
      .unbatch();
}

/// Returns the examples of an input, before they are split, shuffled and
/// batched.
static std::optional<Dataset>
readSource(const proto::SearchPrograms &input,
           const std::vector<DataFileColumn> &columns, StringRef directory,
           std::string &error) {
  if (input.has_csv())
    return readCsv(input.csv(), columns, directory);
  if (!input.has_arrays())
    return readRecords(input.tfrecord(), columns);
  auto arrays = readArrays(input.arrays(), columns, directory, error);
  if (!arrays)
    return std::nullopt;
  return Dataset::slices(std::move(*arrays));
}

/// Returns the input pipeline of `input`: prefetched batches of those examples
/// that belong to `part`. `every` is the argument for split(), or 0 if the
/// examples are not split. Only training shuffles the examples. Training
/// repeats them, forever unless `input` states the number of epochs; evaluation
/// repeats them only if `input` states more than one epoch.
static std::optional<Dataset>
makeInput(const proto::SearchPrograms &input, const FeatureColumns &features,
          const std::vector<DataFileColumn> &columns, StringRef directory,
          uint64_t seed, int64_t every, DataSplit part, std::string &error) {
  bool trains = part != DataSplit::Evaluation;
  std::optional<Dataset> source = readSource(input, columns, directory, error);
  if (!source)
    return std::nullopt;
  Dataset data = std::move(*source);
  if (input.skip())
    data = data.skip(input.skip());
  if (input.has_take())
    data = data.take(input.take());
  if (every)
    data = split(data, every, part);
  if (input.has_shuffle() && trains)
    data = data.shuffle(input.shuffle().buffer(),
                        static_cast<int64_t>(input.shuffle().has_seed()
                                                 ? input.shuffle().seed()
                                                 : seed));
  if (trains || input.epochs() > 1)
    data = data.repeat(input.has_epochs() ? input.epochs() : -1);
  return features.pack(data.batch(input.batch(), input.drop_remainder()))
      .prefetch(input.has_prefetch() ? input.prefetch() : 2);
}

//===----------------------------------------------------------------------===//
// Generators, ensemblers and limits of a search file
//===----------------------------------------------------------------------===//

/// A function that builds the input pipeline of a member with training data of
/// its own. Its argument is the field `input` of the member's generator. If the
/// data cannot be read, sets the argument `error` of makeSearch() and returns
/// std::nullopt.
using InputMaker =
    function_ref<std::optional<Dataset>(const proto::SearchPrograms &)>;

/// Returns the path under which to open the file `path`. A relative path is
/// resolved from `directory`, the folder of the search file.
static std::string pathFrom(StringRef directory, const std::string &path) {
  if (sys::path::is_absolute(path))
    return path;
  SmallString<128> whole = directory;
  sys::path::append(whole, path);
  return whole.str().str();
}

static std::optional<GraphModel> readGraphModel(const proto::GraphModel &it,
                                                StringRef directory,
                                                InputMaker makeOwn,
                                                std::string &error) {
  GraphModel model;
  if (it.has_input() && !(model.input = makeOwn(it.input())))
    return std::nullopt;
  model.file = pathFrom(directory, it.file());
  model.name = it.name();
  for (const std::string &pair : it.features()) {
    auto [tensor, feature] = StringRef(pair).split('=');
    if (feature.empty()) {
      error = "generator '" + it.name() + "': features '" + pair +
              "' is not of the form tensor=feature";
      return std::nullopt;
    }
    model.features.emplace_back(tensor.str(), feature.str());
  }
  model.logits = it.logits();
  model.lastLayer = it.last_layer();
  model.complexity = it.complexity();
  return model;
}

static std::shared_ptr<const Generator>
makeGenerator(const proto::SearchGenerator &it, StringRef directory,
              InputMaker makeOwn, std::string &error) {
  Optimizer optimizer = makeOptimizer(it.optimizer());
  switch (it.kind_case()) {
  case proto::SearchGenerator::kSimpleDnn: {
    SimpleDnnOptions options;
    if (it.simple_dnn().has_layer_size())
      options.layerSize = it.simple_dnn().layer_size();
    options.initialNumLayers = it.simple_dnn().initial_num_layers();
    options.dropout = it.simple_dnn().dropout();
    return simpleDnn(optimizer, options);
  }
  case proto::SearchGenerator::kDnn:
    return fixedBuilders({dnnBuilder(
        optimizer, {it.dnn().layer_size().begin(), it.dnn().layer_size().end()},
        it.dnn().dropout(), it.dnn().activation())});
  case proto::SearchGenerator::kConvolutional: {
    const proto::ConvolutionalModel &model = it.convolutional();
    ConvolutionalOptions options;
    options.height = model.height();
    options.width = model.width();
    if (model.has_channels())
      options.channels = model.channels();
    options.filters.assign(model.filters().begin(), model.filters().end());
    if (model.has_dense_size())
      options.denseSize = model.dense_size();
    return fixedBuilders({convolutionalBuilder(optimizer, options)});
  }
  case proto::SearchGenerator::kGraph: {
    auto model = readGraphModel(it.graph(), directory, makeOwn, error);
    return model ? fixedBuilders({graphBuilder(optimizer, std::move(*model))})
                 : nullptr;
  }
  default:
    return fixedBuilders({linearBuilder(optimizer)});
  }
}

static Ensembler makeGraphEnsembler(const proto::SearchEnsembler &it,
                                    StringRef directory) {
  const proto::GraphEnsembler &graph = it.graph();
  EnsemblerModel model;
  if (it.has_name())
    model.name = it.name();
  model.file = pathFrom(directory, graph.file());
  model.memberLogits = graph.member_logits();
  model.lastLayer = graph.last_layer();
  model.complexity = graph.complexity();
  model.logitsSoFar = graph.logits_so_far();
  model.previousLogits = graph.previous_logits();
  model.logits = graph.logits();
  model.penalty = graph.penalty();
  if (graph.has_optimizer())
    model.optimizer = makeOptimizer(graph.optimizer());
  return graphEnsembler(std::move(model));
}

static Ensembler makeEnsembler(const proto::SearchEnsembler &it,
                               StringRef directory) {
  if (it.has_graph())
    return makeGraphEnsembler(it, directory);
  if (it.has_mean()) {
    MeanEnsembler mean;
    if (it.has_name())
      mean.name = it.name();
    mean.newMembersOnly = it.mean().new_members_only();
    mean.addMeanLastLayerPredictions =
        it.mean().add_mean_last_layer_predictions();
    return mean;
  }
  const proto::ComplexityRegularized &kind = it.complexity_regularized();
  ComplexityRegularizedEnsembler made;
  if (it.has_name())
    made.name = it.name();
  made.weights = static_cast<MixtureWeights>(kind.weights());
  made.lambda = kind.lambda();
  made.beta = kind.beta();
  made.useBias = kind.use_bias();
  made.warmStart = kind.warm_start();
  if (kind.has_optimizer())
    made.optimizer = makeOptimizer(kind.optimizer());
  made.fixedWeights.assign(kind.fixed_weight().begin(),
                           kind.fixed_weight().end());
  made.penaltyTwice = kind.penalty_twice();
  return made;
}

/// Appends the columns that the head reads (labels and weights) to `columns`,
/// which has the columns of the features. Returns false, with a message in
/// `error`, if the data lacks such a column, or if a feature also reads it.
static bool addLabels(const Head &head, const std::vector<std::string> &known,
                      std::vector<DataFileColumn> &columns,
                      std::string &error) {
  for (const auto &[name, dtype] : head.columns()) {
    if (!known.empty() && !is_contained(known, name)) {
      error = "the data has no column '" + name + "', which the head reads";
      return false;
    }
    auto same = find_if(
        columns, [&](const DataFileColumn &it) { return it.name == name; });
    if (same != columns.end()) {
      error = "column '" + name +
              "' is read by both a feature and the head: remove it from one of "
              "them";
      return false;
    }
    columns.push_back({name, dtype, {}, {}});
  }
  return true;
}

/// Sets the generators, ensemblers and strategies of `search` from the search
/// file. Returns false, with a message in `error`, if a generator's graph or
/// input is invalid.
static bool setEnsembles(const proto::AdaNetSearch &file, StringRef directory,
                         InputMaker makeOwn, Search &search,
                         std::string &error) {
  for (const proto::SearchGenerator &generator : file.generator()) {
    auto made = makeGenerator(generator, directory, makeOwn, error);
    SubnetworkBuilderOverrides changes;
    changes.takesLogitsAsLastLayer =
        generator.last_layer() == proto::SearchGenerator::LOGITS;
    if (generator.learn_mixture_weights())
      changes.mixtureOptimizer = makeOptimizer(generator.optimizer());
    if (made && (changes.takesLogitsAsLastLayer || changes.mixtureOptimizer))
      made = adaptBuilders(std::move(made), std::move(changes));
    search.generators.push_back(std::move(made));
  }
  if (!error.empty())
    return false;
  if (file.ensembler_size())
    search.ensemblers.clear();
  for (const proto::SearchEnsembler &ensembler : file.ensembler())
    search.ensemblers.push_back(makeEnsembler(ensembler, directory));
  if (file.strategy_size())
    search.strategies.clear();
  for (const proto::SearchStrategy &strategy : file.strategy())
    search.strategies.push_back({static_cast<Strategy::Kind>(strategy.kind()),
                                 strategy.has_keep_newest()
                                     ? std::optional(strategy.keep_newest())
                                     : std::nullopt});
  if (file.has_adanet_loss_decay())
    search.adanetLossDecay = file.adanet_loss_decay();
  search.forceGrow = file.force_grow();
  search.remeasurePrevious = file.remeasure_previous();
  search.globalStepCombiner =
      static_cast<GlobalStepCombiner>(file.global_step_combiner());
  search.replicateEnsembleInTraining = file.replicate_ensemble_in_training();
  return true;
}

static void setLimits(const proto::AdaNetSearch &file, Search &search) {
  SearchLimits &limits = search.limits;
  limits.maxIterationSteps = file.max_iteration_steps();
  if (file.has_max_iterations())
    limits.maxIterations = file.max_iterations();
  if (file.has_max_steps())
    limits.maxSteps = file.max_steps();
  if (file.has_max_iteration_secs())
    limits.maxIterationSeconds = file.max_iteration_secs();
  if (file.has_patience()) {
    limits.patienceSteps = file.patience().steps();
    limits.patienceMinDelta = file.patience().min_delta();
  }
  if (file.has_evaluator()) {
    search.evaluator.emplace();
    if (file.evaluator().has_metric())
      search.evaluator->metric = file.evaluator().metric();
    search.evaluator->maximize = file.evaluator().maximize();
    if (file.evaluator().has_steps())
      search.evaluator->steps = file.evaluator().steps();
  }
  search.reports = file.has_reports();
  if (file.reports().has_steps())
    search.reportSteps = file.reports().steps();
  if (file.has_enable_ensemble_summaries())
    search.ensembleSummaries = file.enable_ensemble_summaries();
  if (file.has_enable_subnetwork_summaries())
    search.subnetworkSummaries = file.enable_subnetwork_summaries();
  search.replayIndices.assign(file.replay_index().begin(),
                              file.replay_index().end());
  search.restartInput = file.restart_input();
}

std::optional<Search> makeSearch(const proto::AdaNetSearch &file,
                                 StringRef directory, std::string &error) {
  auto known = knownColumns(file.train(), directory, error);
  if (!known)
    return std::nullopt;
  auto features = FeatureColumns::create(file, *known, error);
  if (!features)
    return std::nullopt;
  Search search;
  search.seed = file.seed();
  search.head = makeHead(file.head());
  search.metrics = makeMetrics(file.metric());
  std::vector<DataFileColumn> columns = features->columns();
  for (const DataFileColumn &column : columns) {
    Shape shape = column.shape;
    shape.insert(shape.begin(), unknown);
    search.fedColumns.push_back({column.name, column.dtype, shape});
  }
  if (!addLabels(*search.head, *known, columns, error))
    return std::nullopt;
  int64_t every =
      file.has_evaluate_fraction()
          ? std::max<int64_t>(2, std::llround(1 / file.evaluate_fraction()))
          : 0;
  search.train =
      makeInput(file.train(), *features, columns, directory, file.seed(), every,
                every ? DataSplit::Training : DataSplit::All, error);
  if (file.has_evaluate())
    search.evaluate = makeInput(file.evaluate(), *features, columns, directory,
                                file.seed(), 0, DataSplit::Evaluation, error);
  else if (every) {
    // Evaluations read each held-out example exactly once, even if training
    // repeats its examples or drops a short last batch.
    proto::SearchPrograms heldOut = file.train();
    heldOut.clear_epochs();
    heldOut.clear_drop_remainder();
    search.evaluate =
        makeInput(heldOut, *features, columns, directory, file.seed(), every,
                  DataSplit::Evaluation, error);
  }
  if (!error.empty())
    return std::nullopt;
  search.features = [features](Graph &graph, const Columns &given) {
    return features->build(graph, given);
  };
  auto makeOwn = [&](const proto::SearchPrograms &input) {
    return makeInput(input, *features, columns, directory, file.seed(), 0,
                     DataSplit::Training, error);
  };
  if (!setEnsembles(file, directory, makeOwn, search, error))
    return std::nullopt;
  setLimits(file, search);
  auto makeEvaluation = [&](const proto::SearchPrograms &input) {
    return makeInput(input, *features, columns, directory, file.seed(), 0,
                     DataSplit::Evaluation, error);
  };
  if (file.evaluator().has_input())
    search.evaluator->input = makeEvaluation(file.evaluator().input());
  if (file.reports().has_input())
    search.reportInput = makeEvaluation(file.reports().input());
  if (!error.empty())
    return std::nullopt;
  if (const std::string &folder = file.reports().directory(); !folder.empty()) {
    // Make the path absolute, as the `report` command may run in another
    // folder.
    SmallString<128> whole(pathFrom(directory, folder));
    sys::fs::make_absolute(whole);
    search.reportDirectory = whole.str().str();
  }
  search.dataDirectory = directory.str();
  for (const DataFileColumn &column : features->columns())
    if (column.whereEmpty)
      search.valuesWhereMissing[column.name] = *column.whereEmpty;
  return search;
}

} // namespace ingot::ensemble
