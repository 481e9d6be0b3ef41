//===- ParseExample.cpp - Parses tf.train.Examples --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Parses an Example in two steps: finds the last map entry of each wanted key,
// then decodes that entry directly into the output. Fields of a message that
// occurs twice are merged as protobuf does, as if the two messages were
// concatenated.
//===----------------------------------------------------------------------===//
#include "runtime/Input/ParseExample.h"
#include "runtime/Input/FeatureReader.h"
#include "runtime/Input/Tensor.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/ProtoWireReader.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace ingot {

using namespace input;

// For at most this many features, comparing a key with each is faster than a
// search in a sorted table.
static constexpr size_t linearLimit = 8;

ExampleParser::ExampleParser(std::string_view node,
                             std::vector<FeatureToParse> asked)
    : node(node), wanted(std::move(asked)), features(wanted.size()) {
  for (size_t i = 0; i < wanted.size(); ++i)
    features[i].key = wanted[i].key;
  if (features.size() <= linearLimit)
    return;
  for (uint32_t i = 0; i < features.size(); ++i)
    byKey.push_back(i);
  std::sort(byKey.begin(), byKey.end(), [&](uint32_t a, uint32_t b) {
    return features[a].key < features[b].key;
  });
}

Status ExampleParser::prepare() {
  for (size_t i = 0; i < wanted.size(); ++i) {
    Shape inner = wanted[i].shape;
    // If the first dimension is dynamic, the number of values has to be a
    // multiple of the number of elements of the other dimensions (`inner`).
    if (wanted[i].open && !inner.empty())
      inner = inner.subspan(1);
    if (listKind(wanted[i].dtype) == NoList ||
        !countElements(inner, features[i].elements))
      return Status(StatusCode::Unimplemented,
                    "node '" + std::string(node) + "': key '" +
                        std::string(wanted[i].key) + "': a feature of " +
                        dtypeName(wanted[i].dtype) +
                        shapeText(wanted[i].shape) +
                        " is not supported, expected float, int64 or string "
                        "elements that fit into memory");
  }
  return Status::ok();
}

Status ExampleParser::fail(int64_t number, const std::string &what) const {
  return Status(StatusCode::InvalidArgument,
                "node '" + std::string(node) + "', example " +
                    std::to_string(number) + ": " + what);
}

bool ExampleParser::noteEntry(std::string_view entryBytes) {
  std::string_view key;
  uint32_t field = 0, type = 0;
  for (ProtoWireReader entry(entryBytes); !entry.atEnd();) {
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
                             [&](uint32_t index, std::string_view asked) {
                               return features[index].key < asked;
                             });
  for (; at != byKey.end() && features[*at].key == key; ++at)
    note(features[*at]);
  return true;
}

