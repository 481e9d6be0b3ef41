//===- DatasetOps.cpp - Datasets ------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/DatasetOps.h"

#include "compiler/Import/Input/DatasetImport.h"
#include "compiler/Import/Input/DatasetOpSpec.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ImageFileOps.h"
#include "dialects/Ingot/IR/InputOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns whether a node's only input has a control edge from an Assert.
// tf.data.Dataset.list_files creates such an Assert, which fails if no file
// matches the patterns.
static bool inputIsAsserted(const NodeImport &node) {
  const Graph &graph = node.body.graph;
  for (int from = node.node.inputs[0].first;
       isIdentity(graph[from].op()) && !graph[from].inputs.empty();
       from = graph[from].inputs[0].first)
    for (int control : graph[from].controls)
      if (graph[control].op() == "Assert")
        return true;
  return false;
}

// Called for a dataset of the strings `names`. If a MatchingFiles node finds
// these names, as in tf.data.Dataset.list_files, imports the dataset as a
// MatchingFilesDataset, which finds the files when the program runs. Returns
// false otherwise. Also returns false if a pattern is not constant, or has no
// special characters: MatchingFiles and MatchingFilesDataset would then return
// names with different prefixes.
static bool importFoundFiles(NodeImport &node, Value names) {
  auto files = names.getDefiningOp<MatchingFilesOp>();
  DenseStringElementsAttr patterns;
  if (!files || !matchPattern(files.getPattern(), m_Constant(&patterns)))
    return false;
  SmallVector<StringRef> texts(patterns.getValues<StringRef>());
  if (!llvm::all_of(texts, [](StringRef text) {
        return text.find_first_of("*?[\\") != StringRef::npos;
      }))
    return false;
  auto text = StringType::get(node.context());
  auto type = RankedTensorType::get({static_cast<int64_t>(texts.size())}, text);
  Value list = createConstant(node.body.builder, node.loc,
                              DenseStringElementsAttr::get(type, texts));
  createDataset(
      node, MatchingFilesDatasetOp::getOperationName(), list,
      Type(RankedTensorType::get({}, text)),
      node.named("requires_match",
                 BoolAttr::get(node.context(), inputIsAsserted(node))));
  return true;
}

// Returns whether `size` is computed from the number of files that a
// MatchingFiles node finds.
static bool dependsOnFoundFiles(Value size) {
  SmallVector<Value> values = {size};
  for (size_t i = 0; i < values.size() && i < 64; ++i) {
    Operation *op = values[i].getDefiningOp();
    if (isa_and_nonnull<MatchingFilesOp>(op))
      return true;
    if (op)
      llvm::append_range(values, op->getOperands());
  }
  return false;
}

// Imports TensorDataset, whose only element consists of the node's input
// tensors, and TensorSliceDataset, whose element i consists of the slices of
// these tensors at index i of dimension 0.
template <typename OpT> static void importTensors(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectAtLeastInputs(1) ||
      !declaredComponents(node, "Toutput_types", components))
    return;
  SmallVector<Value> tensors = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  if (components.size() != tensors.size())
    return node.malformed("declares " + llvm::Twine(components.size()) +
                          " types for " + llvm::Twine(tensors.size()) +
                          " tensors");
  if (std::is_same_v<OpT, TensorSliceDatasetOp> && tensors.size() == 1 &&
      importFoundFiles(node, tensors[0]))
    return;
  if (std::is_same_v<OpT, TensorDatasetOp>)
    refineComponents(components,
                     SmallVector<Type>(ValueRange(tensors).getTypes()));
  createDataset(node, OpT::getOperationName(), tensors, components);
}

ArrayRef<DatasetOpSpec> getDatasetSpecs() {
  static const std::vector<DatasetOpSpec> specs = {
#include "dialects/Ingot/Datasets.inc"
  };
  return specs;
}

