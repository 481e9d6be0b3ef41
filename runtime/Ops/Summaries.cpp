//===- Summaries.cpp - Tensors, scalars and histograms for TensorBoard ----===//
// SPDX-License-Identifier: Apache-2.0
//
// Summary ops pass their values to the collector of the running step; the
// values are then written to the trainer's event file. If no summaries are
// wanted, the ops do nothing.
//===----------------------------------------------------------------------===//

#include "proto/Event.pb.h"
#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"
#include "runtime/Summary/Histogram.h"
#include "runtime/Summary/SummaryCollector.h"

#include <cmath>

using namespace ingot;
using namespace ingot::ops;

//===----------------------------------------------------------------------===//
// Serializes a TensorProto by its public field numbers: 1 is the element type,
// 2 the shape, 4 the raw elements, 8 the strings.
//===----------------------------------------------------------------------===//

static void appendVarint(std::string &bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

static void appendBytes(std::string &bytes, unsigned field,
                        std::string_view content) {
  appendVarint(bytes, field << 3 | 2);
  appendVarint(bytes, content.size());
  bytes += content;
}

static void appendNumber(std::string &bytes, unsigned field, int64_t value) {
  appendVarint(bytes, field << 3);
  appendVarint(bytes, static_cast<uint64_t>(value));
}

static std::string serializeTensor(const OpInput &input) {
  std::string shape, tensor;
  for (int64_t size : input.dims()) {
    std::string dim;
    appendNumber(dim, 1, size);
    appendBytes(shape, 2, dim);
  }
  appendNumber(tensor, 1, input.dtype());
  appendBytes(tensor, 2, shape);
  auto size = static_cast<size_t>(input.numElements());
  if (input.dtype() == INGOT_STRING)
    for (size_t i = 0; i < size; ++i)
      appendBytes(tensor, 8, input.text(i));
  else
    appendBytes(tensor, 4,
                {static_cast<const char *>(input.data()),
                 size * elementSize(input.dtype())});
  return tensor;
}

/// Returns the step, an optional input after the first `inputs` inputs, or -1
/// if the op does not have this input.
static int64_t stepOf(OpKernelContext &op, size_t inputs) {
  return op.numInputs() > inputs ? op.input(inputs).integer(0) : -1;
}

// Records a tensor for the event file. Inputs: tag, tensor, serialized
// metadata, and optionally the step.
INGOT_RUNTIME_OP(record_tensor) {
  SummaryCollector *summaries = op.context().summaries;
  if (!summaries)
    return Status::ok();
  proto::Summary::Value value;
  value.set_tag(std::string(op.input(0).text(0)));
  // The oldest version of the op has a node name instead of metadata.
  value.set_node_name(std::string(op.text("node_name")));
  if (value.node_name().empty() && !value.mutable_metadata()->ParseFromString(
                                       std::string(op.input(2).text(0))))
    return op.invalid("summary_metadata is not a serialized SummaryMetadata");
  std::string bytes = value.SerializeAsString();
  appendBytes(bytes, 8, serializeTensor(op.input(1)));
  summaries->addValue(stepOf(op, 3), std::move(bytes));
  return Status::ok();
}

// Records a scalar for the event file. Inputs: tag, number, and optionally the
// step.
INGOT_RUNTIME_OP(record_scalar) {
  SummaryCollector *summaries = op.context().summaries;
  if (!summaries)
    return Status::ok();
  OpInput input = op.input(1);
  proto::Summary::Value value;
  value.set_tag(std::string(op.input(0).text(0)));
  value.set_simple_value(
      static_cast<float>(elementAsDouble(input.dtype(), input.data())));
  summaries->addValue(stepOf(op, 2), value.SerializeAsString());
  return Status::ok();
}

// Records a histogram for the event file. Inputs: tag, numbers, and optionally
// the step.
INGOT_RUNTIME_OP(record_histogram) {
  SummaryCollector *summaries = op.context().summaries;
  if (!summaries)
    return Status::ok();
  OpInput input = op.input(1);
  proto::Summary::Value value;
  value.set_tag(std::string(op.input(0).text(0)));
  Histogram histogram;
  INGOT_RETURN_IF_ERROR(visitNumbers(input.dtype(), [&]<typename T>() {
    for (const T &element : input.as<T>()) {
      auto number = static_cast<double>(element);
      if (std::isnan(number) || std::isinf(number))
        return op.invalid(std::string(std::isnan(number) ? "Nan" : "Infinity") +
                          " in summary histogram for: " + value.tag());
      histogram.add(number);
    }
    return Status::ok();
  }));
  histogram.write(*value.mutable_histo());
  summaries->addValue(stepOf(op, 2), value.SerializeAsString());
  return Status::ok();
}
