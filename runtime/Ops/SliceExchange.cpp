//===- SliceExchange.cpp - Exchanges between slices of a batch ------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The ops of a loop over slices (compiler/Lower/LowerSlices.cpp). Values that
// are exchanged in one message form a bucket. Attributes:
//
//   bucket    the index of the value's bucket in the program
//   index     the value's index in the bucket
//   elements  the number of elements of each of the bucket's values, unless the
//             value is gathered
//   kind      how the slices' values are combined (ExchangeKinds.def)
//   slices    the number of slices of the batch
//   in_place  1 if the values are combined in an array of the program
//   parts     the number of parts of a sum that is scattered
//   starts    1 if the bucket is exchanged as soon as the process's last slice
//             has added this value
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"

using namespace ingot;
using namespace ingot::ops;

static uint32_t slicesOf(const OpKernelContext &op) {
  return static_cast<uint32_t>(op.integer("slices", 1));
}

/// Describes an exchanged value. `dims` are the dimensions of one slice's value
/// or of the combined value. These two differ only if the value is gathered,
/// and only in the first dimension; there, the combined value's size is `rows`.
/// `rowElements` is memory for a number to which the description refers.
static ExchangedValue valueOf(const OpKernelContext &op, int32_t dtype,
                              Dims dims, int64_t rows, int64_t &rowElements) {
  ExchangedValue value = {
      op.node(),
      static_cast<uint32_t>(op.integer("bucket", 0)),
      static_cast<uint32_t>(op.integer("index", 0)),
      static_cast<ingot_exchange_kind>(op.integer("kind", INGOT_EXCHANGE_SUM)),
      slicesOf(op),
      dtype,
      op.integers("elements"),
      static_cast<size_t>(rows),
      op.integer("starts", 0) != 0,
      static_cast<uint32_t>(op.integer("parts", 0))};
  if (value.kind != INGOT_EXCHANGE_GATHER)
    return value;
  rowElements = 1;
  for (int64_t dim : dims.subspan(1))
    rowElements *= dim;
  value.elements = {&rowElements, 1};
  return value;
}

/// Returns the memory of `places`, the array in which slices' values are
/// combined. An op's inputs are const, but these ops may write to this array:
/// it is memory of the entry that no other op reads.
static std::byte *arrayOf(const OpInput &places) {
  return static_cast<std::byte *>(const_cast<void *>(places.data()));
}

// Begins a loop over slices. Returns the index of the first slice of this
// process, and the index after its last slice.
INGOT_RUNTIME_OP(slice_range) {
  BatchSliceRange range =
      op.context().exchanges->begin(slicesOf(op), op.context().device.get());
  INGOT_ASSIGN_OR_RETURN(auto first, op.output<int64_t>(0, {}));
  INGOT_ASSIGN_OR_RETURN(auto last, op.output<int64_t>(1, {}));
  first[0] = static_cast<int64_t>(range.first);
  last[0] = static_cast<int64_t>(range.last);
  return Status::ok();
}

// Records the rows of the slice that is computed next. Inputs: the index of its
// first row, its number of rows, and the number of rows of the whole batch.
INGOT_RUNTIME_OP(slice_rows) {
  op.context().exchanges->current = {
      op.input(0).integer(0), op.input(1).integer(0), op.input(2).integer(0)};
  return Status::ok();
}

// Adds the value of one slice to those that exchange_finish combines. Inputs:
// the slice's index, its value, and the number of rows of the whole batch. With
// attribute `in_place`, input 1 is instead the array in which values are
// combined, with the slice's value already in its place. The op writes to this
// array.
INGOT_RUNTIME_OP(exchange_add) {
  OpInput value = op.input(1);
  int64_t rowElements = 0;
  ExchangedValue exchanged = valueOf(op, value.dtype(), value.dims(),
                                     op.input(2).integer(0), rowElements);
  auto slice = static_cast<uint64_t>(op.input(0).integer(0));
  if (op.integer("in_place", 0) != 0)
    return op.context().exchanges->addInPlace(exchanged, slice, arrayOf(value));
  return op.context().exchanges->add(exchanged, slice, value.data());
}

// Combines the values of all slices in the array that contains them (input 1),
// and stores the result at the array's start. Input 0: the number of rows of
// the whole batch.
INGOT_RUNTIME_OP(exchange_finish_in_place) {
  OpInput value = op.input(1);
  int64_t rowElements = 0;
  ExchangedValue exchanged = valueOf(op, value.dtype(), value.dims(),
                                     op.input(0).integer(0), rowElements);
  return op.context().exchanges->finish(exchanged, arrayOf(value));
}

// Returns the combined value of all slices. Attribute `shape` is the shape of
// the result. If its first size is -1, it is the batch size (input 0).
INGOT_RUNTIME_OP(exchange_finish) {
  std::span<const int64_t> known = op.integers("shape");
  std::vector<int64_t> shape(known.begin(), known.end());
  int64_t rows = op.input(0).integer(0);
  if (!shape.empty() && shape[0] < 0)
    shape[0] = rows;
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(0, shape));
  int64_t rowElements = 0;
  ExchangedValue exchanged =
      valueOf(op, op.outputType(0), shape, rows, rowElements);
  return op.context().exchanges->finish(exchanged, data);
}

// Gathers a value that processes have computed in parts, in the memory of the
// result. Attribute `slices` is the number of parts, `shape` the value's shape.
INGOT_RUNTIME_OP(exchange_gather_in_place) {
  Dims shape = op.integers("shape");
  INGOT_ASSIGN_OR_RETURN(void *data, op.allocate(0, shape));
  size_t bytes = static_cast<size_t>(shape[0]) * elementSize(op.outputType(0));
  return op.context().exchanges->gatherInPlace(
      op.node(), slicesOf(op), {static_cast<std::byte *>(data), bytes});
}
