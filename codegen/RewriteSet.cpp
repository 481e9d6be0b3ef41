//===- RewriteSet.cpp - The set of rewrites to run ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/RewriteSet.h"

namespace ingot {

static constexpr llvm::StringLiteral names[] = {
#define INGOT_REWRITE(Name, spelling) spelling,
#include "codegen/Rewrites.def"
};

RewriteSet RewriteSet::first(unsigned number) {
  RewriteSet rewrites;
  for (unsigned i = 0; i < number && i < count; ++i)
    rewrites.enabled.set(i);
  return rewrites;
}

RewriteSet RewriteSet::without(Rewrite rewrite) const {
  RewriteSet others = *this;
  others.enabled.reset(static_cast<unsigned>(rewrite));
  return others;
}

llvm::StringRef RewriteSet::nameOf(Rewrite rewrite) {
  return names[static_cast<unsigned>(rewrite)];
}

std::optional<Rewrite> RewriteSet::find(llvm::StringRef name) {
  for (unsigned i = 0; i < count; ++i)
    if (names[i] == name)
      return static_cast<Rewrite>(i);
  return std::nullopt;
}

} // namespace ingot
