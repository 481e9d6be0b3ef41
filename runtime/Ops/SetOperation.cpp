//===- SetOperation.cpp - Set operations on rows --------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Set operations on the rows of two tensors: a row is the set of the elements
// along the last dimension. The result is a sparse tensor whose rows have
// sorted elements.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Sparse.h"

#include <cstring>
#include <map>
#include <set>

using namespace ingot;
using namespace ingot::ops;

namespace {

/// A function that returns true if the element at the first address is less
/// than that at the second. Sets store addresses and compare elements only by
/// such a function, so that their code is compiled once for all element types.
using Before = bool (*)(const void *, const void *);
using Set = std::set<const void *, Before>;

/// The rows of a tensor, sorted by their coordinates.
using Rows = std::map<std::vector<int64_t>, Set>;

/// An operand: a dense or sparse tensor.
struct SetOperationOperand {
  std::vector<int64_t> shape;  // the tensor's shape without its last dimension
  std::vector<OpInput> inputs; // one for a dense tensor, three for a sparse one
};

} // namespace

static Expected<SetOperationOperand> readOperand(OpKernelContext &op,
                                                 size_t first, size_t count) {
  SetOperationOperand operand;
  for (size_t i = 0; i < count; ++i)
    operand.inputs.push_back(op.input(first + i));
  Dims dims =
      count == 1 ? operand.inputs[0].dims() : operand.inputs[2].as<int64_t>();
  if (dims.size() < 2)
    return op.invalid("Shape " + dimsText(dims) + " has rank " +
                      std::to_string(dims.size()) + " < 2");
  operand.shape.assign(dims.begin(), dims.end() - 1);
  return operand;
}

template <typename T> static bool isBefore(const void *a, const void *b) {
  const T &first = *static_cast<const T *>(a);
  const T &second = *static_cast<const T *>(b);
  if constexpr (std::is_same_v<T, ingot_string>)
    return view(first) < view(second);
  else
    return first < second;
}

/// Returns the address of element `i`.
static const void *elementOf(const OpInput &input, size_t i) {
  return static_cast<const char *>(input.data()) +
         i * elementSize(input.dtype());
}

static Rows readDense(const SetOperationOperand &operand, Before before) {
  const OpInput &input = operand.inputs[0];
  Rows rows;
  auto count = static_cast<size_t>(input.numElements());
  auto size = static_cast<size_t>(input.dims().back());
  std::vector<int64_t> at(operand.shape.size());
  for (size_t first = 0; first < count; first += size) {
    Set &row = rows.emplace_hint(rows.end(), at, Set(before))->second;
    for (size_t i = first; i < first + size; ++i)
      row.insert(elementOf(input, i));
    for (size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < operand.shape[axis])
        break;
      at[axis] = 0;
    }
  }
  return rows;
}

static Expected<Rows> readSparse(OpKernelContext &op,
                                 const SetOperationOperand &operand,
                                 Before before) {
  SparseInput sparse(operand.inputs[0], operand.inputs[1], operand.inputs[2]);
  INGOT_RETURN_IF_ERROR(sparse.checkShape());
  INGOT_RETURN_IF_ERROR(sparse.check());
  bool validate = op.flag("validate_indices", true);
  Rows rows;
  for (int64_t element = 0; element < sparse.size(); ++element) {
    Dims at = sparse.at(element);
    if (validate && element > 0) {
      Dims last = sparse.at(element - 1);
      if (!std::lexicographical_compare(last.begin(), last.end(), at.begin(),
                                        at.end()))
        return op.invalid("indices must be in strictly ascending order, but " +
                          dimsText(at) + " follows " + dimsText(last));
    }
    std::vector<int64_t> row(at.begin(), at.end() - 1);
    rows.try_emplace(std::move(row), before)
        .first->second.insert(
            elementOf(sparse.values, static_cast<size_t>(element)));
  }
  return rows;
}

