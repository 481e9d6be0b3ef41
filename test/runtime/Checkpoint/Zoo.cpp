//===- Zoo.cpp - The checkpoints that TensorFlow wrote --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "Zoo.h"
#include "runtime/ABI/Tensor.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Expected.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ingot;
using namespace ingot::test;
using nlohmann::json;

namespace {

int32_t dtypeNamed(const std::string &name) {
  for (int32_t dtype = 1; dtype < 32; ++dtype)
    if (dtypeName(dtype) == name)
      return dtype;
  ADD_FAILURE() << "no dtype is called " << name;
  return 0;
}

std::string numberText(double value) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.17g", value);
  return text;
}

double halfValue(uint16_t bits) {
  int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude = exponent == 0 ? std::ldexp(fraction, -24)
                     : exponent == 31
                         ? (fraction ? NAN : INFINITY)
                         : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

std::string hex(const std::string &bytes) {
  std::string text;
  for (char c : bytes) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(c)));
    text += digits;
  }
  return text;
}

template <typename T>
std::vector<std::string> textsOf(const std::string &bytes) {
  std::vector<std::string> texts;
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + i, sizeof(T));
    if constexpr (std::is_integral_v<T>)
      texts.push_back(std::to_string(value));
    else
      texts.push_back(numberText(value));
  }
  return texts;
}

std::vector<std::string> pairs(const std::vector<std::string> &texts) {
  std::vector<std::string> paired;
  for (size_t i = 0; i + 1 < texts.size(); i += 2)
    paired.push_back(texts[i] + " " + texts[i + 1]);
  return paired;
}

/// The text of an element in expect.json, in the form of elementTexts(): floats
/// are parsed as `dtype` first.
std::string expectedText(int32_t dtype, const json &element) {
  auto number = [&](const json &text) {
    const char *digits = text.get_ref<const std::string &>().c_str();
    return numberText(dtype == INGOT_FLOAT ? std::strtof(digits, nullptr)
                                           : std::strtod(digits, nullptr));
  };
  if (element.is_array())
    return number(element[0]) + " " + number(element[1]);
  if (element.is_boolean())
    return element.get<bool>() ? "1" : "0";
  if (element.is_number())
    return element.dump();
  if (dtype == INGOT_STRING)
    return element.get<std::string>();
  return number(element);
}

std::vector<std::string> expectedTexts(int32_t dtype, const json &elements) {
  std::vector<std::string> texts;
  for (const json &element : elements)
    texts.push_back(expectedText(dtype, element));
  return texts;
}

std::string sliceText(const Shape &full, const TensorSlice &slice) {
  std::string text;
  for (int64_t size : full)
    text += std::to_string(size) + " ";
  return text + slice.text();
}

} // namespace

/// The folder of checkpoint `name` in the test data.
static std::string folderOf(const std::string &name) {
  bool isOther = name == "v1_dtypes" || name.starts_with("keras");
  return std::string(INGOT_TEST_DATA) +
         (isOther ? "/checkpoint_formats/" : "/checkpoint_zoo/");
}

std::string test::zooPath(const std::string &name) {
  return folderOf(name) + name;
}

std::vector<ExpectedTensor> test::expectedTensors(const std::string &name) {
  std::string text =
      fileBytes(FileSystem::posix(), folderOf(name) + "expect.json");
  json all = json::parse(text, nullptr, /*allow_exceptions=*/false);
  EXPECT_TRUE(all.is_object() && all.contains(name));
  std::vector<ExpectedTensor> tensors;
  for (const auto &[key, entry] : all[name].items()) {
    ExpectedTensor tensor;
    tensor.key = key;
    tensor.dtype = dtypeNamed(entry["dtype"]);
    if (!entry.contains("slices")) {
      tensor.shape = entry["shape"].get<Shape>();
      tensor.elements = expectedTexts(tensor.dtype, entry["values"]);
      tensors.push_back(tensor);
      continue;
    }
    for (const json &slice : entry["slices"]) {
      tensor.shape = slice["shape"].get<Shape>();
      tensor.slice = slice["spec"];
      tensor.elements = expectedTexts(tensor.dtype, slice["values"]);
      tensors.push_back(tensor);
    }
  }
  EXPECT_FALSE(tensors.empty());
  return tensors;
}

void *TensorValue::data(int32_t dtype) {
  return dtype == INGOT_STRING ? static_cast<void *>(strings.data())
                               : static_cast<void *>(bytes.data());
}

const void *TensorValue::data(int32_t dtype) const {
  return const_cast<TensorValue *>(this)->data(dtype);
}

