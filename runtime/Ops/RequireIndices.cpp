//===- RequireIndices.cpp - Checks ranges of indices ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks indices, with the messages of TensorFlow's CPU kernels. Memory is safe
// without these checks: at an index out of range, compiled code reads zeros and
// writes nothing.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Session/Context.h"

#include <algorithm>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

/// Formats a shape as TensorFlow's messages do: "[5,4]".
static std::string shapeText(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t dim : shape)
    text += (text.empty() ? "" : ",") + std::to_string(dim);
  return "[" + text + "]";
}

namespace {

/// The coordinates of an element in the tensor of indices that is checked. If
/// several processes split a batch into slices, the op may see the indices of
/// one slice only; the coordinates are then those in the tensor of the whole
/// batch, for error messages.
class ElementCoordinates {
public:
  /// Computes the coordinates in the first `rank` dimensions of the element
  /// whose flat index in these dimensions is `flat`.
  ElementCoordinates(const OpKernelContext &op, size_t rank, int64_t flat)
      : coordinates(rank) {
    OpInput indices = op.input(0);
    int64_t cut = op.integer(rowDimOption, -1);
    for (size_t axis = rank; axis-- > 0;) {
      int64_t size = indices.dim(axis);
      coordinates[axis] = flat % size;
      flat /= size;
      if (static_cast<int64_t>(axis) == cut) {
        const BatchSliceRows &rows = op.context().exchanges->current;
        coordinates[axis] += rows.before(size);
        size = rows.wholeSize(size);
      }
      theFlat += stride * coordinates[axis];
      stride *= size;
    }
  }

  int64_t flat() const { return theFlat; }
  /// Returns for example "indices[1,0]" if `name` is "indices".
  std::string text(const char *name) const {
    std::string place;
    for (int64_t coordinate : coordinates)
      place += (place.empty() ? "" : ",") + std::to_string(coordinate);
    return coordinates.empty() ? name : std::string(name) + "[" + place + "]";
  }

private:
  std::vector<int64_t> coordinates;
  int64_t theFlat = 0, stride = 1;
};

} // namespace

/// Returns TensorFlow's message for an index that is out of range. `index` is
/// its value, `flat` its flat index among all indices, and `limit` the bound of
/// the range. Each `kind` of indices has its own message.
static std::string describe(OpKernelContext &op, std::string_view kind,
                            int64_t flat, const std::string &index,
                            int64_t limit) {
  ElementCoordinates place(op, op.input(0).rank(), flat);
  std::string range = "[0, " + std::to_string(limit) + ")";
  if (kind == "segment")
    return place.text("segment_ids") + " = " + index + " is out of range " +
           range;
  if (kind == "sparse_segment")
    return "Bad: indices[" + std::to_string(place.flat()) + "] == " + index +
           " out of range " + range;
  if (kind == "sparse_step")
    return "Index " + index + " at offset " + std::to_string(place.flat()) +
           " in indices is out of range " + range;
  if (kind == "row")
    return "Index " + index + " out of range " + range + ".";
  if (kind == "segment_row")
    return "Segment id " + index + " out of range " + range + ".";
  if (kind == "counted")
    return "segment ids must be < num_segments: " + index + " is not below " +
           std::to_string(limit);
  if (kind == "axis")
    return "Expected dimension in the range [-" + std::to_string(limit) + ", " +
           std::to_string(limit) + "), but got " + index;
  if (kind == "box")
    return "box_index has values outside [0, batch_size): " +
           place.text("box_index") + " = " + index + " is not in " + range;
  if (kind == "length")
    return place.text("seq_lens") + " = " + index + " is not in [0, " +
           std::to_string(limit) + "]";
  if (kind == "range")
    return "Need minval < maxval, got " + index +
           " >= " + std::to_string(limit);
  if (kind == "reversed")
    return "Invalid input first dimension. Found " + std::to_string(limit) +
           ".";
  if (kind == "band_rows")
    return "num_lower must be negative or less or equal to number of rows (" +
           std::to_string(limit) + ") got: " + index;
  if (kind == "band_columns")
    return "num_upper must be negative or less or equal to number of columns "
           "(" +
           std::to_string(limit) + ") got: " + index;
  if (kind == "label")
    return "Received a label value of " + index +
           " which is outside the valid range of " + range;
  return place.text("indices") + " = " + index + " is not in " + range;
}

/// Checks that each row of the input is a valid index into the first dimensions
/// of a tensor of shape `shape`.
template <typename T>
static Status checkCoordinates(OpKernelContext &op,
                               std::span<const int64_t> shape) {
  OpInput indices = op.input(0);
  auto values = indices.as<T>();
  size_t depth = indices.rank() == 0
                     ? 0
                     : static_cast<size_t>(indices.dim(indices.rank() - 1));
  if (depth == 0 || depth > shape.size())
    return Status::ok();
  for (size_t row = 0; row * depth < values.size(); ++row)
    for (size_t i = 0; i < depth; ++i) {
      auto limit = static_cast<uint64_t>(shape[i]);
      if (static_cast<uint64_t>(values[row * depth + i]) < limit)
        continue;
      std::string found;
      for (size_t k = 0; k < depth; ++k)
        found += (k ? ", " : "") + std::to_string(values[row * depth + k]);
      ElementCoordinates place(op, indices.rank() - 1,
                               static_cast<int64_t>(row));
      return op.invalid("indices[" + std::to_string(place.flat()) + "] = [" +
                        found + "] does not index into shape " +
                        shapeText(shape));
    }
  return Status::ok();
}

