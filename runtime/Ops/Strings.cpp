//===- Strings.cpp - Joins, changes and compares strings ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/Broadcast.h"
#include "runtime/Ops/Hash.h"
#include "runtime/Ops/OpKernelContext.h"
#include "runtime/Ops/Utf8.h"

#include <numeric>
#include <optional>

using namespace ingot;
using namespace ingot::ops;

/// Computes each element of output 0 by `function` from the same element of
/// input 0.
template <typename FunctionT>
static Status mapTexts(OpKernelContext &op, FunctionT function) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, input.dims()));
  for (size_t i = 0; i < output.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(function(input.text(i))));
  }
  return Status::ok();
}

static char toLower(char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }
static char toUpper(char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; }
static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

INGOT_RUNTIME_OP(string_lower) {
  return mapTexts(op, [](std::string_view text) {
    std::string changed(text);
    std::transform(changed.begin(), changed.end(), changed.begin(), toLower);
    return changed;
  });
}

INGOT_RUNTIME_OP(string_upper) {
  return mapTexts(op, [](std::string_view text) {
    std::string changed(text);
    std::transform(changed.begin(), changed.end(), changed.begin(), toUpper);
    return changed;
  });
}

INGOT_RUNTIME_OP(string_strip) {
  return mapTexts(op, [](std::string_view text) {
    while (!text.empty() && isSpace(text.front()))
      text.remove_prefix(1);
    while (!text.empty() && isSpace(text.back()))
      text.remove_suffix(1);
    return text;
  });
}

INGOT_RUNTIME_OP(string_length) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto lengths, op.output<int32_t>(0, input.dims()));
  bool countsCharacters = op.text("unit", "BYTE") == "UTF8_CHAR";
  for (size_t i = 0; i < lengths.size(); ++i) {
    std::string_view text = input.text(i);
    lengths[i] =
        static_cast<int32_t>(countsCharacters ? countUtf8(text) : text.size());
  }
  return Status::ok();
}

// Implements StringJoin: joins the elements at the same index of all inputs. An
// input that is a scalar is used at every index.
INGOT_RUNTIME_OP(string_join) {
  Dims dims;
  bool hasShape = false;
  for (size_t i = 0; i < op.numInputs(); ++i) {
    Dims own = op.input(i).dims();
    if (own.empty())
      continue;
    if (hasShape &&
        !std::equal(own.begin(), own.end(), dims.begin(), dims.end()))
      return op.invalid("inputs that are not scalars must have the same shape, "
                        "but have shapes " +
                        dimsText(dims) + " and " + dimsText(own));
    dims = own;
    hasShape = true;
  }
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, dims));
  std::string_view separator = op.text("separator");
  std::string text;
  for (size_t i = 0; i < output.size(); ++i) {
    text.clear();
    for (size_t k = 0; k < op.numInputs(); ++k) {
      OpInput input = op.input(k);
      text += k ? separator : "";
      text += input.text(input.rank() == 0 ? 0 : i);
    }
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(text));
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(string_equal) {
  OpInput a = op.input(0), b = op.input(1);
  INGOT_ASSIGN_OR_RETURN(Broadcast broadcast,
                         Broadcast::create(a.dims(), b.dims()));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<bool>(0, broadcast.dims()));
  bool isNegated = op.flag("negate");
  broadcast.forEach([&](size_t i, size_t left, size_t right) {
    output[i] = (a.text(left) == b.text(right)) != isNegated;
  });
  return Status::ok();
}

/// Sets `part` to `length` bytes or characters of `text` from `position` on.
/// Returns false if the position is outside the text.
static bool substring(std::string_view text, int64_t position, int64_t length,
                      bool countsCharacters, std::string_view &part) {
  auto size =
      static_cast<int64_t>(countsCharacters ? countUtf8(text) : text.size());
  if (position < -size || position > size)
    return false;
  int64_t begin = position < 0 ? position + size : position;
  int64_t end = begin + std::clamp<int64_t>(length, 0, size - begin);
  if (countsCharacters) {
    begin = static_cast<int64_t>(skipUtf8(text, static_cast<size_t>(begin)));
    end = static_cast<int64_t>(skipUtf8(text, static_cast<size_t>(end)));
  }
  part =
      text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  return true;
}

INGOT_RUNTIME_OP(substr) {
  OpInput texts = op.input(0), positions = op.input(1), lengths = op.input(2);
  if (positions.rank() != lengths.rank() ||
      !std::equal(positions.dims().begin(), positions.dims().end(),
                  lengths.dims().begin()))
    return op.invalid("positions of shape " + dimsText(positions.dims()) +
                      " and lengths of shape " + dimsText(lengths.dims()) +
                      " do not match: both must have the same shape");
  INGOT_ASSIGN_OR_RETURN(Broadcast broadcast,
                         Broadcast::create(texts.dims(), positions.dims()));
  INGOT_ASSIGN_OR_RETURN(auto output,
                         op.output<ingot_string>(0, broadcast.dims()));
  bool countsCharacters = op.text("unit", "BYTE") == "UTF8_CHAR";
  Status status;
  broadcast.forEach([&](size_t i, size_t text, size_t at) {
    std::string_view part;
    if (status.isOk() &&
        !substring(texts.text(text), positions.integer(at), lengths.integer(at),
                   countsCharacters, part))
      status = op.invalid("pos " + std::to_string(positions.integer(at)) +
                          " out of range for string at index " +
                          std::to_string(text));
    // The output's string refers to the bytes of the input, which remain valid,
    // so nothing is copied.
    output[i] = {part.data(), part.size()};
  });
  return status;
}

