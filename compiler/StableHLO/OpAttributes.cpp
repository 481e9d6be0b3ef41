//===- OpAttributes.cpp - The attributes of ops, as rules read them ------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Translation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

// Returns the elements of a constant of integers.
static std::optional<Sizes> readIntegers(const Elements &elements) {
  auto count = numElements(elements.type.shape);
  unsigned size = sizeOf(elements.type.element);
  if (isFloat(elements.type.element) || !count || *count > 4096)
    return std::nullopt;
  Sizes values;
  for (int64_t i = 0; i < *count; ++i) {
    size_t offset = elements.isSplat ? 0 : i * size;
    if (offset + size > elements.bytes.size())
      return std::nullopt;
    uint64_t bits = 0;
    for (unsigned byte = 0; byte < size; ++byte)
      bits |=
          uint64_t(static_cast<unsigned char>(elements.bytes[offset + byte]))
          << (8 * byte);
    bool extends = isSigned(elements.type.element) && size < 8;
    values.push_back(extends ? SignExtend64(bits, 8 * size)
                             : static_cast<int64_t>(bits));
  }
  return values;
}

std::optional<Sizes> Translation::integers(const Op &op, StringRef name) const {
  const Attribute *attribute = op.find(name);
  if (!attribute)
    return std::nullopt;
  if (attribute->kind == Attribute::Dense)
    return readIntegers(*attribute->elements);
  if (attribute->kind != Attribute::List)
    return std::nullopt;
  Sizes values;
  for (const Attribute &one : attribute->list) {
    // Padding is a list of pairs.
    for (const Attribute &inner : one.list)
      if (inner.kind == Attribute::Integer)
        values.push_back(inner.integer);
    if (one.kind == Attribute::Integer)
      values.push_back(one.integer);
    else if (one.kind != Attribute::List)
      return std::nullopt;
  }
  return values;
}

std::optional<int64_t> Translation::integer(const Op &op,
                                            StringRef name) const {
  const Attribute *attribute = op.find(name);
  if (!attribute || attribute->kind != Attribute::Integer)
    return std::nullopt;
  return attribute->integer;
}

StringRef Translation::text(const Op &op, StringRef name) const {
  const Attribute *attribute = op.find(name);
  return attribute ? StringRef(attribute->text) : StringRef();
}

bool areAxes(ArrayRef<int64_t> axes, size_t rank) {
  SmallVector<bool> seen(rank, false);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || seen[axis])
      return false;
    seen[axis] = true;
  }
  return true;
}

// Whether a sharding is on a mesh of one device.
bool Translation::isTrivialMesh(StringRef sharding) const {
  StringRef name = sharding.split('@').second.take_while(
      [](char c) { return isAlnum(c) || c == '_' || c == '.'; });
  for (const Op &mesh : module.ops) {
    StringRef text =
        mesh.find("text") ? StringRef(mesh.find("text")->text) : "";
    if (mesh.name != "sdy.mesh" || !text.contains(name))
      continue;
    // <[]>, or axes of size 1: <["data"=1]>.
    StringRef axes = text.split('[').second.split(']').first;
    SmallVector<StringRef> parts;
    axes.split(parts, ',', -1, false);
    return all_of(parts,
                  [](StringRef one) { return one.trim().ends_with("=1"); });
  }
  return false;
}

} // namespace ingot::stablehlo
