//===- OptionalPassSet.cpp - The set of rewrites to run -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/OptionalPassSet.h"

namespace ingot {

static constexpr llvm::StringLiteral names[] = {
#define INGOT_REWRITE(Name, spelling) spelling,
#include "codegen/Rewrites.def"
};

OptionalPassSet OptionalPassSet::first(unsigned number) {
  OptionalPassSet rewrites;
  for (unsigned i = 0; i < number && i < count; ++i)
    rewrites.enabled.set(i);
  return rewrites;
}

OptionalPassSet OptionalPassSet::without(Rewrite rewrite) const {
  OptionalPassSet others = *this;
  others.enabled.reset(static_cast<unsigned>(rewrite));
  return others;
}

llvm::StringRef OptionalPassSet::nameOf(Rewrite rewrite) {
  return names[static_cast<unsigned>(rewrite)];
}

std::optional<Rewrite> OptionalPassSet::find(llvm::StringRef name) {
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == name)
      return static_cast<Rewrite>(i);
  return std::nullopt;
}

} // namespace ingot
