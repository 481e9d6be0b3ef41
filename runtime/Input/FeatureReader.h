//===- FeatureReader.h - Decodes features of Examples -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Decodes the wire format of tf.train.Feature messages, in which Examples and
// SequenceExamples hold their values.
//===----------------------------------------------------------------------===//
#ifndef INGOT_RUNTIME_INPUT_FEATUREREADER_H
#define INGOT_RUNTIME_INPUT_FEATUREREADER_H

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/ProtoWireReader.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

static_assert(std::endian::native == std::endian::little,
              "packed floats are copied as they are");

namespace ingot::input {

/// The kinds of list that a tf.train.Feature can have; the values are the field
/// numbers in the message's oneof.
enum ListKind : uint32_t { NoList, BytesList, FloatList, Int64List };

inline ListKind listKind(int32_t dtype) {
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

inline const char *listName(ListKind kind) {
  static constexpr const char *names[] = {"nothing", "string", "float",
                                          "int64"};
  return names[kind];
}

/// The destination of one feature's values in one Example: memory with room for
/// `room` values, or the end of a vector.
template <typename T> class FeatureValueSink {
public:
  FeatureValueSink(T *out, uint64_t room) : out(out), room(room) {}
  explicit FeatureValueSink(std::vector<T> &all)
      : all(&all), begin(all.size()) {}

  void add(T value) {
    if (all)
      all->push_back(value);
    else if (found < room)
      out[found] = value;
    ++found;
  }
  /// Adds packed values, whose bytes are as in memory but not aligned.
  void addPacked(std::string_view bytes) {
    uint64_t added = bytes.size() / sizeof(T);
    uint64_t stored = std::min(added, room - std::min(found, room));
    T *to = out + std::min(found, room);
    if (all) {
      all->resize(all->size() + added);
      stored = added;
      to = all->data() + all->size() - added;
    }
    if (stored)
      std::memcpy(to, bytes.data(), stored * sizeof(T));
    found += added;
  }
  void clear() {
    if (all)
      all->resize(begin);
    found = 0;
  }

  /// Returns the number of values found, including those that did not fit.
  uint64_t count() const { return found; }

private:
  T *out = nullptr;
  uint64_t room = 0;
  std::vector<T> *all = nullptr;
  size_t begin = 0;
  uint64_t found = 0;
};

inline bool readValues(ProtoWireReader &list, uint32_t type,
                       FeatureValueSink<float> &values) {
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
  values.addPacked(packed);
  return true;
}

inline bool readValues(ProtoWireReader &list, uint32_t type,
                       FeatureValueSink<int64_t> &values) {
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
  for (ProtoWireReader packed(bytes); !packed.atEnd();) {
    if (!packed.readVarint(value))
      return false;
    values.add(static_cast<int64_t>(value));
  }
  return true;
}

inline bool readValues(ProtoWireReader &list, uint32_t,
                       FeatureValueSink<ingot_string> &values) {
  std::string_view bytes;
  if (!list.readDelimited(bytes))
    return false;
  values.add({bytes.data(), bytes.size()});
  return true;
}

/// Returns true if field 1 (`value`) of a FloatList, Int64List or BytesList,
/// whose elements have type T, may have wire type `type`.
template <typename T> bool holdsValues(uint32_t type) {
  if (type == Delimited)
    return true;
  if constexpr (std::is_same_v<T, float>)
    return type == Fixed32;
  return std::is_same_v<T, int64_t> && type == Varint;
}

template <typename T>
bool readList(std::string_view bytes, FeatureValueSink<T> &values) {
  for (ProtoWireReader list(bytes); !list.atEnd();) {
    uint32_t field = 0, type = 0;
    if (!list.readTag(field, type))
      return false;
    if (field == 1 && holdsValues<T>(type) ? !readValues(list, type, values)
                                           : !list.skip(field, type))
      return false;
  }
  return true;
}

/// Decodes the bytes of a Feature. Sets `found` to the kind of its list, and
/// adds the values of the list to `values` if the list is of kind `wanted`. A
/// message may be split into several parts: if an earlier call has decoded a
/// part of this Feature, merges the bytes with that part. Returns false if the
/// bytes are not a Feature.
template <typename T>
bool mergeFeature(std::string_view bytes, ListKind wanted,
                  FeatureValueSink<T> &values, ListKind &found) {
  uint32_t field = 0, type = 0;
  std::string_view list;
  for (ProtoWireReader feature(bytes); !feature.atEnd();) {
    if (!feature.readTag(field, type))
      return false;
    if (field > Int64List || type != Delimited) {
      if (!feature.skip(field, type))
        return false;
      continue;
    }
    if (!feature.readDelimited(list))
      return false;
    // In protobuf, a later member of a oneof replaces an earlier one: drop
    // the values of the other list.
    if (field != found)
      values.clear();
    found = static_cast<ListKind>(field);
    if (found == wanted && !readList(list, values))
      return false;
  }
  return true;
}

/// Decodes the Feature in a map entry, like mergeFeature(). Returns false if
/// the bytes are not a Feature.
template <typename T>
bool readFeature(std::string_view entryBytes, ListKind wanted,
                 FeatureValueSink<T> &values, ListKind &found) {
  found = NoList;
  uint32_t field = 0, type = 0;
  std::string_view feature;
  for (ProtoWireReader entry(entryBytes); !entry.atEnd();) {
    if (!entry.readTag(field, type))
      return false;
    if (field != 2 || type != Delimited
            ? !entry.skip(field, type)
            : !entry.readDelimited(feature) ||
                  !mergeFeature(feature, wanted, values, found))
      return false;
  }
  return true;
}

} // namespace ingot::input

#endif // INGOT_RUNTIME_INPUT_FEATUREREADER_H
