//===- ParseFeatureLists.cpp - Feature lists of SequenceExamples ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// A SequenceExample has a map of feature lists. Each feature list is a sequence
// of Features, which are called its rows here. If a key has several map
// entries, the last one is used, as in protobuf.
//===----------------------------------------------------------------------===//
#include "runtime/Input/FeatureReader.h"
#include "runtime/Input/ParseExample.h"
#include "runtime/Input/Tensor.h"
#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;
using namespace ingot::input;

/// Calls `function.operator()<T>()` with the C++ type of a feature's values:
/// float, int64 or string.
template <typename FunctionT>
static Status visitFeature(int32_t dtype, FunctionT function) {
  if (dtype == INGOT_FLOAT)
    return function.template operator()<float>();
  if (dtype == INGOT_INT64)
    return function.template operator()<int64_t>();
  return function.template operator()<ingot_string>();
}

namespace {

/// The feature list of one key in all SequenceExamples.
struct FeatureList {
  std::string_view key;
  int32_t dtype = 0;
  /// The shape of each row of a dense list, and its number of elements; -1 if
  /// rows may have any number of values.
  std::span<const int64_t> shape;
  int64_t elements = -1;
  bool mayBeMissing = true;
  /// The values of all rows, and the end of each row: the index after its last
  /// value.
  VarLenFeature rows;
  /// For each SequenceExample, the index in `rows` after its last row.
  std::vector<int64_t> ends;
  /// The bytes of the key's map entry in the current SequenceExample.
  std::string_view entry;
  bool found = false;
};

/// One call of the op `parse_feature_lists`. Its outputs are those of the
/// sparse lists (three each), then those of the dense ones (two each), then
/// those of the ragged ones (three each).
class FeatureListParser {
public:
  explicit FeatureListParser(OpKernelContext &op)
      : op(op), serialized(op.input(0)), isBatch(serialized.rank() == 1),
        numSparse(op.texts("sparse_keys").size()),
        numDense(op.texts("dense_keys").size()),
        numRagged(op.texts("ragged_keys").size()), firstDense(3 * numSparse),
        firstRagged(firstDense + 2 * numDense) {}

  Status run();

private:
  Status prepare();
  bool findEntries(std::string_view example);
  bool noteEntry(std::string_view entry);
  Status parse(size_t example);
  template <typename T> Status readList(FeatureList &list, size_t example);
  template <typename T>
  Status readRow(FeatureList &list, std::string_view bytes, size_t row,
                 size_t example);
  Status writeValues(size_t output, FeatureList &list);
  Status writeSparse(size_t i);
  Status writeDense(size_t i);
  Status writeRagged(size_t i);

  OpKernelContext &op;
  OpInput serialized;
  bool isBatch;
  size_t numSparse, numDense, numRagged, firstDense, firstRagged;
  std::vector<FeatureList> lists; // sparse, dense, ragged
};

} // namespace

Status FeatureListParser::prepare() {
  auto add = [&](const char *keys, size_t firstValues) {
    for (const ingot_string &key : op.texts(keys)) {
      FeatureList &list = lists.emplace_back();
      list.key = view(key);
      list.dtype = op.outputType(firstValues++);
    }
  };
  add("sparse_keys", numSparse);
  add("dense_keys", firstDense);
  add("ragged_keys", firstRagged);
  std::span<const int64_t> dims = op.integers("dense_shapes");
  OpInput assumedEmpty = op.input(1);
  if (assumedEmpty.numElements() != static_cast<int64_t>(numDense))
    return op.invalid("Expected len(feature_list_dense_missing_assumed_empty) "
                      "to match Nfeature_list_dense, but it is " +
                      std::to_string(assumedEmpty.numElements()) + " for " +
                      std::to_string(numDense) + " dense feature lists");
  for (size_t i = 0; i < numDense; ++i) {
    FeatureList &list = lists[numSparse + i];
    size_t rank = op.outputRank(firstDense + i) - 1 - isBatch;
    list.shape = dims.first(rank);
    dims = dims.subspan(rank);
    if (!countElements(list.shape, list.elements))
      return op.invalid("feature list '" + std::string(list.key) + "': shape " +
                        dimsText(list.shape) + " is too large for memory");
    list.mayBeMissing = assumedEmpty.as<bool>()[i];
  }
  return Status::ok();
}

bool FeatureListParser::noteEntry(std::string_view bytes) {
  std::string_view key;
  uint32_t field = 0, type = 0;
  for (ProtoWireReader entry(bytes); !entry.atEnd();) {
    if (!entry.readTag(field, type))
      return false;
    if (field == 1 && type == Delimited ? !entry.readDelimited(key)
                                        : !entry.skip(field, type))
      return false;
  }
  for (FeatureList &list : lists)
    if (list.key == key) {
      list.entry = bytes;
      list.found = true;
    }
  return true;
}

