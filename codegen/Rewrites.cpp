//===- Rewrites.cpp - The set of rewrites to run --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Rewrites.h"

namespace ingot {

static constexpr llvm::StringLiteral names[] = {
#define INGOT_REWRITE(Name, spelling) spelling,
#include "codegen/Rewrites.def"
};

Rewrites Rewrites::first(unsigned number) {
  Rewrites rewrites;
  for (unsigned i = 0; i < number && i < count; ++i)
    rewrites.enabled.set(i);
  return rewrites;
}

Rewrites Rewrites::without(Rewrite rewrite) const {
  Rewrites others = *this;
  others.enabled.reset(static_cast<unsigned>(rewrite));
  return others;
}

llvm::StringRef Rewrites::nameOf(Rewrite rewrite) {
  return names[static_cast<unsigned>(rewrite)];
}

std::optional<Rewrite> Rewrites::find(llvm::StringRef name) {
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == name)
      return static_cast<Rewrite>(i);
  return std::nullopt;
}

} // namespace ingot
