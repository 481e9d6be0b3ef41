//===- TensorFlowIteratorState.cpp - States of TensorFlow's iterators -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes the protocol buffers in which TensorFlow saves iterators.
// Newer versions of TensorFlow compress the tensors. Ingot writes tensors
// without compression, which all versions can read.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/TensorFlowIteratorState.h"
#include "proto/IteratorVariant.pb.h"
#include "runtime/Input/Dataset.h"
#include "runtime/Support/DType.h"

#include <cstring>
#include <snappy.h>

using namespace ingot;
using namespace ingot::input;

static constexpr std::string_view delimiter = "@@";
static constexpr std::string_view iteratorType = "tensorflow::Iterator";
static constexpr std::string_view compressedType =
    "tensorflow.data.CompressedElement";
/// The first bytes of a packed variant tensor. They distinguish it from a state
/// that Ingot has saved, which begins with the version of its format.
static constexpr std::string_view packedMagic = "\x7ftensorflow iterator\n";

std::string input::fullKey(const std::string &name, const std::string &key) {
  return "60d899aa0d8ce4351e7c3b419e92d25b|" + name + ":" + key;
}

static Status badVariant(const std::string &what) {
  return Status(StatusCode::DataLoss,
                "the state that TensorFlow saved is damaged: " + what);
}

static std::vector<int64_t> dimsOf(const proto::TensorShapeProto &shape) {
  std::vector<int64_t> dims;
  for (const auto &dim : shape.dim())
    dims.push_back(dim.size());
  return dims;
}

/// Appends the values of `list`, a repeated field, to `bytes`, each converted
/// to a `T`.
template <typename T, typename List>
static void appendAs(const List &list, std::string &bytes) {
  for (auto value : list) {
    T element = static_cast<T>(value);
    bytes.append(reinterpret_cast<const char *>(&element), sizeof(element));
  }
}

/// Returns the bytes of a numeric tensor's elements. The protocol buffer stores
/// them either as raw bytes or in the repeated field of their type.
static std::string elementsOf(const proto::IteratorTensor &tensor) {
  std::string bytes = tensor.tensor_content();
  if (!bytes.empty())
    return bytes;
  switch (tensor.dtype()) {
  case INGOT_FLOAT:
    appendAs<float>(tensor.float_val(), bytes);
    break;
  case INGOT_DOUBLE:
    appendAs<double>(tensor.double_val(), bytes);
    break;
  case INGOT_INT32:
    appendAs<int32_t>(tensor.int_val(), bytes);
    break;
  case INGOT_INT16:
  case INGOT_UINT16:
    appendAs<uint16_t>(tensor.int_val(), bytes);
    break;
  case INGOT_INT8:
  case INGOT_UINT8:
    appendAs<uint8_t>(tensor.int_val(), bytes);
    break;
  case INGOT_INT64:
    appendAs<int64_t>(tensor.int64_val(), bytes);
    break;
  case INGOT_BOOL:
    appendAs<uint8_t>(tensor.bool_val(), bytes);
    break;
  case INGOT_HALF:
  case INGOT_BFLOAT16:
    appendAs<uint16_t>(tensor.half_val(), bytes);
    break;
  case INGOT_UINT32:
    appendAs<uint32_t>(tensor.uint32_val(), bytes);
    break;
  case INGOT_UINT64:
    appendAs<uint64_t>(tensor.uint64_val(), bytes);
    break;
  default:
    break;
  }
  return bytes;
}

/// Makes a numeric tensor from `bytes`. If `bytes` has fewer elements than the
/// shape, the last element is repeated, as in every TensorProto. Elements are
/// repeated for small tensors only, so that a short damaged state cannot
/// allocate much memory.
static Expected<Tensor> numbersOf(TensorMemoryPool &pool, int32_t dtype,
                                  Shape dims, const std::string &bytes) {
  constexpr uint64_t mostRepeated = 1 << 20;
  int64_t count = 0;
  size_t size = elementSize(dtype);
  if (size == 0 || !countElements(dims, count) || bytes.size() % size != 0 ||
      bytes.size() / size > static_cast<uint64_t>(count) ||
      (bytes.empty() && count != 0) ||
      static_cast<uint64_t>(count) > bytes.size() / size + mostRepeated)
    return badVariant("a tensor has " + std::to_string(bytes.size()) +
                      " bytes as " + dtypeName(dtype) + shapeText(dims));
  Tensor tensor = Tensor::allocate(pool, dtype, dims);
  auto *to = static_cast<char *>(tensor.mutableData());
  std::memcpy(to, bytes.data(), bytes.size());
  for (size_t i = bytes.size(); i < tensor.byteSize(); i += size)
    std::memcpy(to + i, bytes.data() + bytes.size() - size, size);
  return tensor;
}

static Expected<Tensor> stringsOf(TensorMemoryPool &pool, Shape dims,
                                  std::span<const std::string_view> texts) {
  int64_t count = 0;
  if (!countElements(dims, count) ||
      static_cast<uint64_t>(count) != texts.size())
    return badVariant("a tensor has " + std::to_string(texts.size()) +
                      " texts as string" + shapeText(dims));
  std::vector<ingot_string> strings;
  for (std::string_view text : texts)
    strings.push_back({text.data(), text.size()});
  return Tensor::copy(pool, INGOT_STRING, dims, strings.data());
}