// Finds the map entries of the lists: they are field 1 of the message
// `feature_lists`, which is field 2 of a SequenceExample.
bool FeatureListParser::findEntries(std::string_view bytes) {
  uint32_t field = 0, type = 0;
  std::string_view map, entry;
  for (ProtoWireReader example(bytes); !example.atEnd();) {
    if (!example.readTag(field, type))
      return false;
    if (field != 2 || type != Delimited) {
      if (!example.skip(field, type))
        return false;
      continue;
    }
    if (!example.readDelimited(map))
      return false;
    for (ProtoWireReader entries(map); !entries.atEnd();) {
      if (!entries.readTag(field, type))
        return false;
      if (field == 1 && type == Delimited
              ? !entries.readDelimited(entry) || !noteEntry(entry)
              : !entries.skip(field, type))
        return false;
    }
  }
  return true;
}

template <typename T>
Status FeatureListParser::readRow(FeatureList &list, std::string_view bytes,
                                  size_t row, size_t example) {
  static constexpr ListKind expected = std::is_same_v<T, float>     ? FloatList
                                       : std::is_same_v<T, int64_t> ? Int64List
                                                                    : BytesList;
  FeatureValueSink<T> values(list.rows.of<T>());
  ListKind found = NoList;
  auto fail = [&](const std::string &what) {
    return op.invalid("Feature list: " + std::string(list.key) +
                      ", Index: " + std::to_string(row) + ".  " + what +
                      " in example " + std::to_string(example));
  };
  if (!mergeFeature(bytes, expected, values, found))
    return fail("Malformed bytes instead of a Feature");
  if (found != NoList && found != expected)
    return fail(std::string("Data types don't match. Expected type: ") +
                listName(expected) + ", found " + listName(found));
  if (list.elements >= 0 &&
      values.count() != static_cast<uint64_t>(list.elements))
    return fail("Number of values != expected.  values size: " +
                std::to_string(values.count()) +
                " but output shape: " + dimsText(list.shape));
  list.rows.ends.push_back(static_cast<int64_t>(list.rows.of<T>().size()));
  return Status::ok();
}

template <typename T>
Status FeatureListParser::readList(FeatureList &list, size_t example) {
  uint32_t field = 0, type = 0;
  std::string_view bytes, feature;
  size_t row = 0;
  auto malformed = [&] {
    return op.invalid("Invalid protocol message input, example id: " +
                      std::to_string(example) + ": feature list '" +
                      std::string(list.key) + "' is malformed");
  };
  for (ProtoWireReader entry(list.entry); !entry.atEnd();) {
    if (!entry.readTag(field, type))
      return malformed();
    if (field != 2 || type != Delimited) {
      if (!entry.skip(field, type))
        return malformed();
      continue;
    }
    if (!entry.readDelimited(bytes))
      return malformed();
    for (ProtoWireReader features(bytes); !features.atEnd();) {
      if (!features.readTag(field, type))
        return malformed();
      if (field != 1 || type != Delimited) {
        if (!features.skip(field, type))
          return malformed();
        continue;
      }
      if (!features.readDelimited(feature))
        return malformed();
      INGOT_RETURN_IF_ERROR(readRow<T>(list, feature, row++, example));
    }
  }
  return Status::ok();
}

Status FeatureListParser::parse(size_t example) {
  for (FeatureList &list : lists)
    list.found = false;
  if (!findEntries(serialized.text(example)))
    return op.invalid("Invalid protocol message input, example id: " +
                      std::to_string(example) + ": " +
                      std::to_string(serialized.text(example).size()) +
                      " bytes are not a tf.train.SequenceExample");
  for (FeatureList &list : lists) {
    if (list.found)
      INGOT_RETURN_IF_ERROR(visitFeature(list.dtype, [&]<typename T>() {
        return readList<T>(list, example);
      }));
    else if (!list.mayBeMissing)
      return op.invalid(
          "Feature list '" + std::string(list.key) +
          "' is required but could not be found.  Did you mean to include it "
          "in feature_list_dense_missing_assumed_empty? Example " +
          std::to_string(example) + " lacks it");
    list.ends.push_back(static_cast<int64_t>(list.rows.ends.size()));
  }
  return Status::ok();
}

/// Returns the size of the largest group, where group i ends at ends[i] and
/// begins where the previous group ends. The first group begins at 0.
static int64_t largestStep(const std::vector<int64_t> &ends) {
  int64_t largest = 0, begin = 0;
  for (int64_t end : ends) {
    largest = std::max(largest, end - begin);
    begin = end;
  }
  return largest;
}

/// Writes the values of all rows, one after the other.
Status FeatureListParser::writeValues(size_t output, FeatureList &list) {
  return visitFeature(list.dtype, [&]<typename T>() {
    const std::vector<T> &values = list.rows.of<T>();
    INGOT_ASSIGN_OR_RETURN(
        auto out, op.output<T>(output, {static_cast<int64_t>(values.size())}));
    std::ranges::copy(values, out.begin());
    return Status::ok();
  });
}