/// Checks that the input's elements are indices of diagonals. The last two
/// elements of `shape` are the numbers of rows and columns of the matrix. Every
/// matrix has a diagonal 0, even an empty one.
template <typename T>
static Status checkDiagonals(OpKernelContext &op,
                             std::span<const int64_t> shape) {
  if (shape.size() < 2)
    return Status::ok();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  for (T value : op.input(0).as<T>()) {
    auto k = static_cast<int64_t>(value);
    if (k != 0 && (k <= -rows || k >= columns))
      return op.invalid("diag_index is out of bound: " + std::to_string(k) +
                        ". It must be between " + std::to_string(-rows) +
                        " and " + std::to_string(columns) + ", both exclusive");
  }
  return Status::ok();
}

/// Checks that the shape in input 0 and shape `limits`, aligned at their last
/// dimensions, can be broadcast against each other.
static Status checkBroadcast(OpKernelContext &op,
                             std::span<const int64_t> limits) {
  std::vector<int64_t> sizes = op.input(0).integers();
  for (size_t i = 1; i <= std::min(sizes.size(), limits.size()); ++i) {
    int64_t a = sizes[sizes.size() - i], b = limits[limits.size() - i];
    if (a != b && a != 1 && b != 1)
      return op.invalid("Incompatible shapes: " + shapeText(sizes) + " vs. " +
                        shapeText(limits));
  }
  return Status::ok();
}

/// Checks that tensors of two shapes, input 0 and `shape`, can be concatenated:
/// that the shapes are equal except along the dimension `axis`, an attribute.
static Status checkConcat(OpKernelContext &op, std::span<const int64_t> shape) {
  std::vector<int64_t> sizes = op.input(0).integers();
  auto axis = op.integer("axis", 0), rank = static_cast<int64_t>(shape.size());
  axis += axis < 0 ? rank : 0;
  bool isSame = sizes.size() == shape.size();
  for (size_t dim = 0; isSame && dim < shape.size(); ++dim)
    isSame = sizes[dim] == shape[dim] || static_cast<int64_t>(dim) == axis;
  if (isSame)
    return Status::ok();
  std::string except =
      axis >= 0 && axis < rank ? std::to_string(axis) : "the axis, shown as 0,";
  return op.invalid("All dimensions except " + except + " must match: " +
                    shapeText(sizes) + " vs. " + shapeText(shape));
}

template <typename T>
static Status checkAll(OpKernelContext &op, std::string_view kind,
                       int64_t limit) {
  auto values = op.input(0).as<T>();
  int64_t first = 0, last = -1;
#define INGOT_INDEX_KIND(name, begin, isInclusive)                             \
  if (kind == #name) {                                                         \
    first = (begin);                                                           \
    last = (isInclusive) ? limit : limit - 1;                                  \
  }
#include "runtime/ABI/IndexCheckKinds.def"
  // The loop has no branch, so that the compiler vectorizes it. A uint64 too
  // large for int64 becomes negative, which is outside all ranges that begin at
  // 0.
  auto isOutside = [=](T value) {
    auto index = static_cast<int64_t>(value);
    return (index < first) | (index > last);
  };
  bool anyOutside = false;
  for (T value : values)
    anyOutside |= isOutside(value);
  if (!anyOutside)
    return Status::ok();
  size_t at = 0;
  while (!isOutside(values[at]))
    ++at;
  return op.invalid(describe(op, kind, static_cast<int64_t>(at),
                             std::to_string(values[at]), limit));
}

/// Returns true if indices of kind gather or segment need no check, because a
/// dimension other than `axis` has size 0, so that no element is accessed
/// through them.
static bool isOfNothing(std::string_view kind, std::span<const int64_t> limits,
                        size_t axis) {
  if (kind != "gather" && kind != "segment")
    return false;
  for (size_t i = 0; i < limits.size(); ++i)
    if (i != axis && limits[i] == 0)
      return true;
  return false;
}

// Fails with TensorFlow's message if an index is outside the range of its kind
// (attribute `kind`, one of ABI/IndexCheckKinds.def). Inputs: the indices, then
// the shape of the tensor that they index, or only its size along the axis.
INGOT_RUNTIME_OP(require_indices) {
  std::vector<int64_t> shape = op.input(1).integers();
  std::string_view kind = op.text("kind");
  auto axis = op.integer("axis", 0), rank = static_cast<int64_t>(shape.size());
  axis += axis < 0 ? rank : 0;
  if (kind == "broadcast")
    return checkBroadcast(op, shape);
  if (kind == "concat")
    return checkConcat(op, shape);
  if (kind != "coordinates" && kind != "diagonal" && (axis < 0 || axis >= rank))
    return Status::ok();
  if (isOfNothing(kind, shape, static_cast<size_t>(axis)))
    return Status::ok();
  return visitNumbers(op.input(0).dtype(), [&]<typename T>() -> Status {
    if constexpr (!std::is_integral_v<T>)
      return unsupportedType(op.input(0).dtype());
    else if (kind == "coordinates")
      return checkCoordinates<T>(op, shape);
    else if (kind == "diagonal")
      return checkDiagonals<T>(op, shape);
    else
      return checkAll<T>(op, kind, shape[static_cast<size_t>(axis)]);
  });
}