TensorValue test::makeValue(int32_t dtype, const Shape &shape) {
  auto count = static_cast<size_t>(elementCount(shape).value_or(0));
  TensorValue value;
  if (dtype == INGOT_STRING)
    value.strings.resize(count);
  else
    value.bytes.assign(count * dtypeSize(dtype), '\x5a');
  return value;
}

std::vector<std::string> test::elementTexts(int32_t dtype,
                                            const TensorValue &value) {
  const std::string &bytes = value.bytes;
  std::string name = dtypeName(dtype);
  if (name == "string") {
    std::vector<std::string> texts;
    for (const std::string &element : value.strings)
      texts.push_back(hex(element));
    return texts;
  }
  if (name == "float16" || name == "bfloat16") {
    std::vector<std::string> texts;
    for (size_t i = 0; i + 2 <= bytes.size(); i += 2) {
      uint16_t bits;
      std::memcpy(&bits, bytes.data() + i, 2);
      double number = name == "float16"
                          ? halfValue(bits)
                          : std::bit_cast<float>(uint32_t(bits) << 16);
      texts.push_back(numberText(number));
    }
    return texts;
  }
  if (name == "complex64")
    return pairs(textsOf<float>(bytes));
  if (name == "complex128")
    return pairs(textsOf<double>(bytes));
  if (name == "float32")
    return textsOf<float>(bytes);
  if (name == "float64")
    return textsOf<double>(bytes);
  bool isUnsigned = name[0] == 'u' || name == "bool";
  switch (dtypeSize(dtype)) {
  case 1:
    return isUnsigned ? textsOf<uint8_t>(bytes) : textsOf<int8_t>(bytes);
  case 2:
    return isUnsigned ? textsOf<uint16_t>(bytes) : textsOf<int16_t>(bytes);
  case 4:
    return isUnsigned ? textsOf<uint32_t>(bytes) : textsOf<int32_t>(bytes);
  default:
    return isUnsigned ? textsOf<uint64_t>(bytes) : textsOf<int64_t>(bytes);
  }
}

Expected<WholeCheckpoint> test::readWhole(const BundleReader &reader) {
  WholeCheckpoint whole;
  whole.numShards = reader.numShards();
  std::vector<std::pair<uint64_t, size_t>> order;
  auto add = [&](const std::string &key, const std::string &slice,
                 const BundleEntry &stored) -> Status {
    auto value =
        std::make_unique<TensorValue>(makeValue(stored.dtype, stored.shape));
    INGOT_RETURN_IF_ERROR(reader.read(key, slice, stored.dtype, stored.shape,
                                      value->data(stored.dtype)));
    order.emplace_back(stored.offset, whole.items.size());
    whole.items.push_back({key, slice, stored.dtype, stored.shape,
                           value->data(stored.dtype), stored.shard});
    whole.values.push_back(std::move(value));
    return Status::ok();
  };
  for (const std::string &key : reader.keys()) {
    const BundleEntry &entry = *reader.find(key);
    if (entry.slices.empty())
      INGOT_RETURN_IF_ERROR(add(key, "", entry));
    for (const TensorSlice &slice : entry.slices)
      INGOT_RETURN_IF_ERROR(add(key, sliceText(entry.shape, slice),
                                *reader.find(encodeSliceKey(key, slice))));
  }
  // An empty tensor has the offset of the tensor after it, so it comes first.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    bool aEmpty = elementCount(whole.items[a.second].shape) == 0;
    bool bEmpty = elementCount(whole.items[b.second].shape) == 0;
    return std::pair(a.first, !aEmpty) < std::pair(b.first, !bEmpty);
  });
  std::vector<TensorToSave> sorted;
  for (auto [offset, item] : order)
    sorted.push_back(whole.items[item]);
  whole.items = std::move(sorted);
  return whole;
}

std::string test::fileBytes(FileSystem &fileSystem, const std::string &path) {
  Expected<std::unique_ptr<RandomAccessFile>> file =
      fileSystem.openForReading(path);
  if (!file) {
    ADD_FAILURE() << file.status().message();
    return {};
  }
  std::string bytes((*file)->size(), '\0');
  Expected<size_t> size = (*file)->read(0, bytes.size(), bytes.data());
  EXPECT_TRUE(size && *size == bytes.size());
  return bytes;
}

std::string test::scratchDirectory() {
  const testing::TestInfo *test =
      testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(test->test_suite_name()) + "." + test->name();
  std::replace(name.begin(), name.end(), '/', '_');
  std::string path = testing::TempDir() + "ingot-" + name;
  FileSystem &files = FileSystem::posix();
  if (Expected<std::vector<std::string>> names = files.list(path))
    for (const std::string &entry : *names)
      (void)files.remove(path + "/" + entry);
  EXPECT_TRUE(files.createDirectories(path).isOk());
  return path;
}