// Imports a dataset op that has a row in the op table (DatasetOpSpec). If the
// op passes elements on unchanged, their types are those of the input's
// elements. The types that the node declares are then ignored.
static void importPlain(NodeImport &node) {
  const auto &spec = static_cast<const DatasetOpSpec &>(*node.info.compute);
  bool isRecord = spec.elements == DatasetOpSpec::Record;
  SmallVector<Type> components;
  if (!node.expectInputs(spec.inputs) ||
      (!isRecord && !declaredComponents(node, "output_types", components)))
    return;
  if (isRecord)
    components = {RankedTensorType::get({}, StringType::get(node.context()))};
  SmallVector<Value> operands;
  for (unsigned input = 0; input < spec.numDatasets; ++input)
    operands.push_back(node.dataset(input));
  if (llvm::is_contained(operands, Value()))
    return;
  llvm::append_range(operands, node.tensors(spec.numDatasets, spec.inputs));
  if (node.hasFailed())
    return;
  if (spec.elements == DatasetOpSpec::Input)
    components.assign(componentsOf(operands[0]).begin(),
                      componentsOf(operands[0]).end());
  else if (spec.numDatasets && !expectTensors(node, operands[0]))
    return;
  Builder builder(node.context());
  SmallVector<NamedAttribute> attributes;
  for (StringRef flag : spec.flags)
    if (node.attributes.has(flag))
      attributes.push_back(node.named(
          flag, builder.getBoolAttr(node.attributes.getBool(flag, false))));
  createDataset(node, spec.ours, operands, components, attributes);
}

static Value constantBool(NodeImport &node, bool value) {
  Builder builder(node.context());
  return createConstant(
      node.body.builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()),
                             value));
}

static Value noText(NodeImport &node) {
  auto type = RankedTensorType::get({}, StringType::get(node.context()));
  return createConstant(node.body.builder, node.loc,
                        DenseElementsAttr::get(type, ArrayRef<StringRef>{""}));
}

// Imports RandomDataset, whose inputs are seed and seed2. RandomDatasetV2 has a
// third input, a seed generator with the same seeds, which is ignored.
static void importRandom(NodeImport &node) {
  if (!node.expectAtLeastInputs(2))
    return;
  SmallVector<Value> tensors = node.tensors(0, 2);
  if (node.hasFailed())
    return;
  OpBuilder &builder = node.body.builder;
  bool anew = node.attributes.getBool("rerandomize_each_iteration", false);
  createDataset(
      node, RandomDatasetOp::getOperationName(), tensors,
      RankedTensorType::get({}, builder.getI64Type()),
      node.named("rerandomize_each_iteration", builder.getBoolAttr(anew)));
}

// Imports the first version of FixedLengthRecordDataset, which has no input
// compression_type: its files are not compressed.
static void importFixedLengthV1(NodeImport &node) {
  if (!node.expectInputs(5))
    return;
  SmallVector<Value> tensors = node.tensors(0, 5);
  if (node.hasFailed())
    return;
  tensors.push_back(noText(node));
  Type record = RankedTensorType::get({}, StringType::get(node.context()));
  createDataset(node, FixedLengthRecordDatasetOp::getOperationName(), tensors,
                record);
}

// Imports the first version of BatchDataset, which has no input drop_remainder:
// a smaller last batch is kept.
static void importBatchV1(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectInputs(2) ||
      !declaredComponents(node, "output_types", components))
    return;
  Value input = node.dataset(0);
  Value size = input && expectTensors(node, input) ? node.tensor(1) : Value();
  if (size)
    createDataset(node, BatchDatasetOp::getOperationName(),
                  {input, size, constantBool(node, false)}, components);
}

// Imports ParallelBatchDataset, with inputs batch_size, num_parallel_calls and
// drop_remainder after the dataset.
static void importParallelBatch(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectInputs(4) ||
      !declaredComponents(node, "output_types", components))
    return;
  Value input = node.dataset(0);
  SmallVector<Value> tensors = node.tensors(1, 4);
  if (input && !node.hasFailed() && expectTensors(node, input))
    createDataset(node, BatchDatasetOp::getOperationName(),
                  {input, tensors[0], tensors[2]}, components);
}