INGOT_RUNTIME_OP(string_to_hash_bucket) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto buckets, op.output<int64_t>(0, input.dims()));
  auto count = static_cast<uint64_t>(op.integer("num_buckets", 1));
  std::string_view method = op.text("method", "fast");
  auto key = op.integers("key");
  for (size_t i = 0; i < buckets.size(); ++i) {
    std::string_view text = input.text(i);
    uint64_t hash = method == "fast" ? farmFingerprint64(text)
                    : method == "strong"
                        ? sipHash(text, static_cast<uint64_t>(key[0]),
                                  static_cast<uint64_t>(key[1]))
                        : murmurHash64(text);
    buckets[i] = static_cast<int64_t>(hash % count);
  }
  return Status::ok();
}

// Implements ReduceJoin: concatenates all strings along the reduced axes to one
// string per remaining index.
INGOT_RUNTIME_OP(reduce_join) {
  OpInput input = op.input(0);
  std::vector<int64_t> axes = op.input(1).integers();
  auto rank = static_cast<int64_t>(input.rank());
  std::vector<bool> isReduced(input.rank());
  for (int64_t &axis : axes) {
    if (axis < -rank || axis >= rank)
      return op.invalid("axis " + std::to_string(axis) +
                        " is outside a tensor of rank " + std::to_string(rank));
    axis += axis < 0 ? rank : 0;
    if (isReduced[static_cast<size_t>(axis)])
      return op.invalid("axis " + std::to_string(axis) + " is given twice");
    isReduced[static_cast<size_t>(axis)] = true;
  }
  std::vector<int64_t> dims, strides(input.rank()), kept;
  int64_t stride = 1;
  for (size_t axis = input.rank(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= input.dim(axis);
  }
  for (size_t axis = 0; axis < input.rank(); ++axis) {
    if (!isReduced[axis]) {
      kept.push_back(static_cast<int64_t>(axis));
      dims.push_back(input.dim(axis));
    } else if (op.flag("keep_dims")) {
      dims.push_back(1);
    }
  }
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, dims));
  // TensorFlow joins strings in an order in which the index along the first
  // given axis changes fastest. offsetOf() lets the last axis change fastest,
  // so reverse the axes.
  std::reverse(axes.begin(), axes.end());
  // Returns the offset in the input of the `i`-th combination of indices along
  // axes `of`, the last of which varies fastest.
  auto offsetOf = [&](const std::vector<int64_t> &of, int64_t i) {
    int64_t offset = 0;
    for (size_t k = of.size(); k-- > 0;) {
      auto axis = static_cast<size_t>(of[k]);
      offset += i % input.dim(axis) * strides[axis];
      i /= input.dim(axis);
    }
    return offset;
  };
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= input.dim(static_cast<size_t>(axis));
  std::string_view separator = op.text("separator");
  std::string text;
  for (size_t i = 0; i < output.size(); ++i) {
    int64_t first = offsetOf(kept, static_cast<int64_t>(i));
    text.clear();
    for (int64_t k = 0; k < count; ++k) {
      text += k ? separator : "";
      text += input.text(static_cast<size_t>(first + offsetOf(axes, k)));
    }
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(text));
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(unsorted_segment_join) {
  OpInput input = op.input(0), ids = op.input(1);
  int64_t segments = op.input(2).integer(0);
  if (segments < 0)
    return op.invalid("num_segments must not be negative, but is " +
                      std::to_string(segments));
  if (ids.rank() > input.rank() ||
      !std::equal(ids.dims().begin(), ids.dims().end(), input.dims().begin()))
    return op.invalid("the shape of segment_ids, " + dimsText(ids.dims()) +
                      ", is not a prefix of the shape of the input, " +
                      dimsText(input.dims()));
  std::vector<int64_t> dims = {segments};
  dims.insert(dims.end(), input.dims().begin() + ids.rank(),
              input.dims().end());
  size_t row = 1;
  for (size_t axis = ids.rank(); axis < input.rank(); ++axis)
    row *= static_cast<size_t>(input.dim(axis));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, dims));
  std::vector<std::optional<std::string>> joined(output.size());
  for (int64_t i = 0; i < ids.numElements(); ++i) {
    int64_t id = ids.integer(static_cast<size_t>(i));
    if (id < 0 || id >= segments)
      return op.invalid("segment_ids are not allowed to exceed num_segments or "
                        "to have negative values: id " +
                        std::to_string(i) + " is " + std::to_string(id) +
                        ", which is not in [0, " + std::to_string(segments) +
                        ")");
    for (size_t k = 0; k < row; ++k) {
      auto &text = joined[static_cast<size_t>(id) * row + k];
      std::string_view part = input.text(static_cast<size_t>(i) * row + k);
      if (text)
        text->append(op.text("separator")).append(part);
      else
        text = part;
    }
  }
  for (size_t i = 0; i < output.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(joined[i].value_or("")));
  }
  return Status::ok();
}
