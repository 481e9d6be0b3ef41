//===- StringNGrams.cpp - N-grams of rows of strings ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

namespace {

/// One call of the op: its inputs and attributes.
class NGramsOp {
public:
  explicit NGramsOp(OpKernelContext &op)
      : op(op), data(op.input(0)), splits(op.input(1)),
        widths(op.integers("ngram_widths")), separator(op.text("separator")),
        leftPad(op.text("left_pad")), rightPad(op.text("right_pad")),
        padWidth(op.integer("pad_width", 0)),
        preservesShort(op.flag("preserve_short_sequences")) {}

  Status run();

private:
  Status checkSplits() const;
  int64_t paddingOf(int64_t width) const;
  bool countRow(size_t row, int64_t &count) const;
  int64_t rowSize(size_t row) const {
    return splits.integer(row + 1) - splits.integer(row);
  }
  Expected<ingot_string> ngram(size_t row, int64_t width, int64_t index);
  Status writeRow(size_t row, std::span<ingot_string> out);

  OpKernelContext &op;
  OpInput data, splits;
  std::span<const int64_t> widths;
  std::string_view separator, leftPad, rightPad;
  int64_t padWidth;
  bool preservesShort;
  std::string text; // of the current n-gram
};

} // namespace

Status NGramsOp::checkSplits() const {
  int64_t last = 0, size = data.numElements();
  for (size_t i = 0; i < static_cast<size_t>(splits.numElements()); ++i) {
    int64_t split = splits.integer(i);
    if (i == 0 && split != 0)
      return op.invalid("First split value must be 0, got " +
                        std::to_string(split));
    if (split < last || split > size)
      return op.invalid("Invalid split value " + std::to_string(split) +
                        ", must be in [" + std::to_string(last) + ", " +
                        std::to_string(size) + "]");
    last = split;
  }
  if (splits.numElements() > 0 && last != size)
    return op.invalid("Last split value must be data size. Expected " +
                      std::to_string(size) + ", got " + std::to_string(last));
  return Status::ok();
}

/// Returns how many padding strings a row gets on each side for n-grams of
/// `width` strings. It is less than `width`, so that no n-gram consists of one
/// side's padding only.
int64_t NGramsOp::paddingOf(int64_t width) const {
  return padWidth < 0 ? width - 1 : std::min(padWidth, width - 1);
}

/// Sets `count` to the number of n-grams of a row. Returns false if the number
/// overflows.
bool NGramsOp::countRow(size_t row, int64_t &count) const {
  count = 0;
  for (int64_t width : widths)
    if (int64_t more = rowSize(row) + 2 * paddingOf(width) - width + 1;
        more > 0 && __builtin_add_overflow(count, more, &count))
      return false;
  // A row that is too short for any n-gram becomes a single n-gram, with the
  // padding strings on both sides.
  if (count == 0 && preservesShort && rowSize(row) > 0)
    count = 1;
  return true;
}

/// Returns the n-gram of `width` strings with the index `index` in a row.
Expected<ingot_string> NGramsOp::ngram(size_t row, int64_t width,
                                       int64_t index) {
  int64_t padding = paddingOf(width), size = rowSize(row);
  text.clear();
  for (int64_t i = index - padding; i < index - padding + width; ++i) {
    if (i != index - padding)
      text += separator;
    text += i < 0 ? leftPad
            : i >= size
                ? rightPad
                : data.text(static_cast<size_t>(splits.integer(row) + i));
  }
  return op.string(text);
}

Status NGramsOp::writeRow(size_t row, std::span<ingot_string> out) {
  size_t next = 0;
  for (int64_t width : widths) {
    int64_t count = rowSize(row) + 2 * paddingOf(width) - width + 1;
    for (int64_t i = 0; i < count; ++i) {
      INGOT_ASSIGN_OR_RETURN(out[next], ngram(row, width, i));
      ++next;
    }
  }
  if (next < out.size()) {
    int64_t width = rowSize(row) + 2 * std::max<int64_t>(padWidth, 0);
    INGOT_ASSIGN_OR_RETURN(out[next], ngram(row, width, 0));
  }
  return Status::ok();
}

Status NGramsOp::run() {
  INGOT_RETURN_IF_ERROR(checkSplits());
  auto write = [&]<typename T>() {
    INGOT_ASSIGN_OR_RETURN(auto rowEnds, op.output<T>(1, splits.dims()));
    std::ranges::fill(rowEnds, T(0));
    // As in TensorFlow, there are no n-grams if there is no data, not even ones
    // of padding strings. If there are no rows, the result has an empty string
    // for each element of the data.
    if (data.numElements() == 0 || rowEnds.empty()) {
      INGOT_ASSIGN_OR_RETURN(auto none,
                             op.output<ingot_string>(0, data.dims()));
      std::ranges::fill(none, ingot_string{"", 0});
      return Status::ok();
    }
    int64_t total = 0;
    for (size_t row = 0; row + 1 < rowEnds.size(); ++row) {
      int64_t count = 0;
      if (!countRow(row, count) ||
          __builtin_add_overflow(total, count, &total) ||
          total > std::numeric_limits<T>::max())
        return op.invalid("Pad width could lead to integer overflow, got "
                          "pad_width = " +
                          std::to_string(padWidth));
      rowEnds[row + 1] = static_cast<T>(total);
    }
    INGOT_ASSIGN_OR_RETURN(auto out, op.output<ingot_string>(0, {total}));
    for (size_t row = 0; row + 1 < rowEnds.size(); ++row)
      INGOT_RETURN_IF_ERROR(writeRow(
          row,
          out.subspan(static_cast<size_t>(rowEnds[row]),
                      static_cast<size_t>(rowEnds[row + 1] - rowEnds[row]))));
    return Status::ok();
  };
  return splits.dtype() == INGOT_INT64 ? write.template operator()<int64_t>()
                                       : write.template operator()<int32_t>();
}

INGOT_RUNTIME_OP(string_ngrams) { return NGramsOp(op).run(); }
