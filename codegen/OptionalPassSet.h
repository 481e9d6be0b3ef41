//===- OptionalPassSet.h - The set of rewrites to run -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// A set of rewrites: passes that a correct result does not depend on
// (Rewrites.def). A program must have the same results with any set, except
// that rounding may differ where a rewrite changes the order of a sum. `ingotc
// --reference` compiles with the empty set; `ingot-bisect` looks for the first
// rewrite that changes a result.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_OPTIONALPASSSET_H
#define INGOT_CODEGEN_OPTIONALPASSSET_H

#include "llvm/ADT/StringRef.h"

#include <bitset>
#include <optional>

namespace ingot {

enum class Rewrite : unsigned {
#define INGOT_REWRITE(Name, spelling) Name,
#include "codegen/Rewrites.def"
};

class OptionalPassSet {
public:
#define INGOT_REWRITE(Name, spelling) +1
  static constexpr unsigned count = 0
#include "codegen/Rewrites.def"
      ;

  static OptionalPassSet all() { return first(count); }
  static OptionalPassSet none() { return first(0); }
  /// Returns the set of the first `number` rewrites in Rewrites.def, which are
  /// in the order in which pipelines run them.
  static OptionalPassSet first(unsigned number);

  bool has(Rewrite rewrite) const {
    return enabled[static_cast<unsigned>(rewrite)];
  }
  OptionalPassSet without(Rewrite rewrite) const;

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

#endif // INGOT_CODEGEN_OPTIONALPASSSET_H
