//===- Module.cpp - A StableHLO module in memory --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/StableHLO/Module.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace ingot::stablehlo {

std::optional<int64_t> numElements(ArrayRef<int64_t> shape) {
  constexpr int64_t limit = int64_t(1) << 40;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || (size > 0 && count > limit / size))
      return std::nullopt;
    count *= size;
  }
  return count;
}

unsigned sizeOf(proto::DataType element) {
  switch (element) {
  case proto::DT_BOOL:
  case proto::DT_INT8:
  case proto::DT_UINT8:
    return 1;
  case proto::DT_INT16:
  case proto::DT_UINT16:
  case proto::DT_HALF:
  case proto::DT_BFLOAT16:
    return 2;
  case proto::DT_INT64:
  case proto::DT_UINT64:
  case proto::DT_DOUBLE:
    return 8;
  default:
    return 4;
  }
}

const Attribute *Attribute::find(StringRef name) const {
  for (const auto &[key, value] : zip(names, list))
    if (key == name)
      return &value;
  return nullptr;
}

void Attribute::add(StringRef name, Attribute value) {
  kind = Dictionary;
  names.push_back(name.str());
  list.push_back(std::move(value));
}

static bool isLibrary(StringRef file) {
  return file.contains("site-packages/") || file.contains("dist-packages/");
}

// Walks the location depth-first: the callee of a call site comes before its
// caller, so the innermost line of the user's program is found first. A module
// can make locations that refer to themselves, so the walk ends after a number
// of nodes that no trace has.
Origin Module::originOf(int location) const {
  Origin origin;
  SmallVector<int> stack = {location};
  for (int visited = 0; !stack.empty() && visited < 1000; ++visited) {
    int next = stack.pop_back_val();
    if (next < 0 || next >= static_cast<int>(locations.size()))
      continue;
    const LocationNode &node = locations[next];
    if (origin.name.empty() && node.file.empty())
      origin.name = node.name;
    bool isBetter = origin.file.empty() ||
                    (isLibrary(origin.file) && !isLibrary(node.file));
    if (!node.file.empty() && isBetter) {
      origin.file = node.file;
      origin.line = node.line;
    }
    if (auto alias = locationAliases.find(node.alias);
        !node.alias.empty() && alias != locationAliases.end())
      stack.push_back(alias->second);
    append_range(stack, reverse(node.children));
  }
  return origin;
}

} // namespace ingot::stablehlo
