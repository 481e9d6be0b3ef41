//===- FillEmptySparseRows.cpp - Fills empty rows of sparse tensors -------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/Sparse.h"

#include <cstring>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

// Implements SparseFillEmptyRows. Inputs: a sparse tensor and a default value.
// Each empty row gets an element with this value, whose coordinates in the
// other dimensions are 0.
INGOT_RUNTIME_OP(sparse_fill_empty_rows) {
  SparseInput sparse(op.input(0), op.input(1), op.input(2));
  INGOT_RETURN_IF_ERROR(sparse.checkSizes());
  size_t rank = sparse.rank();
  if (rank == 0)
    return op.invalid(
        "a sparse tensor of rank 0 has no rows: expected rank 1 or more");
  int64_t rows = sparse.dims()[0];
  for (int64_t dim : sparse.dims())
    if (dim < 0)
      return op.invalid("shape " + dimsText(sparse.dims()) +
                        " has a negative dimension");
  // Check only the first coordinate of each element, its row. The other
  // coordinates are copied unchanged.
  for (int64_t element = 0; element < sparse.size(); ++element)
    if (int64_t row = sparse.at(element)[0]; row < 0 || row >= rows)
      return outsideOfShape(sparse.at(element), sparse.dims());
  // The first loop below counts the elements of each row in next[row + 1]. The
  // second one, a prefix sum, makes next[row] the output index of the next
  // element of `row`.
  INGOT_ASSIGN_OR_RETURN(auto empty, op.output<bool>(2, {rows}));
  std::vector<int64_t> next(static_cast<size_t>(rows) + 1);
  for (int64_t element = 0; element < sparse.size(); ++element)
    ++next[static_cast<size_t>(sparse.at(element)[0]) + 1];
  for (size_t row = 0; row < empty.size(); ++row) {
    empty[row] = next[row + 1] == 0;
    next[row + 1] = next[row] + std::max<int64_t>(next[row + 1], 1);
  }
  int64_t total = next.back();
  INGOT_ASSIGN_OR_RETURN(
      auto indices, op.output<int64_t>(0, {total, static_cast<int64_t>(rank)}));
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(1, {&total, 1}));
  INGOT_ASSIGN_OR_RETURN(auto places, op.output<int64_t>(3, {sparse.size()}));
  size_t bytes = elementSize(sparse.values.dtype());
  char *values = static_cast<char *>(memory);
  for (size_t row = 0; row < empty.size(); ++row) {
    if (!empty[row])
      continue;
    auto place = static_cast<size_t>(next[row]);
    std::fill_n(indices.begin() + static_cast<ptrdiff_t>(place * rank), rank,
                0);
    indices[place * rank] = static_cast<int64_t>(row);
    std::memcpy(values + place * bytes, op.input(3).data(), bytes);
  }
  const char *from = static_cast<const char *>(sparse.values.data());
  for (int64_t element = 0; element < sparse.size(); ++element) {
    Dims at = sparse.at(element);
    auto place = static_cast<size_t>(next[static_cast<size_t>(at[0])]++);
    places[static_cast<size_t>(element)] = static_cast<int64_t>(place);
    std::copy(at.begin(), at.end(),
              indices.begin() + static_cast<ptrdiff_t>(place * rank));
    std::memcpy(values + place * bytes,
                from + static_cast<size_t>(element) * bytes, bytes);
  }
  return Status::ok();
}

/// Converts a sum to the type of its terms. 16-bit floats are summed in float.
template <typename T, typename SumT> static T rounded(SumT sum) {
  if constexpr (std::is_same_v<T, Half>)
    return {floatToHalf(sum)};
  else if constexpr (std::is_same_v<T, Bfloat16>)
    return {floatToBfloat16(sum)};
  else
    return sum;
}

template <typename T> static Status fillEmptyRowsGrad(OpKernelContext &op) {
  auto places = op.input(0).as<int64_t>();
  auto gradients = op.input(1).as<T>();
  INGOT_ASSIGN_OR_RETURN(auto values, op.output<T>(0, op.input(0).dims()));
  INGOT_ASSIGN_OR_RETURN(auto rest, op.output<T>(1, {}));
  std::vector<bool> taken(gradients.size());
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0 || static_cast<size_t>(places[i]) >= gradients.size())
      return op.invalid("reverse_index_map[" + std::to_string(i) + "] is " +
                        std::to_string(places[i]) + ", which is not in [0, " +
                        std::to_string(gradients.size()) + ")");
    auto place = static_cast<size_t>(places[i]);
    values[i] = gradients[place];
    taken[place] = true;
  }
  using Sum = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
  Sum sum = 0;
  for (size_t i = 0; i < gradients.size(); ++i)
    if (!taken[i])
      sum = static_cast<Sum>(sum + gradients[i]);
  rest[0] = rounded<T>(sum);
  return Status::ok();
}

// Implements SparseFillEmptyRowsGrad. Inputs: the output index of each input
// element, and the gradients of the output's values. Outputs: the gradients of
// the input's values and of the default value.
INGOT_RUNTIME_OP(sparse_fill_empty_rows_grad) {
  return visitNumbers(op.input(1).dtype(),
                      [&]<typename T>() { return fillEmptyRowsGrad<T>(op); });
}