// Imports WindowDataset, with inputs size, shift, stride and drop_remainder
// after the dataset.
static void importWindow(NodeImport &node) {
  if (!node.expectInputs(5))
    return;
  SmallVector<Value> operands = {node.dataset(0)};
  if (!operands[0] || !expectTensors(node, operands[0]))
    return;
  llvm::append_range(operands, node.tensors(1, 5));
  if (node.hasFailed())
    return;
  SmallVector<Type> windows;
  for (Type component : componentsOf(operands[0]))
    windows.push_back(DatasetType::get(node.context(), component));
  createDataset(node, WindowDatasetOp::getOperationName(), operands, windows);
}

// Imports DirectedInterleaveDataset. Its first input is a dataset of indices,
// which choose among the other input datasets.
static void importDirectedInterleave(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectAtLeastInputs(2) ||
      !declaredComponents(node, "output_types", components))
    return;
  SmallVector<Value> inputs;
  for (size_t i = 0; i < node.numInputs(); ++i) {
    inputs.push_back(node.dataset(i));
    if (!inputs.back() || !expectTensors(node, inputs.back()))
      return;
  }
  bool stops = node.attributes.getBool("stop_on_empty_dataset", false);
  createDataset(node, DirectedInterleaveDatasetOp::getOperationName(), inputs,
                components,
                node.named("stop_on_empty_dataset",
                           node.body.builder.getBoolAttr(stops)));
}

// Returns the value of a bool constant. Returns std::nullopt if `value` is not
// a constant, or not a bool.
static std::optional<bool> constantFlag(Value value) {
  DenseElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)) ||
      elements.getNumElements() != 1 || !elements.getElementType().isInteger(1))
    return std::nullopt;
  return elements.getSplatValue<bool>();
}

// Imports the versions of ShuffleDataset and ShuffleAndRepeatDataset. The
// inputs are a dataset, the buffer size, two seeds or a generator with both
// seeds (`HasGenerator`), and a count (`Repeats`).
template <bool HasGenerator, bool Repeats>
static void importShuffle(NodeImport &node) {
  size_t seeds = HasGenerator ? 1 : 2;
  // ShuffleDatasetV3 and ShuffleAndRepeatDatasetV2 have, in addition to the
  // seeds, a seed generator with the same seeds.
  bool isV3 = node.node.op() == "ShuffleDatasetV3" ||
              node.node.op() == "ShuffleAndRepeatDatasetV2";
  if (!node.expectInputs(2 + seeds + Repeats + isV3))
    return;
  Value input = node.dataset(0);
  SmallVector<Value> operands = {input};
  bool reshuffles = node.attributes.getBool("reshuffle_each_iteration", true);
  if (!input)
    return;
  operands.push_back(node.tensor(1));
  if (HasGenerator) {
    ResourceHandle generator = node.handle(2);
    bool isKnown = generator.op() == "AnonymousSeedGenerator" ||
                   generator.op() == "AnonymousRandomSeedGenerator";
    const Graph::Node &made = (*generator.graph)[generator.node];
    if (!isKnown || generator.graph != &node.body.graph ||
        made.inputs.size() < 2)
      return node.unsupported("the seeds must come from an "
                              "AnonymousSeedGenerator of the same graph, but "
                              "come from '" +
                              generator.name() + "' (" + generator.op() + ")");
    for (size_t i = 0; i < 2; ++i)
      operands.push_back(node.body.value(made.inputs[i]));
    if (generator.op() == "AnonymousSeedGenerator" && made.inputs.size() > 2) {
      std::optional<bool> flag = constantFlag(node.body.value(made.inputs[2]));
      if (!flag)
        return node.unsupported("reshuffle_each_iteration must be a constant");
      reshuffles = *flag;
    }
  } else {
    llvm::append_range(operands, node.tensors(2, 4));
  }
  if (node.hasFailed() || !llvm::all_of(operands, [](Value v) { return !!v; }))
    return node.fail();
  OpBuilder &builder = node.body.builder;
  // tf.data.Dataset.list_files sets the buffer size to the number of file
  // names, which is unknown until run time. Use a larger constant instead,
  // which gives the same order of elements.
  constexpr int64_t mostFiles = 1 << 20;
  if (isa_and_nonnull<MatchingFilesDatasetOp>(input.getDefiningOp()) &&
      dependsOnFoundFiles(operands[1]))
    operands[1] = createConstant(
        builder, node.loc,
        DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()),
                               mostFiles));
  auto shuffle = ShuffleDatasetOp::create(builder, node.loc, input.getType(),
                                          operands[0], operands[1], operands[2],
                                          operands[3], reshuffles);
  if (!node.verified(shuffle))
    return;
  if (!Repeats)
    return node.setOutput(0, shuffle.getDataset());
  // Import ShuffleAndRepeatDataset as a shuffle and a repeat. In the runtime,
  // these two together yield the same elements in the same order.
  if (Value count = node.tensor(2 + seeds))
    node.setOutput(0,
                   RepeatDatasetOp::create(builder, node.loc, input.getType(),
                                           shuffle.getDataset(), count));
}