static Expected<Tensor> tensorOf(TensorMemoryPool &pool,
                                 const proto::IteratorTensor &tensor) {
  std::vector<int64_t> dims = dimsOf(tensor.tensor_shape());
  if (tensor.dtype() != INGOT_STRING)
    return numbersOf(pool, tensor.dtype(), dims, elementsOf(tensor));
  std::vector<std::string_view> texts(tensor.string_val().begin(),
                                      tensor.string_val().end());
  return stringsOf(pool, dims, texts);
}

/// Decompresses the tensors that TensorFlow has compressed into one tensor,
/// whose bytes are `bytes`.
static Expected<std::vector<Tensor>> expand(TensorMemoryPool &pool,
                                            const std::string &bytes) {
  // The largest ratio of Snappy's format: two bytes expand to at most 64.
  constexpr size_t mostRatio = 32;
  proto::CompressedTensors packed;
  std::string data;
  size_t length = 0;
  if (!packed.ParseFromString(bytes) ||
      !snappy::GetUncompressedLength(packed.data().data(), packed.data().size(),
                                     &length) ||
      length / mostRatio > packed.data().size() ||
      !snappy::Uncompress(packed.data().data(), packed.data().size(), &data))
    return badVariant("its compressed tensors cannot be expanded");
  if (packed.version() != 0)
    return Status(StatusCode::Unimplemented,
                  "TensorFlow compressed its state in version " +
                      std::to_string(packed.version()) +
                      " of its format, but this program reads only version 0");
  std::vector<Tensor> tensors;
  std::string_view left = data;
  for (const auto &component : packed.components()) {
    std::vector<std::string_view> pieces;
    for (uint64_t size : component.uncompressed_bytes()) {
      if (size > left.size())
        return badVariant("its compressed tensors have too few bytes");
      pieces.push_back(left.substr(0, size));
      left.remove_prefix(size);
    }
    std::vector<int64_t> dims = dimsOf(component.tensor_shape());
    auto tensor = component.dtype() == INGOT_STRING
                      ? stringsOf(pool, dims, pieces)
                      : numbersOf(pool, component.dtype(), dims,
                                  pieces.empty() ? std::string()
                                                 : std::string(pieces.front()));
    if (!tensor)
      return tensor.takeStatus();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

static Expected<std::vector<Tensor>>
tensorsOf(TensorMemoryPool &pool, const proto::IteratorVariant &variant) {
  if (variant.tensors_size() == 1 &&
      variant.tensors(0).variant_val_size() == 1 &&
      variant.tensors(0).variant_val(0).type_name() == compressedType)
    return expand(pool, variant.tensors(0).variant_val(0).metadata());
  std::vector<Tensor> tensors;
  for (const proto::IteratorTensor &stored : variant.tensors()) {
    INGOT_ASSIGN_OR_RETURN(Tensor tensor, tensorOf(pool, stored));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Splits the metadata of a variant in TensorFlow's state: first comes the name
/// of an iterator, then the keys of its tensors.
static std::vector<std::string> splitKeys(std::string_view text) {
  std::vector<std::string> keys;
  while (true) {
    size_t end = text.find(delimiter);
    if (end != 0)
      keys.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return keys;
    text.remove_prefix(end + delimiter.size());
  }
}

Status TensorFlowIteratorState::parse(std::span<const std::string> variants) {
  for (const std::string &bytes : variants) {
    proto::IteratorVariant variant;
    if (bytes.size() > INT32_MAX || !variant.ParseFromString(bytes) ||
        variant.type_name() != iteratorType)
      return badVariant("an element of the variant is not an iterator's");
    std::vector<std::string> keys = splitKeys(variant.metadata());
    INGOT_ASSIGN_OR_RETURN(std::vector<Tensor> tensors,
                           tensorsOf(pool, variant));
    if (keys.size() != tensors.size() + 1)
      return badVariant("an element of the variant has " +
                        std::to_string(tensors.size()) + " tensors and " +
                        std::to_string(keys.size()) + " names");
    auto &own = iterators[keys[0]];
    std::string prefix = fullKey(keys[0], "");
    for (size_t i = 0; i < tensors.size(); ++i) {
      std::string &key = keys[i + 1];
      if (key.starts_with(prefix))
        key.erase(0, prefix.size());
      own[std::move(key)] = std::move(tensors[i]);
    }
  }
  return Status::ok();
}

static void writeTensor(const Tensor &tensor, proto::IteratorTensor &out) {
  out.set_dtype(tensor.dtype());
  for (int64_t dim : tensor.shape())
    out.mutable_tensor_shape()->add_dim()->set_size(dim);
  // The loop writes no shape for a scalar. Readers treat an absent shape like
  // an empty shape.
  if (tensor.dtype() != INGOT_STRING) {
    out.set_tensor_content(tensor.data(), tensor.byteSize());
    return;
  }
  const auto *strings = static_cast<const ingot_string *>(tensor.data());
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    out.add_string_val(strings[i].data, strings[i].size);
}

Expected<std::vector<std::string>> TensorFlowIteratorState::serialize() const {
  std::vector<std::string> variants;
  for (const auto &[name, tensors] : iterators) {
    proto::IteratorVariant variant;
    variant.set_type_name(std::string(iteratorType));
    std::string keys = name;
    for (const auto &[key, tensor] : tensors) {
      // Write each tensor under its key with and without the iterator's name:
      // which of the two is read depends on the iterator and on TensorFlow's
      // version.
      for (const std::string &form : {key, fullKey(name, key)}) {
        (keys += delimiter) += form;
        writeTensor(tensor, *variant.add_tensors());
        if (tensor.byteSize() > sizeof(int64_t) || tensor.numElements() != 1)
          break;
      }
    }
    variant.set_metadata(std::move(keys));
    if (!variant.SerializeToString(&variants.emplace_back()))
      return Status(StatusCode::ResourceExhausted,
                    "the state of '" + name +
                        "' exceeds protobuf's limit of 2 GiB");
  }
  return variants;
}

bool TensorFlowIteratorState::hasIterator(const std::string &name) const {
  auto found = iterators.lower_bound(name);
  for (; found != iterators.end() && found->first.starts_with(name); ++found)
    if (found->first.size() == name.size() ||
        found->first[name.size()] == ':' || found->first[name.size()] == '[')
      return true;
  return false;
}

const Tensor *TensorFlowIteratorState::find(const std::string &name,
                                            const std::string &key) const {
  auto iterator = iterators.find(name);
  if (iterator == iterators.end())
    return nullptr;
  auto tensor = iterator->second.find(key);
  return tensor == iterator->second.end() ? nullptr : &tensor->second;
}

Status TensorFlowIteratorState::read(const std::string &name,
                                     const std::string &key,
                                     uint64_t &value) const {
  const Tensor *tensor = find(name, key);
  if (!tensor)
    return Status(StatusCode::NotFound,
                  "TensorFlow's state has no '" + key + "' of '" + name +
                      "': another pipeline saved it, or it is damaged");
  if (tensor->dtype() != INGOT_INT64 || tensor->numElements() != 1)
    return badVariant("'" + key + "' of '" + name + "' is " +
                      dtypeName(tensor->dtype()) + shapeText(tensor->shape()) +
                      ", expected an integer");
  value = *static_cast<const uint64_t *>(tensor->data());
  return Status::ok();
}

Status TensorFlowIteratorState::exchange(const std::string &name,
                                         const std::string &key,
                                         uint64_t &value) {
  if (isReading())
    return read(name, key, value);
  iterators[name][key] = Tensor::copy(pool, INGOT_INT64, {}, &value);
  return Status::ok();
}

Status TensorFlowIteratorState::exchange(const std::string &name,
                                         const std::string &key, bool &value) {
  uint64_t number = value;
  INGOT_RETURN_IF_ERROR(exchange(name, key, number));
  value = number != 0;
  return Status::ok();
}

Status TensorFlowIteratorState::exchange(const std::string &name,
                                         const std::string &key,
                                         Tensor &value) {
  if (!isReading()) {
    iterators[name][key] = value;
    return Status::ok();
  }
  const Tensor *found = find(name, key);
  if (!found)
    return Status(StatusCode::NotFound,
                  "TensorFlow's state has no '" + key + "' of '" + name +
                      "': another pipeline saved it, or it is damaged");
  value = *found;
  return Status::ok();
}

void TensorFlowIteratorState::mark(const std::string &name,
                                   const std::string &key) {
  iterators[name][key] = Tensor::string(pool, "");
}

Status TensorFlowIteratorState::exchange(const std::string &name,
                                         const std::string &count,
                                         const std::string &component,
                                         Element &element) {
  uint64_t size = element.size();
  INGOT_RETURN_IF_ERROR(exchange(name, count, size));
  if (size > 4096)
    return badVariant("an element of '" + name + "' has " +
                      std::to_string(size) + " components");
  element.resize(static_cast<size_t>(size));
  for (size_t i = 0; i < element.size(); ++i)
    INGOT_RETURN_IF_ERROR(
        exchange(name, component + "[" + std::to_string(i) + "]", element[i]));
  return Status::ok();
}

std::string input::packVariants(std::span<const std::string> variants) {
  std::string text(packedMagic);
  for (const std::string &variant : variants) {
    uint64_t size = variant.size();
    text.append(reinterpret_cast<const char *>(&size), sizeof(size));
    text += variant;
  }
  return text;
}

bool input::isPackedVariants(std::string_view text) {
  return text.starts_with(packedMagic);
}

Expected<std::vector<std::string>>
input::unpackVariants(std::string_view text) {
  std::vector<std::string> variants;
  text.remove_prefix(packedMagic.size());
  while (!text.empty()) {
    uint64_t size = 0;
    if (text.size() < sizeof(size))
      return badVariant("it ends too early");
    std::memcpy(&size, text.data(), sizeof(size));
    text.remove_prefix(sizeof(size));
    if (size > text.size())
      return badVariant("it ends too early");
    variants.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return variants;
}
