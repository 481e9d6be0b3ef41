//===- StepData.cpp - The input pipeline of a StableHLO step --------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Arrays and records as datasets of batches, in the nodes that the Python
// package writes; without data, batches are placeholders.
//
//===----------------------------------------------------------------------===//

#include "compiler/StableHLO/StepData.h"

#include "runtime/Formats/Npy.h"
#include "runtime/Formats/NpyFormat.h"
#include "runtime/Formats/NpzReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace ingot::stablehlo {

/// Arrays of an archive become constants of the trainer, up to this size.
static constexpr int64_t mostArchivedBytes = 64 << 20;

proto::DataType rawType(proto::DataType type) {
  return type == proto::DT_BOOL ? proto::DT_UINT8 : type;
}

AttributeMap elementTypes(ArrayRef<TensorType> types) {
  SmallVector<proto::DataType> elements;
  proto::AttrValue shapes;
  shapes.mutable_list();
  for (const TensorType &type : types) {
    elements.push_back(type.element);
    *shapes.mutable_list()->add_shape() = exporter::toShape(type.shape);
  }
  return {{"output_types", exporter::types(elements)},
          {"output_shapes", shapes}};
}

TensorType exampleOf(const TensorType &batch) {
  TensorType example = batch;
  example.shape.erase(example.shape.begin());
  return example;
}

Tensor dataset(GraphBuilder &b, StringRef op, ArrayRef<Tensor> inputs,
               AttributeMap attributes) {
  return b.node(op, inputs, proto::DT_VARIANT, {}, std::move(attributes));
}

std::string RoleFiles::path(StringRef name) const {
  if (sys::path::is_absolute(name) || folder.empty())
    return name.str();
  SmallString<128> joined(folder);
  sys::path::append(joined, name);
  return joined.str().str();
}

