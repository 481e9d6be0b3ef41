//===- Rewrites.h - The set of rewrites that run ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Each result has to be the same with any set of them, but for the rounding
// that the order of a sum decides. `ingotc --reference` compiles with none,
// `ingot-bisect` looks for the first that changes a result.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_REWRITES_H
#define INGOT_CODEGEN_REWRITES_H

#include "llvm/ADT/StringRef.h"

#include <bitset>
#include <optional>

namespace ingot {

enum class Rewrite : unsigned {
#define INGOT_REWRITE(Name, spelling) Name,
#include "codegen/Rewrites.def"
};

class Rewrites {
public:
#define INGOT_REWRITE(Name, spelling) +1
  static constexpr unsigned count = 0
#include "codegen/Rewrites.def"
      ;

  static Rewrites all() { return first(count); }
  static Rewrites none() { return first(0); }
  /// The first `number` of the list, which is in the pipelines' order.
  static Rewrites first(unsigned number);

  bool has(Rewrite rewrite) const {
    return enabled[static_cast<unsigned>(rewrite)];
  }
  Rewrites without(Rewrite rewrite) const;

  bool areAll() const { return enabled.all(); }
  /// A key of code compiled with these rewrites, for caches.
  std::string key() const { return enabled.to_string(); }

  static llvm::StringRef nameOf(Rewrite rewrite);
  static std::optional<Rewrite> find(llvm::StringRef name);

private:
  std::bitset<count> enabled;
};

} // namespace ingot

#endif // INGOT_CODEGEN_REWRITES_H
