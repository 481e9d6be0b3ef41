//===- SetOperation.cpp - Rows of two tensors as sets ---------------------===//
//
// A tensor's rows, its elements along the last dimension, are sets; the result
// is a sparse tensor whose rows hold sorted elements.
//
//===----------------------------------------------------------------------===//

#include "runtime/Ops/Sparse.h"
#include "runtime/Ops/Visit.h"

#include <map>
#include <set>

using namespace ingot;
using namespace ingot::ops;

namespace {

struct Before {
  template <typename T> bool operator()(const T &a, const T &b) const {
    if constexpr (std::is_same_v<T, ingot_string>)
      return view(a) < view(b);
    else
      return a < b;
  }
};

/// A tensor's rows by their coordinates, in order.
template <typename T>
using Rows = std::map<std::vector<int64_t>, std::set<T, Before>>;

/// One of the two operands.
struct SetOperand {
  std::vector<int64_t> shape; // without the last dimension
  std::vector<Input> inputs;  // one, or three of a sparse tensor
};

} // namespace

static Expected<SetOperand> readOperand(Op &op, size_t first, size_t count) {
  SetOperand operand;
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

template <typename T> static Rows<T> readDense(const SetOperand &operand) {
  const Input &input = operand.inputs[0];
  Rows<T> rows;
  auto elements = input.as<T>();
  auto size = static_cast<size_t>(input.dims().back());
  if (elements.empty())
    return rows;
  std::vector<int64_t> at(operand.shape.size());
  for (size_t first = 0; first < elements.size(); first += size) {
    rows.emplace_hint(
        rows.end(), at,
        std::set<T, Before>(elements.begin() + static_cast<ptrdiff_t>(first),
                            elements.begin() +
                                static_cast<ptrdiff_t>(first + size)));
    for (size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < operand.shape[axis])
        break;
      at[axis] = 0;
    }
  }
  return rows;
}

template <typename T>
static Expected<Rows<T>> readSparse(Op &op, const SetOperand &operand) {
  SparseInput sparse(operand.inputs[0], operand.inputs[1], operand.inputs[2]);
  INGOT_RETURN_IF_ERROR(sparse.checkShape());
  INGOT_RETURN_IF_ERROR(sparse.check());
  bool validate = op.flag("validate_indices", true);
  auto values = sparse.values.as<T>();
  Rows<T> rows;
  for (int64_t element = 0; element < sparse.size(); ++element) {
    Dims at = sparse.at(element);
    if (validate && element > 0) {
      Dims last = sparse.at(element - 1);
      if (!std::lexicographical_compare(last.begin(), last.end(), at.begin(),
                                        at.end()))
        return op.invalid("indices " + dimsText(last) + " and " + dimsText(at) +
                          " are out of order or the same");
    }
    rows[std::vector<int64_t>(at.begin(), at.end() - 1)].insert(
        values[static_cast<size_t>(element)]);
  }
  return rows;
}

template <typename T>
static std::vector<T> combine(std::string_view operation,
                              const std::set<T, Before> &a,
                              const std::set<T, Before> &b) {
  std::vector<T> result;
  auto out = std::back_inserter(result);
  if (operation == "a-b")
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), out, Before());
  else if (operation == "b-a")
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), out, Before());
  else if (operation == "intersection")
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out,
                          Before());
  else
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), out, Before());
  return result;
}

template <typename T>
static Status write(Op &op, const SetOperand &operand, const Rows<T> &first,
                    const Rows<T> &second) {
  std::vector<int64_t> indices;
  std::vector<T> values;
  int64_t longest = 0;
  const std::set<T, Before> none;
  auto add = [&](const std::vector<int64_t> &at, const std::set<T, Before> &a,
                 const std::set<T, Before> &b) {
    std::vector<T> row = combine(op.text("set_operation"), a, b);
    for (size_t i = 0; i < row.size(); ++i) {
      indices.insert(indices.end(), at.begin(), at.end());
      indices.push_back(static_cast<int64_t>(i));
      values.push_back(row[i]);
    }
    longest = std::max(longest, static_cast<int64_t>(row.size()));
  };
  // Both in order of coordinates.
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
  INGOT_ASSIGN_OR_RETURN(auto outValues, op.output<T>(1, {size}));
  INGOT_ASSIGN_OR_RETURN(auto outShape, op.output<int64_t>(2, {rank}));
  std::copy(indices.begin(), indices.end(), outIndices.begin());
  std::copy(values.begin(), values.end(), outValues.begin());
  std::copy(operand.shape.begin(), operand.shape.end(), outShape.begin());
  outShape.back() = longest;
  return Status::ok();
}

template <typename T>
static Status combineSets(Op &op, const SetOperand &first,
                          const SetOperand &second) {
  Rows<T> rows[2];
  const SetOperand *operands[] = {&first, &second};
  for (int i = 0; i < 2; ++i) {
    if (operands[i]->inputs.size() == 1) {
      rows[i] = readDense<T>(*operands[i]);
      continue;
    }
    INGOT_ASSIGN_OR_RETURN(rows[i], readSparse<T>(op, *operands[i]));
  }
  return write(op, first, rows[0], rows[1]);
}

INGOT_RUNTIME_OP(set_operation) {
  size_t ofFirst = op.numInputs() == 6 ? 3 : 1;
  INGOT_ASSIGN_OR_RETURN(SetOperand first, readOperand(op, 0, ofFirst));
  INGOT_ASSIGN_OR_RETURN(SetOperand second,
                         readOperand(op, ofFirst, op.numInputs() - ofFirst));
  if (first.shape != second.shape)
    return op.invalid("sets of shapes " + dimsText(first.shape) + " and " +
                      dimsText(second.shape) + " cannot be combined");
  int32_t dtype = op.input(ofFirst == 3 ? 1 : 0).dtype();
  return visitElements(
      dtype, [&]<typename T>() { return combineSets<T>(op, first, second); });
}
