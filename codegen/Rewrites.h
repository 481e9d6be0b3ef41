//===- Rewrites.h - The set of rewrites to run ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The rewrites, passes that no result depends on (Rewrites.def), as a set. A
// program's results have to be the same with any set, except for rounding where
// the order of a sum differs. `ingotc --reference` compiles with none;
// `ingot-bisect` looks for the first one that changes a result.
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
  /// Returns the set of the first `number` rewrites of Rewrites.def, which
  /// lists them in the order of the pipelines.
  static Rewrites first(unsigned number);

  bool has(Rewrite rewrite) const {
    return enabled[static_cast<unsigned>(rewrite)];
  }
  Rewrites without(Rewrite rewrite) const;

  bool areAll() const { return enabled.all(); }
  /// Returns a string that identifies the set, for the keys of caches of
  /// compiled code.
  std::string key() const { return enabled.to_string(); }

  static llvm::StringRef nameOf(Rewrite rewrite);
  static std::optional<Rewrite> find(llvm::StringRef name);

private:
  std::bitset<count> enabled;
};

} // namespace ingot

#endif // INGOT_CODEGEN_REWRITES_H
