//===- OpCall.cpp - Calls a runtime op as compiled code does --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/runtime/Ops/OpCall.h"

#include "runtime/Support/ErrorSlot.h"

namespace ingot::test {

OpCall &OpCall::input(int32_t dtype, const Shape &dims, const void *data,
                      size_t bytes) {
  const char *begin = static_cast<const char *>(data);
  std::vector<char> &copy = storage.emplace_back(begin, begin + bytes);
  Shape &shape = inputDims.emplace_back(dims);
  inputs.push_back(
      {copy.data(), shape.data(), static_cast<uint32_t>(shape.size()), dtype});
  return *this;
}

OpCall &OpCall::texts(const Shape &dims, std::vector<std::string> data) {
  std::vector<ingot_string> elements;
  for (std::string &text : data) {
    std::string &kept = texts_.emplace_back(std::move(text));
    elements.push_back({kept.data(), kept.size()});
  }
  return input(INGOT_STRING, dims, elements.data(),
               elements.size() * sizeof(ingot_string));
}

OpCall &OpCall::output(int32_t dtype, uint32_t rank) {
  allocated.push_back(outputs.size());
  Shape &shape = outputDims.emplace_back(rank, -1);
  outputs.push_back({nullptr, shape.data(), rank, dtype});
  return *this;
}

OpCall &OpCall::output(int32_t dtype, const Shape &dims, bool isStatic) {
  output(dtype, static_cast<uint32_t>(dims.size()));
  outputDims.back() = dims;
  outputs.back().dims = outputDims.back().data();
  if (!isStatic)
    return *this;
  allocated.pop_back();
  size_t bytes = count(outputs.size() - 1) * ops::elementSize(dtype) + 1;
  outputs.back().data = storage.emplace_back(bytes).data();
  return *this;
}

OpCall &OpCall::attribute(const char *name, int64_t value) {
  attributes.push_back({name, value, 0, {}, 0, nullptr, nullptr});
  return *this;
}

OpCall &OpCall::attribute(const char *name, double value) {
  attributes.push_back({name, 0, value, {}, 0, nullptr, nullptr});
  return *this;
}

OpCall &OpCall::attribute(const char *name, std::string value) {
  std::string &kept = texts_.emplace_back(std::move(value));
  attributes.push_back(
      {name, 0, 0, {kept.data(), kept.size()}, 0, nullptr, nullptr});
  return *this;
}

OpCall &OpCall::attribute(const char *name, std::vector<int64_t> values) {
  std::vector<int64_t> &kept = lists.emplace_back(std::move(values));
  attributes.push_back({name,
                        0,
                        0,
                        {},
                        static_cast<uint32_t>(kept.size()),
                        kept.data(),
                        nullptr});
  return *this;
}

OpCall &OpCall::attribute(const char *name, std::vector<std::string> values) {
  std::vector<ingot_string> &kept = stringLists.emplace_back();
  for (std::string &value : values) {
    std::string &text = texts_.emplace_back(std::move(value));
    kept.push_back({text.data(), text.size()});
  }
  attributes.push_back({name,
                        0,
                        0,
                        {},
                        static_cast<uint32_t>(kept.size()),
                        nullptr,
                        kept.data()});
  return *this;
}

Status OpCall::run(ingot_runtime_op function, ingot_context *context) {
  RunArena::ArenaRunScope scope(memory);
  // Frees the outputs of the previous run.
  for (size_t output : allocated)
    outputs[output].data = nullptr;
  ingot_op info{"n", static_cast<uint32_t>(inputs.size()),
                static_cast<uint32_t>(outputs.size()),
                static_cast<uint32_t>(attributes.size()), attributes.data()};
  return takeError(function(context, &info, inputs.data(), outputs.data()));
}

std::vector<std::string> OpCall::strings(size_t output) const {
  std::vector<std::string> result;
  for (const ingot_string &element : values<ingot_string>(output))
    result.emplace_back(element.data, element.size);
  return result;
}

size_t OpCall::count(size_t output) const {
  size_t size = 1;
  for (int64_t dim : outputDims[output])
    size *= static_cast<size_t>(dim);
  return size;
}

} // namespace ingot::test
