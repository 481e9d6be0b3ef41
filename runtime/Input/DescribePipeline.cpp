//===- DescribePipeline.cpp - Describes a pipeline as text ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Makes the text that describes a pipeline. The text is part of each saved
// state, so that the state is not restored into another pipeline.
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/Pipeline.h"
#include "runtime/Support/Crc32c.h"
#include "runtime/Support/DType.h"

#include <cstdio>
#include <cstring>

namespace ingot::input {

namespace {

/// Constants of at most this many elements, and texts of at most this many
/// characters, are written out; longer ones are replaced by a checksum.
constexpr int64_t maxElements = 4;
constexpr size_t maxText = 120;

std::string specText(int32_t dtype, Shape shape) {
  return dtypeName(dtype) + shapeText(shape);
}

std::string elementText(const ingot_constant &constant, int64_t index) {
  switch (constant.spec.dtype) {
  case INGOT_INT64:
    return std::to_string(static_cast<const int64_t *>(constant.data)[index]);
  case INGOT_INT32:
    return std::to_string(static_cast<const int32_t *>(constant.data)[index]);
  case INGOT_BOOL:
    return static_cast<const bool *>(constant.data)[index] ? "true" : "false";
  case INGOT_STRING: {
    const auto &value = static_cast<const ingot_string *>(constant.data)[index];
    return "'" + std::string(value.data, value.size) + "'";
  }
  default:
    return std::string();
  }
}

uint32_t checksum(const ingot_constant &constant, int64_t count) {
  if (constant.spec.dtype != INGOT_STRING)
    return crc32c(0, constant.data,
                  static_cast<size_t>(count) *
                      elementSize(constant.spec.dtype));
  uint32_t crc = 0;
  const auto *strings = static_cast<const ingot_string *>(constant.data);
  for (int64_t i = 0; i < count; ++i) {
    crc = crc32c(crc, &strings[i].size, sizeof(strings[i].size));
    crc = crc32c(crc, strings[i].data, strings[i].size);
  }
  return crc;
}

std::string constantText(const ingot_constant &constant) {
  Shape shape(constant.spec.dims, constant.spec.rank);
  int64_t count = 0;
  countElements(shape, count);
  std::string text;
  bool whole = count <= maxElements;
  for (int64_t i = 0; i < count && whole; ++i) {
    std::string element = elementText(constant, i);
    whole = !element.empty() && text.size() + element.size() <= maxText;
    text += (i ? "," : "") + element;
  }
  if (whole)
    return shape.empty() ? text : "[" + text + "]";
  char crc[32];
  std::snprintf(crc, sizeof(crc), " crc32c %08x", checksum(constant, count));
  return specText(constant.spec.dtype, shape) + crc;
}

void describe(const ingot_program &program, uint32_t index, size_t depth,
              std::vector<std::string> &lines) {
  const ingot_dataset &dataset = program.datasets[index];
  const DatasetOp &op = *datasetOp(dataset);
  std::string line(2 * depth, ' ');
  line += dataset.op;
  line += '(';
  size_t first = dataset.num_operands - op.operands.size();
  const char *separator = "";
  for (uint32_t i = 0; i < dataset.num_operands; ++i) {
    if (i >= first && !op.operands[i - first].identity)
      continue;
    line += separator;
    separator = ", ";
    if (i >= first)
      line += std::string(op.operands[i - first].name) + "=";
    const ingot_dataset_operand &operand = dataset.operands[i];
    line += operand.constant ? constantText(*operand.constant)
                             : "argument " + std::to_string(operand.argument);
  }
  line += ')';
  for (const char *name : op.attributes)
    for (uint32_t i = 0; i < dataset.num_attributes; ++i)
      if (const ingot_attribute &attribute = dataset.attributes[i];
          !std::strcmp(attribute.name, name))
        line += std::string(" ") + name + "=" +
                (attribute.string ? "'" + std::string(attribute.string) + "'"
                                  : std::to_string(attribute.integer));
  if (op.function == DatasetFunctionKind::Compiled) {
    separator = " -> ";
    for (uint32_t i = 0; i < dataset.num_components; ++i) {
      const ingot_tensor_spec &spec = dataset.components[i];
      line += separator + specText(spec.dtype, {spec.dims, spec.rank});
      separator = ", ";
    }
    if (auto function = static_cast<uint32_t>(dataset.function);
        program.functions[function].num_positions)
      line += " random=" +
              std::to_string(program.functions[function].num_positions);
  }
  lines.push_back(std::move(line));
  if (op.function == DatasetFunctionKind::Body)
    describe(program, static_cast<uint32_t>(dataset.body), depth + 1, lines);
  for (uint32_t i = 0; i < dataset.num_inputs; ++i)
    describe(program, dataset.inputs[i], depth + 1, lines);
}

} // namespace

std::vector<std::string> describePipeline(const ingot_program &program,
                                          uint32_t root) {
  std::vector<std::string> lines;
  describe(program, root, 0, lines);
  return lines;
}

} // namespace ingot::input