static void importZip(NodeImport &node) {
  SmallVector<Value> inputs;
  SmallVector<Type> components;
  for (size_t i = 0; i < node.numInputs(); ++i) {
    Value input = node.dataset(i);
    if (!input)
      return;
    inputs.push_back(input);
    llvm::append_range(components, componentsOf(input));
  }
  createDataset(node, ZipDatasetOp::getOperationName(), inputs, components);
}

static void importConcatenate(NodeImport &node) {
  SmallVector<Type> components;
  if (!node.expectInputs(2) ||
      !declaredComponents(node, "output_types", components))
    return;
  Value first = node.dataset(0), second = node.dataset(1);
  if (first && second)
    createDataset(node, ConcatenateDatasetOp::getOperationName(),
                  {first, second}, components);
}

static void importCache(NodeImport &node) {
  // CacheDatasetV2 has a third input, the handle of a memory cache, which is
  // ignored.
  if (!node.expectAtLeastInputs(2))
    return;
  Value input = node.dataset(0);
  Value file = input ? node.tensor(1) : Value();
  if (file)
    createDataset(node, CacheDatasetOp::getOperationName(), {input, file},
                  SmallVector<Type>(componentsOf(input)));
}

// Imports PaddedBatchDataset. The inputs are a dataset, batch_size, N shapes, N
// padding values and, with `HasDrop`, drop_remainder.
template <bool HasDrop> static void importPaddedBatch(NodeImport &node) {
  SmallVector<Type> components;
  size_t count = node.attributes.getInt("N", 0);
  if (!node.expectInputs(2 + 2 * count + HasDrop) ||
      !declaredComponents(node, "Toutput_types", components))
    return;
  Value input = node.dataset(0);
  SmallVector<Value> tensors = node.tensors(1, node.numInputs());
  if (!input || node.hasFailed() || !expectTensors(node, input))
    return;
  Value drop = HasDrop ? tensors.back() : constantBool(node, false);
  auto op = PaddedBatchDatasetOp::create(
      node.body.builder, node.loc, DatasetType::get(node.context(), components),
      input, ArrayRef(tensors).slice(1, count),
      ArrayRef(tensors).slice(1 + count, count), tensors[0], drop);
  if (node.verified(op))
    node.setOutput(0, op.getDataset());
}

// Imports a dataset that only tunes or observes a pipeline, such as
// ModelDataset, by forwarding its input: elements and their order do not
// change.
static void importTransparent(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  if (Value input = node.dataset(0))
    node.setOutput(0, input);
}

// Imports CSVDataset. The inputs are eight options, a default value per column
// and, in the second version, the columns to exclude.
template <bool HasExcluded> static void importCSV(NodeImport &node) {
  SmallVector<Type> components;
  if (!declaredComponents(node, "output_types", components) ||
      !node.expectInputs(8 + components.size() + HasExcluded))
    return;
  SmallVector<Value> tensors = node.tensors(0, node.numInputs());
  if (node.hasFailed())
    return;
  ArrayRef<Value> given(tensors);
  SmallVector<Value> operands(given.slice(8, components.size()));
  llvm::append_range(operands, given.take_front(8));
  OpBuilder &builder = node.body.builder;
  operands.push_back(HasExcluded
                         ? given.back()
                         : Value(createConstant(builder, node.loc,
                                                builder.getI64TensorAttr({}))));
  createDataset(node, CSVDatasetOp::getOperationName(), operands, components);
}

