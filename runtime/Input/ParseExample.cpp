//===- ParseExample.cpp - tf.train.Example to dense tensors -----*- C++ -*-===//
//
// Two steps for each example: find the last map entry of each wanted key, then
// decode that entry straight into the output. Messages that occur twice merge,
// which means that their fields count as if they followed each other.
//
//===----------------------------------------------------------------------===//
#include "runtime/Input/ParseExample.h"
#include "runtime/Input/Tensor.h"
#include "runtime/Input/WireReader.h"
#include "runtime/Support/DType.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

static_assert(std::endian::native == std::endian::little,
              "packed floats are copied as they are");

namespace ingot {

using namespace input;

namespace {

/// Field numbers of Feature's lists, which are one oneof.
enum ListKind : uint32_t { NoList, BytesList, FloatList, Int64List };

ListKind listKind(int32_t dtype) {
  switch (dtype) {
  case INGOT_STRING:
    return BytesList;
  case INGOT_FLOAT:
    return FloatList;
  case INGOT_INT64:
    return Int64List;
  default:
    return NoList;
  }
}

const char *listName(ListKind kind) {
  static constexpr const char *names[] = {"nothing", "string", "float",
                                          "int64"};
  return names[kind];
}

/// Where the values of one feature go.
template <typename T> struct Values {
  T *out;
  uint64_t expected;
  uint64_t count = 0; // found, of which the first `expected` were stored

  void add(T value) {
    if (count < expected)
      out[count] = value;
    ++count;
  }
};

bool readValues(WireReader &list, uint32_t type, Values<float> &values) {
  float value = 0;
  if (type == Fixed32) {
    if (!list.readFloat(value))
      return false;
    values.add(value);
    return true;
  }
  std::string_view packed;
  if (!list.readDelimited(packed) || packed.size() % sizeof(float))
    return false;
  uint64_t count = packed.size() / sizeof(float);
  uint64_t room = values.expected - std::min(values.count, values.expected);
  if (uint64_t stored = std::min(count, room))
    std::memcpy(values.out + values.count, packed.data(),
                stored * sizeof(float));
  values.count += count;
  return true;
}

bool readValues(WireReader &list, uint32_t type, Values<int64_t> &values) {
  uint64_t value = 0;
  if (type == Varint) {
    if (!list.readVarint(value))
      return false;
    values.add(static_cast<int64_t>(value));
    return true;
  }
  std::string_view bytes;
  if (!list.readDelimited(bytes))
    return false;
  for (WireReader packed(bytes); !packed.atEnd();) {
    if (!packed.readVarint(value))
      return false;
    values.add(static_cast<int64_t>(value));
  }
  return true;
}

bool readValues(WireReader &list, uint32_t, Values<ingot_string> &values) {
  std::string_view bytes;
  if (!list.readDelimited(bytes))
    return false;
  values.add({bytes.data(), bytes.size()});
  return true;
}

/// Whether wire type `type` may hold values of a list's field 1.
template <typename T> bool holdsValues(uint32_t type) {
  if (type == Delimited)
    return true;
  if constexpr (std::is_same_v<T, float>)
    return type == Fixed32;
  return std::is_same_v<T, int64_t> && type == Varint;
}

template <typename T> bool readList(std::string_view bytes, Values<T> &values) {
  for (WireReader list(bytes); !list.atEnd();) {
    uint32_t field = 0, type = 0;
    if (!list.readTag(field, type))
      return false;
    if (field == 1 && holdsValues<T>(type) ? !readValues(list, type, values)
                                           : !list.skip(field, type))
      return false;
  }
  return true;
}

/// Decodes the Feature in a map entry: the values of its list if that is of
/// kind `wanted`, and in any case the kind.
template <typename T>
bool readFeature(std::string_view entryBytes, ListKind wanted,
                 Values<T> &values, ListKind &found) {
  found = NoList;
  uint32_t field = 0, type = 0;
  std::string_view featureBytes, list;
  for (WireReader entry(entryBytes); !entry.atEnd();) {
    if (!entry.readTag(field, type))
      return false;
    if (field != 2 || type != Delimited) {
      if (!entry.skip(field, type))
        return false;
      continue;
    }
    if (!entry.readDelimited(featureBytes))
      return false;
    for (WireReader feature(featureBytes); !feature.atEnd();) {
      if (!feature.readTag(field, type))
        return false;
      if (field > Int64List || type != Delimited) {
        if (!feature.skip(field, type))
          return false;
        continue;
      }
      if (!feature.readDelimited(list))
        return false;
      // Another member of the oneof replaces what was there.
      if (field != found)
        values.count = 0;
      found = static_cast<ListKind>(field);
      if (found == wanted && !readList(list, values))
        return false;
    }
  }
  return true;
}

class Parser {
public:
  explicit Parser(const ingot_parse_spec &spec)
      : spec(spec), features(spec.num_dense) {
    for (uint32_t i = 0; i < spec.num_dense; ++i) {
      const ingot_dense_feature &dense = spec.dense[i];
      features[i].key = dense.key;
      features[i].order = i;
      countElements({dense.dims, dense.rank}, features[i].elements);
    }
    if (features.size() > linearLimit) {
      byKey.reserve(features.size());
      for (const Feature &feature : features)
        byKey.push_back(feature.order);
      std::sort(byKey.begin(), byKey.end(), [&](uint32_t a, uint32_t b) {
        return features[a].key < features[b].key;
      });
    }
  }

  Status check() const;
  Status parse(std::string_view example, int64_t index, void *const *outputs);

private:
  struct Feature {
    std::string_view key;
    std::string_view entry; // the last map entry with this key
    bool found = false;
    uint32_t order = 0;
    int64_t elements = 0; // expected
  };

