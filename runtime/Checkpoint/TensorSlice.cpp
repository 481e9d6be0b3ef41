//===- TensorSlice.cpp - Part of a tensor, as text and as a key -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/TensorSlice.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace ingot;

namespace {

/// Parses a non-negative decimal number of at most 18 digits. Returns false if
/// `text` is anything else.
bool parseNumber(std::string_view text, int64_t &value) {
  if (text.empty() || text.size() > 18)
    return false;
  value = 0;
  for (char c : text) {
    if (c < '0' || c > '9')
      return false;
    value = value * 10 + (c - '0');
  }
  return true;
}

/// Removes the first field from `text`, up to `separator` or the end, and
/// returns it. The separator is removed too.
std::string_view takePart(std::string_view &text, char separator) {
  size_t end = text.find(separator);
  std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

// The following functions implement TensorFlow's OrderedCode, in which encoded
// values compare like the values themselves.

/// Appends an unsigned number in OrderedCode: the count of its bytes without
/// leading zeros, then these bytes, most significant first.
void appendNumber(std::string &out, uint64_t value) {
  std::string digits;
  for (; value != 0; value >>= 8)
    digits.insert(digits.begin(), static_cast<char>(value & 0xff));
  out.push_back(static_cast<char>(digits.size()));
  out += digits;
}

/// Appends a string in OrderedCode: 0x00 and 0xff are escaped, and the bytes
/// 0x00 0x01 mark the end.
void appendString(std::string &out, std::string_view text) {
  for (char c : text) {
    out.push_back(c);
    if (c == '\0')
      out.push_back('\xff');
    else if (c == '\xff')
      out.push_back('\0');
  }
  out.push_back('\0');
  out.push_back('\1');
}

/// Appends a signed number in OrderedCode. A number of n bytes begins with n
/// one bits and a zero bit; the other 7n - 1 bits are the value. For a negative
/// number v, the code of ~v is appended with all bits complemented.
void appendSignedNumber(std::string &out, int64_t value) {
  uint64_t magnitude =
      value < 0 ? ~static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  unsigned size = 1;
  while (size < 10 && (magnitude >> (7 * size - 1)) != 0)
    ++size;
  unsigned char bytes[10] = {};
  for (unsigned i = 0; i < size && i < 8; ++i)
    bytes[size - 1 - i] = static_cast<unsigned char>(magnitude >> (8 * i));
  for (unsigned bit = 0; bit < size; ++bit)
    bytes[bit / 8] |= static_cast<unsigned char>(0x80u >> (bit % 8));
  for (unsigned i = 0; i < size; ++i)
    out.push_back(static_cast<char>(value < 0 ? ~bytes[i] : bytes[i]));
}

} // namespace

std::string ingot::shapeText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0)
      text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::optional<int64_t> ingot::elementCount(const Shape &shape) {
  int64_t count = 1;
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    if (size == 0) {
      empty = true;
      continue;
    }
    // Checks the product of the nonzero dimensions for overflow, even if
    // another dimension is 0 and so the result is 0.
    if (count > std::numeric_limits<int64_t>::max() / size)
      return std::nullopt;
    count *= size;
  }
  return empty ? 0 : count;
}

bool TensorSlice::isFull() const {
  return std::all_of(extents.begin(), extents.end(),
                     [](const Extent &extent) { return extent.isFull(); });
}

Expected<TensorSlice> TensorSlice::within(const Shape &shape) const {
  TensorSlice box;
  if (extents.empty()) {
    for (int64_t size : shape)
      box.extents.push_back({0, size});
    return box;
  }
  if (extents.size() != shape.size())
    return Status(
        StatusCode::InvalidArgument,
        "slice '" + text() + "' has " + std::to_string(extents.size()) +
            " dimensions, but its tensor of shape " + shapeText(shape) +
            " has " + std::to_string(shape.size()));
  for (size_t d = 0; d < shape.size(); ++d) {
    Extent extent = extents[d];
    if (extent.isFull() && extent.start == 0)
      extent.length = shape[d];
    if (extent.start < 0 || extent.length < 0 || extent.start > shape[d] ||
        extent.length > shape[d] - extent.start)
      return Status(StatusCode::InvalidArgument,
                    "slice '" + text() +
                        "' reaches beyond its tensor, whose shape is " +
                        shapeText(shape));
    box.extents.push_back(extent);
  }
  return box;
}

Shape TensorSlice::shape() const {
  Shape shape;
  for (const Extent &extent : extents)
    shape.push_back(extent.length);
  return shape;
}

std::string TensorSlice::text() const {
  std::string text;
  for (const Extent &extent : extents) {
    if (!text.empty())
      text += ':';
    text += extent.isFull() ? "-"
                            : std::to_string(extent.start) + "," +
                                  std::to_string(extent.length);
  }
  return text;
}