// Imports AutoShardDataset, which assigns a part of the input to each worker.
// With one worker, the dataset is the input itself; more workers are rejected.
static void importAutoShard(NodeImport &node) {
  if (!node.expectInputs(3))
    return;
  Value input = node.dataset(0);
  if (!input)
    return;
  if (node.body.graph.constantInt(node.node.inputs[1]).value_or(2) != 1)
    return node.unsupported("num_workers must be the constant 1");
  node.setOutput(0, input);
}

void addDatasetOps(OpTable &table) {
  for (const DatasetOpSpec &spec : getDatasetSpecs())
    table[spec.name] = {Effect::Pure, importPlain, &spec};
  auto add = [&](StringRef op, void (*import)(NodeImport &)) {
    table[op] = {Effect::Pure, import};
  };
  // TensorFlow 1.13 has some of the following ops with the prefix
  // "Experimental"; `addBoth` adds an op under both names.
  auto addBoth = [&](StringRef op, void (*import)(NodeImport &)) {
    add(op, import);
    table[("Experimental" + op).str()] = {Effect::Pure, import};
  };
  add("TensorDataset", importTensors<TensorDatasetOp>);
  add("TensorSliceDataset", importTensors<TensorSliceDatasetOp>);
  addBoth("RandomDataset", importRandom);
  add("RandomDatasetV2", importRandom);
  add("FixedLengthRecordDataset", importFixedLengthV1);
  add("ShuffleDataset", importShuffle<false, false>);
  add("ShuffleDatasetV2", importShuffle<true, false>);
  add("ShuffleDatasetV3", importShuffle<false, false>);
  add("ShuffleAndRepeatDataset", importShuffle<false, true>);
  add("ShuffleAndRepeatDatasetV2", importShuffle<false, true>);
  add("BatchDataset", importBatchV1);
  add("ParallelBatchDataset", importParallelBatch);
  add("PaddedBatchDataset", importPaddedBatch<false>);
  add("PaddedBatchDatasetV2", importPaddedBatch<true>);
  add("WindowDataset", importWindow);
  add("ZipDataset", importZip);
  add("ConcatenateDataset", importConcatenate);
  addBoth("DirectedInterleaveDataset", importDirectedInterleave);
  add("CacheDataset", importCache);
  add("CacheDatasetV2", importCache);
  addBoth("AutoShardDataset", importAutoShard);
  addBoth("CSVDataset", importCSV<false>);
  add("CSVDatasetV2", importCSV<true>);
  for (StringRef op :
       {"AssertPrevDataset", "FinalizeDataset", "ModelDataset",
        "OptimizeDataset", "OptimizeDatasetV2", "OptionsDataset",
        "RewriteDataset", "UnwrapDatasetVariant", "WrapDatasetVariant"})
    add(op, importTransparent);
  for (StringRef op : {"AssertNextDataset", "BytesProducedStatsDataset",
                       "ChooseFastestDataset", "LatencyStatsDataset",
                       "MaxIntraOpParallelismDataset", "NonSerializableDataset",
                       "PrivateThreadPoolDataset", "SetStatsAggregatorDataset",
                       "SleepDataset", "ThreadPoolDataset"})
    addBoth(op, importTransparent);
  // Nodes of the following ops only create handles, so no op is created for
  // them. The import of a dataset that uses such a handle reads, for example,
  // the seeds from the node that creates the handle.
  for (StringRef op :
       {"AnonymousSeedGenerator", "AnonymousRandomSeedGenerator",
        "DummySeedGenerator", "AnonymousMemoryCache", "DummyMemoryCache",
        "StatsAggregatorHandle", "StatsAggregatorHandleV2", "ThreadPoolHandle"})
    add(op, [](NodeImport &) {});
  for (StringRef op : {"StatsAggregatorHandle", "ThreadPoolHandle"})
    addBoth(op, [](NodeImport &) {});
  addDatasetFunctionOps(table);
  addDatasetGroupOps(table);
}

} // namespace ingot::importer
