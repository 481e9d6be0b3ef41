//===- StepRecords.cpp - Batches of materialized records -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/StepData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace ingot::stablehlo {

/// A shuffle of records holds as many as have these bytes.
static constexpr int64_t shuffledBytes = 256 << 20;

// Adds the function that parses a record of a materialized source.
std::string StepGraph::addParser(ArrayRef<TensorType> examples,
                                 ArrayRef<std::string> stored) {
  Tensor record = std::make_shared<TensorNode>();
  record->type = proto::DT_STRING;
  return translation.addFunction("parse", record, [&](ArrayRef<Tensor> given) {
    GraphBuilder &b = translation.builder();
    SmallVector<Tensor> inputs = {given[0]};
    std::vector<TensorType> raw(examples.size(), {proto::DT_STRING, {}, ""});
    AttributeMap attributes = {{"num_sparse", exporter::integer(0)}};
    for (StringRef name : {"sparse_keys", "sparse_types"})
      attributes[name.str()].mutable_list();
    for (size_t index = 0; index < examples.size(); ++index) {
      inputs.push_back(b.strings({}, false));
      attributes["dense_keys"].mutable_list()->add_s("array_" +
                                                     std::to_string(index));
      attributes["dense_shapes"].mutable_list()->add_shape();
    }
    Tensors parsed = b.add("ParseSingleExample", inputs, raw, attributes);
    Tensors results;
    for (auto [bytes, example] : zip(parsed, examples)) {
      proto::DataType type = rawType(example.element);
      Tensor numbers = b.node("DecodeRaw", bytes, type,
                              {numElements(example.shape).value_or(0)},
                              {{"out_type", exporter::type(type)}});
      numbers = b.node("Reshape", {numbers, b.sizes(example.shape)}, type,
                       example.shape);
      results.push_back(b.cast(numbers, example.element));
    }
    return results;
  });
}

namespace {
/// What a folder of ingot.materialize() says of its records.
struct Manifest {
  std::vector<std::string> types;
  std::vector<Sizes> shapes;
  int64_t shards = 0, examples = 0;
};
} // namespace

static std::optional<Manifest> readManifest(const std::string &path,
                                            std::string &error) {
  auto buffer = MemoryBuffer::getFile(path);
  error = "'" + path +
          "' is no manifest of a complete folder of "
          "ingot.materialize()";
  if (!buffer || (*buffer)->getBufferSize() > 16 << 20)
    return std::nullopt;
  auto value = json::parse((*buffer)->getBuffer());
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  const json::Array *types = object ? object->getArray("dtypes") : nullptr;
  const json::Array *shapes = object ? object->getArray("shapes") : nullptr;
  const json::Array *shards = object ? object->getArray("shards") : nullptr;
  if (!types || !shapes || !shards ||
      !object->getBoolean("complete").value_or(false))
    return std::nullopt;
  Manifest manifest;
  for (const json::Value &type : *types)
    manifest.types.push_back(type.getAsString().value_or("").str());
  for (const json::Value &shape : *shapes) {
    Sizes &sizes = manifest.shapes.emplace_back();
    if (const json::Array *list = shape.getAsArray())
      for (const json::Value &size : *list)
        sizes.push_back(size.getAsInteger().value_or(-1));
  }
  for (const json::Value &shard : *shards)
    if (const json::Object *found = shard.getAsObject()) {
      ++manifest.shards;
      manifest.examples += found->getInteger("examples").value_or(0);
    }
  if (manifest.types.size() != manifest.shapes.size())
    return std::nullopt;
  error.clear();
  return manifest;
}

static StringRef numpyName(proto::DataType type) {
  switch (type) {
  case proto::DT_FLOAT:
    return "float32";
  case proto::DT_DOUBLE:
    return "float64";
  case proto::DT_HALF:
    return "float16";
  case proto::DT_BFLOAT16:
    return "bfloat16";
  case proto::DT_BOOL:
    return "bool";
  case proto::DT_INT8:
    return "int8";
  case proto::DT_INT16:
    return "int16";
  case proto::DT_INT32:
    return "int32";
  case proto::DT_INT64:
    return "int64";
  case proto::DT_UINT8:
    return "uint8";
  case proto::DT_UINT16:
    return "uint16";
  case proto::DT_UINT32:
    return "uint32";
  default:
    return "uint64";
  }
}

std::optional<Tensor> StepGraph::addRecords(ArrayRef<TensorType> batch,
                                            int64_t &count) {
  std::string error, folder = roles.data.records;
  auto manifest =
      readManifest(files.path(folder + "/materialized.json"), error);
  std::vector<TensorType> examples;
  for (const TensorType &one : batch)
    examples.push_back(exampleOf(one));
  if (manifest && manifest->types.size() != examples.size())
    error = "it has " + std::to_string(manifest->types.size()) +
            " arrays for each example, a batch " +
            std::to_string(examples.size());
  for (size_t i = 0; error.empty() && i < examples.size(); ++i)
    if (manifest->types[i] != numpyName(examples[i].element) ||
        manifest->shapes[i] != examples[i].shape)
      error = "array " + std::to_string(i) + " of its examples is not " +
              batch[i].text + " without the first dimension";
  if (!error.empty()) {
    roleProblem("data.records: " + error);
    return std::nullopt;
  }
  GraphBuilder &b = builder;
  count = manifest->examples;
  std::vector<std::string> names;
  for (int64_t i = 0; i < manifest->shards; ++i) {
    std::string number = std::to_string(i);
    names.push_back(
        folder + "/examples-" +
        std::string(number.size() < 5 ? 5 - number.size() : 0, '0') + number +
        ".tfrecord");
  }
  SmallVector<StringRef> paths(names.begin(), names.end());
  Tensor records = dataset(
      b, "TFRecordDataset",
      {b.strings(paths, false), text(""), b.scalar(1 << 18, proto::DT_INT64)});
  if (roles.data.shuffles) {
    int64_t size = 1;
    for (const TensorType &one : examples)
      size += numElements(one.shape).value_or(0) * sizeOf(one.element);
    int64_t held = std::max<int64_t>(1000, shuffledBytes / size);
    records = shuffled(records, std::min(count, held),
                       elementTypes(TensorType{proto::DT_STRING, {}, ""}));
  }
  AttributeMap attributes = elementTypes(examples);
  attributes["f"] = exporter::function(addParser(examples, manifest->types));
  return dataset(b, "MapDataset", {records}, std::move(attributes));
}

} // namespace ingot::stablehlo