static std::vector<const void *>
combine(std::string_view operation, const Set &a, const Set &b, Before before) {
  std::vector<const void *> result;
  auto out = std::back_inserter(result);
  if (operation == "a-b")
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out, before);
  else if (operation == "b-a")
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), out, before);
  else if (operation == "intersection")
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out, before);
  else
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), out, before);
  return result;
}

static Status write(OpKernelContext &op, const SetOperationOperand &operand,
                    const Rows &first, const Rows &second, Before before) {
  std::vector<int64_t> indices;
  std::vector<const void *> values;
  int64_t longest = 0;
  const Set none(before);
  auto add = [&](const std::vector<int64_t> &at, const Set &a, const Set &b) {
    std::vector<const void *> row =
        combine(op.text("set_operation"), a, b, before);
    for (size_t i = 0; i < row.size(); ++i) {
      indices.insert(indices.end(), at.begin(), at.end());
      indices.push_back(static_cast<int64_t>(i));
      values.push_back(row[i]);
    }
    longest = std::max(longest, static_cast<int64_t>(row.size()));
  };
  // Merge the rows of both operands, `first` and `second`, which are sorted by
  // their coordinates.
  auto a = first.begin(), b = second.begin();
  while (a != first.end() || b != second.end()) {
    bool hasA = a != first.end() && (b == second.end() || a->first <= b->first);
    bool hasB = b != second.end() && (a == first.end() || b->first <= a->first);
    add(hasA ? a->first : b->first, hasA ? a->second : none,
        hasB ? b->second : none);
    a = hasA ? std::next(a) : a;
    b = hasB ? std::next(b) : b;
  }
  auto rank = static_cast<int64_t>(operand.shape.size()) + 1;
  auto size = static_cast<int64_t>(values.size());
  INGOT_ASSIGN_OR_RETURN(auto outIndices, op.output<int64_t>(0, {size, rank}));
  INGOT_ASSIGN_OR_RETURN(void *outValues, op.allocate(1, Dims(&size, 1)));
  INGOT_ASSIGN_OR_RETURN(auto outShape, op.output<int64_t>(2, {rank}));
  std::copy(indices.begin(), indices.end(), outIndices.begin());
  size_t bytes = elementSize(op.outputType(1));
  for (size_t i = 0; i < values.size(); ++i)
    std::memcpy(static_cast<char *>(outValues) + i * bytes, values[i], bytes);
  std::copy(operand.shape.begin(), operand.shape.end(), outShape.begin());
  outShape.back() = longest;
  return Status::ok();
}

static Status combineSets(OpKernelContext &op, const SetOperationOperand &first,
                          const SetOperationOperand &second, Before before) {
  Rows rows[2];
  const SetOperationOperand *operands[] = {&first, &second};
  for (int i = 0; i < 2; ++i) {
    if (operands[i]->inputs.size() == 1) {
      rows[i] = readDense(*operands[i], before);
      continue;
    }
    INGOT_ASSIGN_OR_RETURN(rows[i], readSparse(op, *operands[i], before));
  }
  return write(op, first, rows[0], rows[1], before);
}

INGOT_RUNTIME_OP(set_operation) {
  size_t ofFirst = op.numInputs() == 6 ? 3 : 1;
  INGOT_ASSIGN_OR_RETURN(SetOperationOperand first,
                         readOperand(op, 0, ofFirst));
  INGOT_ASSIGN_OR_RETURN(SetOperationOperand second,
                         readOperand(op, ofFirst, op.numInputs() - ofFirst));
  if (first.shape != second.shape)
    return op.invalid("sets of shapes " + dimsText(first.shape) + " and " +
                      dimsText(second.shape) +
                      " cannot be combined: the shapes must be equal");
  int32_t dtype = op.input(ofFirst == 3 ? 1 : 0).dtype();
  Before before = nullptr;
  INGOT_RETURN_IF_ERROR(visitElements(dtype, [&]<typename T>() {
    before = isBefore<T>;
    return Status::ok();
  }));
  return combineSets(op, first, second, before);
}