// Writes a sparse list. The coordinates of a value are the indices of its
// example, of its row in the list, and of the value in the row.
Status FeatureListParser::writeSparse(size_t i) {
  FeatureList &list = lists[i];
  const std::vector<int64_t> &rowEnds = list.rows.ends;
  int64_t rank = isBatch ? 3 : 2;
  int64_t count = rowEnds.empty() ? 0 : rowEnds.back();
  INGOT_ASSIGN_OR_RETURN(auto indices, op.output<int64_t>(i, {count, rank}));
  auto next = indices.begin();
  int64_t firstRow = 0, value = 0;
  for (size_t example = 0; example < list.ends.size(); ++example) {
    for (int64_t row = firstRow; row < list.ends[example]; ++row)
      for (int64_t first = value; value < rowEnds[static_cast<size_t>(row)];
           ++value) {
        if (isBatch)
          *next++ = static_cast<int64_t>(example);
        *next++ = row - firstRow;
        *next++ = value - first;
      }
    firstRow = list.ends[example];
  }
  INGOT_RETURN_IF_ERROR(writeValues(numSparse + i, list));
  INGOT_ASSIGN_OR_RETURN(auto shape,
                         op.output<int64_t>(2 * numSparse + i, {rank}));
  auto size = shape.begin();
  if (isBatch)
    *size++ = serialized.numElements();
  *size++ = largestStep(list.ends);
  *size++ = largestStep(rowEnds);
  return Status::ok();
}

// Writes a dense list, padded with zeros or empty strings to the number of rows
// of the longest list, and the number of rows in each example.
Status FeatureListParser::writeDense(size_t i) {
  FeatureList &list = lists[numSparse + i];
  int64_t longest = largestStep(list.ends);
  std::vector<int64_t> dims(serialized.dims().begin(), serialized.dims().end());
  dims.push_back(longest);
  dims.insert(dims.end(), list.shape.begin(), list.shape.end());
  INGOT_RETURN_IF_ERROR(visitFeature(list.dtype, [&]<typename T>() {
    INGOT_ASSIGN_OR_RETURN(auto out, op.output<T>(firstDense + i, dims));
    T none{};
    if constexpr (std::is_same_v<T, ingot_string>)
      none = {"", 0};
    std::ranges::fill(out, none);
    const std::vector<T> &values = list.rows.of<T>();
    auto example = out.begin();
    int64_t begin = 0;
    for (int64_t end : list.ends) {
      std::copy(values.begin() + begin * list.elements,
                values.begin() + end * list.elements, example);
      example += longest * list.elements;
      begin = end;
    }
    return Status::ok();
  }));
  INGOT_ASSIGN_OR_RETURN(
      auto lengths,
      op.output<int64_t>(firstDense + numDense + i, serialized.dims()));
  for (size_t example = 0; example < lengths.size(); ++example)
    lengths[example] =
        list.ends[example] - (example ? list.ends[example - 1] : 0);
  return Status::ok();
}

// Writes a ragged list: the values, the outer splits (the rows of each example)
// and the inner splits (the values of each row). For a single example the outer
// splits are the scalar 0; TensorFlow leaves this scalar uninitialized.
Status FeatureListParser::writeRagged(size_t i) {
  FeatureList &list = lists[numSparse + numDense + i];
  INGOT_RETURN_IF_ERROR(writeValues(firstRagged + i, list));
  size_t outer = firstRagged + numRagged + i, inner = outer + numRagged;
  auto write = [&]<typename T>() {
    auto copyEnds = [](std::span<T> splits, const std::vector<int64_t> &ends) {
      splits[0] = 0;
      for (size_t row = 1; row < splits.size(); ++row)
        splits[row] = static_cast<T>(ends[row - 1]);
    };
    std::vector<int64_t> dims;
    if (isBatch)
      dims.push_back(serialized.numElements() + 1);
    INGOT_ASSIGN_OR_RETURN(auto outerSplits, op.output<T>(outer, dims));
    copyEnds(outerSplits, list.ends);
    INGOT_ASSIGN_OR_RETURN(
        auto innerSplits,
        op.output<T>(inner, {std::ssize(list.rows.ends) + 1}));
    copyEnds(innerSplits, list.rows.ends);
    return Status::ok();
  };
  return op.outputType(outer) == INGOT_INT64
             ? write.template operator()<int64_t>()
             : write.template operator()<int32_t>();
}

Status FeatureListParser::run() {
  INGOT_RETURN_IF_ERROR(prepare());
  for (size_t i = 0; i < static_cast<size_t>(serialized.numElements()); ++i)
    INGOT_RETURN_IF_ERROR(parse(i));
  for (size_t i = 0; i < numSparse; ++i)
    INGOT_RETURN_IF_ERROR(writeSparse(i));
  for (size_t i = 0; i < numDense; ++i)
    INGOT_RETURN_IF_ERROR(writeDense(i));
  for (size_t i = 0; i < numRagged; ++i)
    INGOT_RETURN_IF_ERROR(writeRagged(i));
  return Status::ok();
}

INGOT_RUNTIME_OP(parse_feature_lists) { return FeatureListParser(op).run(); }