Tensor StepGraph::text(StringRef value) {
  return builder.strings({value}, true);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

// Adds the function that decodes the bytes of one example.
std::string StepGraph::addDecoder(const TensorType &example) {
  Tensor record = std::make_shared<TensorNode>();
  record->type = proto::DT_STRING;
  return translation.addFunction("decode", record, [&](ArrayRef<Tensor> given) {
    GraphBuilder &b = translation.builder();
    proto::DataType raw = rawType(example.element);
    Tensor numbers = b.node("DecodeRaw", given[0], raw,
                            {numElements(example.shape).value_or(0)},
                            {{"out_type", exporter::type(raw)}});
    numbers = b.node("Reshape", {numbers, b.sizes(example.shape)}, raw,
                     example.shape);
    return Tensors{b.cast(numbers, example.element)};
  });
}

// Compares an array's type and number of examples with what the step takes.
// Returns an error message, or "".
static std::string mismatch(int32_t dtype, ArrayRef<int64_t> shape,
                            const TensorType &batch, int64_t &count) {
  auto describe = [](int32_t type, ArrayRef<int64_t> sizes) {
    std::string name = proto::DataType_Name(static_cast<proto::DataType>(
                           proto::DataType_IsValid(type) ? type : 0)) +
                       " [";
    for (auto [index, size] : enumerate(sizes))
      name += (index ? ", " : "") + std::to_string(size);
    return StringRef(name).drop_front(3).str() + "]";
  };
  bool fits = dtype == batch.element && shape.size() == batch.shape.size() &&
              !shape.empty() &&
              shape.drop_front() == ArrayRef<int64_t>(batch.shape).drop_front();
  if (!fits)
    return "an array of " + describe(dtype, shape) +
           ", but batches are tensors of " +
           describe(batch.element, batch.shape);
  if (count >= 0 && count != shape[0])
    return std::to_string(shape[0]) + " examples, another array has " +
           std::to_string(count);
  count = shape[0];
  return count < batch.shape[0] ? "it has " + std::to_string(count) +
                                      " examples, fewer than a batch of " +
                                      std::to_string(batch.shape[0])
                                : "";
}

// Adds the dataset of the examples of a .npy file, which the trainer reads.
Tensor StepGraph::addArray(const std::string &name, const TensorType &batch,
                           int64_t &count) {
  GraphBuilder &b = builder;
  if (!splitNpzPath(name).second.empty())
    return addArchived(name, batch, count);
  std::string path = files.path(name);
  auto file = FileSystem::posix().openForReading(path);
  auto header = file ? npy::readHeader(**file, path)
                     : Expected<npy::NpyHeader>(file.takeStatus());
  auto info = readNpyInfo(FileSystem::posix(), path);
  if (!header || !info) {
    roleProblem("data.arrays: " + StringRef(header
                                                ? info.status().message()
                                                : header.status().message()));
    return nullptr;
  }
  std::string error = mismatch(info->dtype, info->shape, batch, count);
  if (error.empty() && header->fortranOrder)
    error = "its elements are in Fortran's order; write it by "
            "numpy.ascontiguousarray";
  if (!error.empty()) {
    roleProblem("data.arrays: '" + name + "': " + error);
    return nullptr;
  }
  TensorType example = exampleOf(batch);
  int64_t bytes = numElements(example.shape).value_or(0) *
                  static_cast<int64_t>(sizeOf(example.element));
  auto number = [&](int64_t value) { return b.scalar(value, proto::DT_INT64); };
  Tensor records =
      dataset(b, "FixedLengthRecordDatasetV2",
              {text(name), number(static_cast<int64_t>(header->dataOffset)),
               number(bytes), number(0), number(1 << 18), text("")});
  AttributeMap attributes = elementTypes(example);
  attributes["f"] = exporter::function(addDecoder(example));
  return dataset(b, "MapDataset", {records}, std::move(attributes));
}

// Adds the dataset of an array in an .npz file, as a constant.
Tensor StepGraph::addArchived(const std::string &name, const TensorType &batch,
                              int64_t &count) {
  auto [archive, array] = splitNpzPath(name);
  auto fail = [&](const Twine &message) {
    roleProblem("data.arrays: '" + name + "': " + message);
    return nullptr;
  };
  auto reader = NpzReader::open(FileSystem::posix(), files.path(archive));
  if (!reader)
    return fail(reader.status().message());
  auto file = reader->array(array);
  if (!file)
    return fail(file.status().message());
  auto header = npy::readHeader(**file, name);
  if (!header)
    return fail(header.status().message());
  // The first dimension is free; the rest is checked when the array is read.
  TensorType whole = batch;
  if (header->shape.empty() || header->shape[0] < 0)
    return fail("a scalar has no examples");
  whole.shape[0] = header->shape[0];
  std::string error = mismatch(whole.element, whole.shape, batch, count);
  auto elements = numElements(whole.shape);
  if (!error.empty())
    return fail(error);
  if (!elements || *elements * sizeOf(whole.element) > mostArchivedBytes)
    return fail("arrays of more than 64 MiB have to be .npy files");
  auto value = std::make_shared<Elements>();
  value->type = whole;
  value->bytes.resize(*elements * sizeOf(whole.element));
  std::vector<int64_t> dims(whole.shape.begin(), whole.shape.end());
  ingot_tensor_spec spec{name.c_str(), whole.element,
                         static_cast<uint32_t>(dims.size()), dims.data()};
  Status status = readNpy(**file, name, spec, value->bytes.data());
  if (!status.isOk())
    return fail(status.message());
  TensorType example = exampleOf(batch);
  AttributeMap attributes = elementTypes(example);
  attributes.erase("output_types");
  return dataset(builder, "TensorSliceDataset", {builder.constant(value)},
                 std::move(attributes));
}

Tensor StepGraph::shuffled(const Tensor &from, int64_t buffer,
                           const AttributeMap &types) {
  auto number = [&](int64_t value) {
    return builder.scalar(value, proto::DT_INT64);
  };
  return dataset(builder, "ShuffleDataset",
                 {from, number(buffer), number(87654321),
                  number(roles.data.seed.value_or(0))},
                 types);
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

// Returns the tensors of the next batch: placeholders if there are no data.
Tensors StepGraph::addBatch(const Function &step) {
  GraphBuilder &b = builder;
  std::vector<TensorType> types, examples;
  for (unsigned argument : drop_begin(step.body.arguments, roles.state.size()))
    types.push_back(step.types[argument]);
  if (types.empty())
    return {};
  if (!roles.data.isGiven()) {
    Tensors fed;
    for (auto [name, type] : zip(roles.batch, types))
      fed.push_back(b.node(
          "Placeholder", {}, type.element, type.shape,
          {{"shape", exporter::shape(exporter::toShape(type.shape))}}, name));
    return fed;
  }
  for (const TensorType &type : types) {
    if (type.shape.empty() || type.shape[0] != types[0].shape[0] ||
        type.shape[0] < 1) {
      roleProblem("batch: the tensors of a batch need the same first "
                  "dimension, that of its examples");
      return {};
    }
    examples.push_back(exampleOf(type));
  }
  int64_t size = types[0].shape[0], count = -1;
  Tensor data;
  b.path = "train_data";
  if (!roles.data.records.empty()) {
    data = addRecords(types, count).value_or(nullptr);
  } else if (roles.data.arrays.size() != types.size()) {
    roleProblem("data.arrays: there are " + Twine(roles.data.arrays.size()) +
                " arrays, and a batch has " + Twine(types.size()) + " tensors");
  } else {
    SmallVector<Tensor> parts;
    for (auto [name, type] : zip(roles.data.arrays, types))
      parts.push_back(addArray(name, type, count));
    if (!is_contained(parts, nullptr)) {
      data = parts.size() == 1
                 ? parts[0]
                 : dataset(b, "ZipDataset", parts, elementTypes(examples));
      if (roles.data.shuffles)
        data = shuffled(data, count, elementTypes(examples));
    }
  }
  if (!data)
    return {};
  stepsPerEpoch = count / size;
  AttributeMap attributes = elementTypes(types);
  data = dataset(
      b, "BatchDatasetV2",
      {data, b.scalar(size, proto::DT_INT64), b.scalar(1, proto::DT_BOOL)},
      attributes);
  data = dataset(b, "RepeatDataset", {data, b.scalar(-1, proto::DT_INT64)},
                 attributes);
  b.path.clear();
  AttributeMap named = attributes;
  named["shared_name"] = exporter::text("train_data");
  named["container"] = exporter::text("");
  Tensor iterator =
      b.node("IteratorV2", {}, proto::DT_RESOURCE, {}, named, "train_data");
  b.add("MakeIterator", {data, iterator}, {}, {}, "train_data/make");
  collect("table_initializer", "train_data/make");
  return b.add("IteratorGetNext", {iterator}, types, attributes,
               "train_data/next");
}

} // namespace ingot::stablehlo