  // Up to here comparing with each is faster than a sorted table.
  static constexpr size_t linearLimit = 8;

  bool findEntries(std::string_view example);
  bool noteEntry(std::string_view entry);
  template <typename T>
  Status fill(const Feature &feature, int64_t index, void *output);
  Status fail(int64_t index, std::string what) const {
    return Status(StatusCode::InvalidArgument,
                  std::string("node '") + spec.node + "', example " +
                      std::to_string(index) + ": " + what);
  }

  const ingot_parse_spec &spec;
  std::vector<Feature> features;
  std::vector<uint32_t> byKey;
};

Status Parser::check() const {
  for (const Feature &feature : features) {
    const ingot_dense_feature &dense = spec.dense[feature.order];
    Shape shape(dense.dims, dense.rank);
    int64_t count = 0;
    if (listKind(dense.dtype) == NoList || !countElements(shape, count))
      return Status(StatusCode::Unimplemented,
                    std::string("node '") + spec.node + "': key '" + dense.key +
                        "': a dense feature of " + dtypeName(dense.dtype) +
                        shapeText(shape) + " is not supported");
  }
  return Status::ok();
}

bool Parser::noteEntry(std::string_view entryBytes) {
  std::string_view key;
  uint32_t field = 0, type = 0;
  for (WireReader entry(entryBytes); !entry.atEnd();) {
    if (!entry.readTag(field, type))
      return false;
    if (field == 1 && type == Delimited ? !entry.readDelimited(key)
                                        : !entry.skip(field, type))
      return false;
  }
  auto note = [&](Feature &feature) {
    feature.entry = entryBytes;
    feature.found = true;
  };
  if (byKey.empty()) {
    for (Feature &feature : features)
      if (feature.key == key)
        note(feature);
    return true;
  }
  auto at = std::lower_bound(byKey.begin(), byKey.end(), key,
                             [&](uint32_t index, std::string_view wanted) {
                               return features[index].key < wanted;
                             });
  for (; at != byKey.end() && features[*at].key == key; ++at)
    note(features[*at]);
  return true;
}

bool Parser::findEntries(std::string_view exampleBytes) {
  uint32_t field = 0, type = 0;
  std::string_view bytes;
  for (WireReader example(exampleBytes); !example.atEnd();) {
    if (!example.readTag(field, type))
      return false;
    if (field != 1 || type != Delimited) {
      if (!example.skip(field, type))
        return false;
      continue;
    }
    if (!example.readDelimited(bytes))
      return false;
    for (WireReader map(bytes); !map.atEnd();) {
      std::string_view entry;
      if (!map.readTag(field, type))
        return false;
      if (field != 1 || type != Delimited) {
        if (!map.skip(field, type))
          return false;
      } else if (!map.readDelimited(entry) || !noteEntry(entry)) {
        return false;
      }
    }
  }
  return true;
}

template <typename T>
Status Parser::fill(const Feature &feature, int64_t index, void *output) {
  const ingot_dense_feature &dense = spec.dense[feature.order];
  auto expected = static_cast<uint64_t>(feature.elements);
  Values<T> values{static_cast<T *>(output) +
                       static_cast<uint64_t>(index) * expected,
                   expected};
  ListKind wanted = listKind(dense.dtype);
  ListKind found = NoList;
  if (feature.found && !readFeature(feature.entry, wanted, values, found))
    return fail(index, std::string("key '") + dense.key +
                           "': malformed bytes, expected a Feature");
  if (found == NoList) {
    if (!dense.default_value)
      return fail(index, std::string("feature '") + dense.key +
                             "' (data type: " + listName(wanted) +
                             ") is required but could not be found");
    std::copy_n(static_cast<const T *>(dense.default_value), expected,
                values.out);
    return Status::ok();
  }
  if (found != wanted)
    return fail(index, std::string("key '") + dense.key +
                           "': data types don't match: expected " +
                           listName(wanted) + ", found " + listName(found));
  if (values.count != expected)
    return fail(index, std::string("key '") + dense.key + "': number of " +
                           listName(wanted) + " values: expected " +
                           std::to_string(expected) + " (shape " +
                           shapeText({dense.dims, dense.rank}) + "), found " +
                           std::to_string(values.count));
  return Status::ok();
}

Status Parser::parse(std::string_view example, int64_t index,
                     void *const *outputs) {
  for (Feature &feature : features)
    feature.found = false;
  if (!findEntries(example))
    return fail(index, "malformed bytes (" + std::to_string(example.size()) +
                           " of them), expected a tf.train.Example");
  for (const Feature &feature : features) {
    void *output = outputs[feature.order];
    switch (listKind(spec.dense[feature.order].dtype)) {
    case FloatList:
      INGOT_RETURN_IF_ERROR(fill<float>(feature, index, output));
      break;
    case Int64List:
      INGOT_RETURN_IF_ERROR(fill<int64_t>(feature, index, output));
      break;
    default:
      INGOT_RETURN_IF_ERROR(fill<ingot_string>(feature, index, output));
      break;
    }
  }
  return Status::ok();
}

} // namespace

Status parseExamples(const ingot_parse_spec &spec,
                     const ingot_string *serialized, int64_t count,
                     void *const *outputs) {
  Parser parser(spec);
  INGOT_RETURN_IF_ERROR(parser.check());
  for (int64_t i = 0; i < count; ++i)
    INGOT_RETURN_IF_ERROR(parser.parse(
        {serialized[i].data, static_cast<size_t>(serialized[i].size)}, i,
        outputs));
  return Status::ok();
}

} // namespace ingot
