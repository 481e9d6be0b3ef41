//===- FeedValue.cpp - Parses the value of a feed -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedValue.h"

#include "runtime/CommandLine/Evaluation/PredictionRows.h"
#include "runtime/Formats/Npy.h"
#include "runtime/Formats/NpzReader.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>

using namespace ingot;

Status FeedValue::allocate(const ingot_tensor_spec &spec,
                           std::vector<int64_t> shape) {
  dims = std::move(shape);
  dtype = spec.dtype;
  int64_t bytes = byteSizeOf(described(spec));
  if (bytes < 0)
    return Status(StatusCode::InvalidArgument,
                  "feed '" + std::string(spec.name) + "' is too large: " +
                      typeText(described(spec)) + " has 2^63 bytes or more");
  INGOT_ASSIGN_OR_RETURN(
      buffer,
      AlignedBuffer::allocate(static_cast<uint64_t>(bytes), "the feeds"));
  return Status::ok();
}

ingot_tensor_spec FeedValue::described(const ingot_tensor_spec &spec) const {
  return {spec.name, spec.dtype, spec.rank, dims.data()};
}

ingot_tensor FeedValue::tensor() {
  return {data(), dims.data(), static_cast<uint32_t>(dims.size()), dtype};
}

Status FeedValue::read(FileSystem &fileSystem, const std::string &path,
                       ingot_tensor_spec spec, bool dynamicBatch) {
  std::vector<int64_t> open = shapeOf(spec);
  if (dynamicBatch && !open.empty()) {
    open[0] = -1;
    spec.dims = open.data();
  }
  auto [archive, name] = splitNpzPath(path);
  std::unique_ptr<RandomAccessFile> file;
  if (archive.ends_with(".npz")) {
    INGOT_ASSIGN_OR_RETURN(NpzReader npz, NpzReader::open(fileSystem, archive));
    INGOT_ASSIGN_OR_RETURN(
        file, npz.array(name.empty() ? columnName(spec.name) : name));
  } else {
    INGOT_ASSIGN_OR_RETURN(file, fileSystem.openForReading(path));
  }
  INGOT_ASSIGN_OR_RETURN(std::vector<int64_t> found, readNpyShape(*file, path));
  INGOT_RETURN_IF_ERROR(allocateLike(spec, found));
  // Expect the array's own sizes for dynamic dimensions. If its rank differs,
  // keep `spec`, so that the error message shows which dimensions are dynamic.
  ingot_tensor_spec expected =
      found.size() == spec.rank ? described(spec) : spec;
  if (spec.dtype != INGOT_STRING)
    return readNpy(*file, path, expected, data());
  INGOT_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                         readNpyStrings(*file, path, expected));
  auto *element = static_cast<ingot_string *>(data());
  for (std::string &text : texts) {
    const std::string &kept = strings.emplace_back(std::move(text));
    *element++ = {kept.data(), kept.size()};
  }
  return Status::ok();
}

Status FeedValue::allocateLike(const ingot_tensor_spec &spec,
                               const std::vector<int64_t> &found) {
  std::vector<int64_t> shape = shapeOf(spec);
  // Replace only the dynamic dimensions by the array's sizes. If another
  // dimension differs, the reader reports it.
  if (found.size() == shape.size())
    for (size_t dim = 0; dim < shape.size(); ++dim)
      if (shape[dim] < 0)
        shape[dim] = found[dim];
  for (int64_t &dim : shape)
    dim = std::max<int64_t>(dim, 0);
  return allocate(spec, std::move(shape));
}

/// Returns the length of the first list at each nesting depth of `text`: {2, 3}
/// for "[[1,2,3],[4,5,6]]".
static std::vector<int64_t> lengthsOfLists(std::string_view text) {
  std::vector<int64_t> lengths;
  std::vector<bool> open; // whether each open list is the first at its depth
  bool quoted = false, hasContent = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      i += c == '\\';
      quoted = c != '"';
    } else if (c == '"') {
      quoted = hasContent = true;
    } else if (c == '[') {
      bool isFirst = open.size() == lengths.size();
      if (isFirst)
        lengths.push_back(0);
      open.push_back(isFirst);
      hasContent = false;
    } else if (c == ']' || c == ',') {
      if (open.empty())
        return lengths;
      if (open.back() && hasContent)
        ++lengths[open.size() - 1];
      hasContent = c == ']';
      if (c == ']')
        open.pop_back();
    } else {
      hasContent |= c != ' ';
    }
  }
  return lengths;
}