bool ExampleParser::findEntries(std::string_view exampleBytes) {
  uint32_t field = 0, type = 0;
  std::string_view bytes;
  for (ProtoWireReader example(exampleBytes); !example.atEnd();) {
    if (!example.readTag(field, type))
      return false;
    if (field != 1 || type != Delimited) {
      if (!example.skip(field, type))
        return false;
      continue;
    }
    if (!example.readDelimited(bytes))
      return false;
    for (ProtoWireReader map(bytes); !map.atEnd();) {
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
Status ExampleParser::fill(size_t at, int64_t index, int64_t number) {
  const Feature &feature = features[at];
  const FeatureToParse &wanted = this->wanted[at];
  auto elements = static_cast<uint64_t>(feature.elements);
  T *output = static_cast<T *>(wanted.output);
  if (output)
    output += static_cast<uint64_t>(index) * elements;
  FeatureValueSink<T> values =
      wanted.open ? FeatureValueSink<T>(wanted.open->of<T>())
                  : FeatureValueSink<T>(output, output ? elements : 0);
  ListKind expected = listKind(wanted.dtype);
  ListKind found = NoList;
  auto failKey = [&](const std::string &what) {
    return fail(number, "key '" + std::string(wanted.key) + "': " + what);
  };
  auto failCount = [&](const char *article) {
    return failKey(std::string("number of ") + listName(expected) +
                   " values: expected " + article + std::to_string(elements) +
                   " (shape " + shapeText(wanted.shape) + "), found " +
                   std::to_string(values.count()));
  };
  if (feature.found && !readFeature(feature.entry, expected, values, found))
    return failKey("malformed bytes, expected a Feature");
  if (found != NoList && found != expected)
    return failKey(std::string("data types don't match: expected ") +
                   listName(expected) + ", found " + listName(found));
  if (wanted.open) {
    if (elements == 0 ? values.count() != 0 : values.count() % elements != 0)
      return failCount("a multiple of ");
    wanted.open->ends.push_back(
        static_cast<int64_t>(wanted.open->of<T>().size()));
    return Status::ok();
  }
  if (found == NoList) {
    if (!wanted.byDefault)
      return fail(number, "feature '" + std::string(wanted.key) +
                              "' (data type: " + listName(expected) +
                              ") is required but could not be found");
    if (output)
      std::copy_n(static_cast<const T *>(wanted.byDefault), elements, output);
    return Status::ok();
  }
  if (values.count() != elements)
    return failCount("");
  return Status::ok();
}

Status ExampleParser::parse(std::string_view example, int64_t index,
                            int64_t number) {
  for (Feature &feature : features)
    feature.found = false;
  if (!findEntries(example))
    return fail(number, "malformed tf.train.Example of " +
                            std::to_string(example.size()) + " bytes");
  for (size_t i = 0; i < features.size(); ++i) {
    switch (listKind(wanted[i].dtype)) {
    case FloatList:
      INGOT_RETURN_IF_ERROR(fill<float>(i, index, number));
      break;
    case Int64List:
      INGOT_RETURN_IF_ERROR(fill<int64_t>(i, index, number));
      break;
    default:
      INGOT_RETURN_IF_ERROR(fill<ingot_string>(i, index, number));
      break;
    }
  }
  return Status::ok();
}

// The tags of Example.features and Features.feature: both are field 1.
static constexpr char entryTag = 1 << 3 | Delimited;

static size_t sizeOfVarint(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

static char *writeVarint(char *out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

size_t ExampleParser::sizeOfMap() const {
  size_t size = 0;
  for (const Feature &feature : features)
    if (feature.found)
      size += 1 + sizeOfVarint(feature.entry.size()) + feature.entry.size();
  return size;
}

size_t ExampleParser::sizeOfWanted() const {
  size_t size = sizeOfMap();
  return 1 + sizeOfVarint(size) + size;
}

void ExampleParser::writeWanted(char *out) const {
  *out++ = entryTag;
  out = writeVarint(out, sizeOfMap());
  for (const Feature &feature : features) {
    if (!feature.found)
      continue;
    *out++ = entryTag;
    out = writeVarint(out, feature.entry.size());
    out = std::copy(feature.entry.begin(), feature.entry.end(), out);
  }
}

Status parseExamples(std::string_view node,
                     std::span<const FeatureToParse> features,
                     const ingot_string *serialized, int64_t count) {
  ExampleParser parser(node, {features.begin(), features.end()});
  INGOT_RETURN_IF_ERROR(parser.prepare());
  for (int64_t i = 0; i < count; ++i)
    INGOT_RETURN_IF_ERROR(parser.parse(
        {serialized[i].data, static_cast<size_t>(serialized[i].size)}, i, i));
  return Status::ok();
}

std::vector<FeatureToParse> featuresOf(const ingot_parse_spec &spec) {
  std::vector<FeatureToParse> features(spec.num_dense);
  for (uint32_t i = 0; i < spec.num_dense; ++i) {
    const ingot_dense_feature &dense = spec.dense[i];
    features[i].key = dense.key;
    features[i].dtype = dense.dtype;
    features[i].shape = {dense.dims, dense.rank};
    features[i].byDefault = dense.default_value;
  }
  return features;
}

Status parseExamples(const ingot_parse_spec &spec,
                     const ingot_string *serialized, int64_t count,
                     void *const *outputs) {
  std::vector<FeatureToParse> features = featuresOf(spec);
  for (uint32_t i = 0; i < spec.num_dense; ++i)
    features[i].output = outputs[i];
  return parseExamples(spec.node, features, serialized, count);
}

} // namespace ingot