Expected<ShapeAndSlice> ingot::parseShapeAndSlice(std::string_view text) {
  auto failure = [&](const std::string &reason) {
    return Status(StatusCode::InvalidArgument,
                  "slice specification '" + std::string(text) + "': " + reason);
  };
  size_t space = text.rfind(' ');
  if (space == std::string_view::npos)
    return failure("expected the dimensions of the full tensor, a space, and "
                   "one extent per dimension, such as '4 10 0,2:-'");
  ShapeAndSlice result;
  std::string_view dimensions = text.substr(0, space);
  while (!dimensions.empty()) {
    std::string_view part = takePart(dimensions, ' ');
    int64_t size;
    if (!parseNumber(part, size))
      return failure("'" + std::string(part) +
                     "' isn't a dimension, expected a whole number");
    result.fullShape.push_back(size);
  }
  std::string_view slices = text.substr(space + 1);
  while (!slices.empty()) {
    std::string_view part = takePart(slices, ':');
    TensorSlice::Extent extent;
    if (part != "-") {
      std::string_view length = part, start = takePart(length, ',');
      if (!parseNumber(start, extent.start) ||
          !parseNumber(length, extent.length))
        return failure("'" + std::string(part) +
                       "' isn't an extent, expected 'START,LENGTH', or '-' for "
                       "the whole dimension");
    }
    result.slice.extents.push_back(extent);
  }
  if (result.slice.extents.size() != result.fullShape.size())
    return failure("expected one extent per dimension, found " +
                   std::to_string(result.slice.extents.size()) +
                   " extents for " + std::to_string(result.fullShape.size()) +
                   " dimensions");
  if (Expected<TensorSlice> box = result.slice.within(result.fullShape); !box)
    return failure(box.status().message());
  return result;
}

std::string ingot::encodeSliceKey(std::string_view name,
                                  const TensorSlice &slice) {
  std::string key;
  appendNumber(key, 0);
  appendString(key, name);
  appendNumber(key, slice.extents.size());
  for (const TensorSlice::Extent &extent : slice.extents) {
    appendSignedNumber(key, extent.start);
    appendSignedNumber(key, extent.length);
  }
  return key;
}

std::optional<TensorSlice> ingot::intersect(const TensorSlice &a,
                                            const TensorSlice &b) {
  TensorSlice shared;
  for (size_t d = 0; d < a.extents.size(); ++d) {
    const TensorSlice::Extent &x = a.extents[d], &y = b.extents[d];
    int64_t start = std::max(x.start, y.start);
    int64_t end = std::min(x.start + x.length, y.start + y.length);
    if (end <= start)
      return std::nullopt;
    shared.extents.push_back({start, end - start});
  }
  return shared;
}

std::optional<std::pair<size_t, size_t>>
ingot::findOverlap(const std::vector<TensorSlice> &boxes) {
  if (boxes.size() < 2 || boxes.front().extents.empty())
    return std::nullopt;
  // Finds the dimension along which the boxes have the most distinct starts.
  // After sorting along it, each box is compared only with those that start
  // before its end. For a tensor that is partitioned along one dimension this
  // avoids comparing all pairs.
  size_t best = 0, bestCount = 0;
  for (size_t d = 0; d < boxes.front().extents.size(); ++d) {
    std::vector<int64_t> starts;
    for (const TensorSlice &box : boxes)
      starts.push_back(box.extents[d].start);
    std::sort(starts.begin(), starts.end());
    auto count = static_cast<size_t>(std::unique(starts.begin(), starts.end()) -
                                     starts.begin());
    if (count > bestCount) {
      best = d;
      bestCount = count;
    }
  }
  std::vector<size_t> order(boxes.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto start = [&](size_t i) { return boxes[i].extents[best].start; };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return start(a) < start(b); });
  for (size_t i = 0; i < order.size(); ++i) {
    int64_t end = start(order[i]) + boxes[order[i]].extents[best].length;
    for (size_t j = i + 1; j < order.size() && start(order[j]) < end; ++j)
      if (intersect(boxes[order[i]], boxes[order[j]]))
        return std::pair(std::min(order[i], order[j]),
                         std::max(order[i], order[j]));
  }
  return std::nullopt;
}

void ingot::copySharedElements(const TensorSlice &from, int64_t begin,
                               int64_t count, const TensorSlice &to,
                               size_t elementSize, const char *bytes,
                               char *destination) {
  forEachSharedRun(
      from, begin, count, to,
      [&](int64_t toIndex, int64_t fromIndex, int64_t run) {
        std::memcpy(destination + static_cast<size_t>(toIndex) * elementSize,
                    bytes +
                        static_cast<size_t>(fromIndex - begin) * elementSize,
                    static_cast<size_t>(run) * elementSize);
      });
}