namespace {

/// Parses nested lists such as "[[1,2],[3,4]]" into the elements of a tensor.
class NestedListParser {
public:
  NestedListParser(std::string_view text, const ingot_tensor_spec &spec,
                   char *data, std::deque<std::string> &strings)
      : text(text), rest(text), spec(spec), data(data), strings(strings) {}

  Status parse() {
    INGOT_RETURN_IF_ERROR(parseDimension(0));
    skipSpace();
    return rest.empty() ? Status::ok() : unexpected("the end");
  }

private:
  void skipSpace() {
    while (!rest.empty() && rest.front() == ' ')
      rest.remove_prefix(1);
  }
  bool take(char c) {
    skipSpace();
    if (!rest.starts_with(c))
      return false;
    rest.remove_prefix(1);
    return true;
  }
  Status unexpected(const std::string &expected) const {
    return Status(StatusCode::InvalidArgument,
                  "feed '" + std::string(spec.name) + "', " + typeText(spec) +
                      ": at character " +
                      std::to_string(text.size() - rest.size()) + " expected " +
                      expected + ", found '" + std::string(rest.substr(0, 20)) +
                      "'");
  }

  Status parseDimension(uint32_t dim) {
    if (dim == spec.rank)
      return parseElementText();
    if (!take('['))
      return unexpected("'['");
    for (int64_t i = 0; i < spec.dims[dim]; ++i) {
      if (i > 0 && !take(','))
        return unexpected("',' and " + std::to_string(spec.dims[dim] - i) +
                          " further elements");
      INGOT_RETURN_IF_ERROR(parseDimension(dim + 1));
    }
    return take(']') ? Status::ok()
                     : unexpected("']' after " +
                                  std::to_string(spec.dims[dim]) + " elements");
  }

  Status parseElementText() {
    skipSpace();
    if (spec.dtype == INGOT_STRING)
      return parseString();
    size_t end = spec.rank == 0 ? rest.size() : rest.find_first_of(",] ");
    if (!parseElement(rest.substr(0, end), spec.dtype, data))
      return unexpected(dtypeName(spec.dtype));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
    data += dtypeSize(spec.dtype);
    return Status::ok();
  }

  Status parseString() {
    std::string &value = strings.emplace_back();
    if (take('"')) {
      while (!rest.starts_with('"')) {
        if (rest.starts_with('\\'))
          rest.remove_prefix(1);
        if (rest.empty())
          return unexpected("'\"'");
        value += rest.front();
        rest.remove_prefix(1);
      }
      rest.remove_prefix(1);
    } else {
      size_t end = std::min(rest.find_first_of(",]"), rest.size());
      value = rest.substr(0, end);
      rest.remove_prefix(end);
    }
    auto *element = reinterpret_cast<ingot_string *>(data);
    *element = {value.data(), value.size()};
    data += sizeof(ingot_string);
    return Status::ok();
  }

  std::string_view text, rest;
  const ingot_tensor_spec &spec;
  char *data;
  std::deque<std::string> &strings;
};

} // namespace

Status FeedValue::parse(const std::string &text,
                        const ingot_tensor_spec &spec) {
  std::vector<int64_t> shape = shapeOf(spec), lengths = lengthsOfLists(text);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] < 0)
      shape[dim] = dim < lengths.size() ? lengths[dim] : 0;
  INGOT_RETURN_IF_ERROR(allocate(spec, std::move(shape)));
  if (spec.dtype == INGOT_STRING && spec.rank == 0) {
    std::string &value = strings.emplace_back(text);
    *static_cast<ingot_string *>(data()) = {value.data(), value.size()};
    return Status::ok();
  }
  ingot_tensor_spec own = described(spec);
  return NestedListParser(text, own, static_cast<char *>(data()), strings)
      .parse();
}
