//===- EntryRole.h - Roles of entries in the IR -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The roles of entries as a C++ enumeration, generated from
// runtime/ABI/EntryRoles.def. The dialects host and ingot both use it.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_DIALECTS_HOST_ENTRYROLE_H
#define INGOT_DIALECTS_HOST_ENTRYROLE_H

#include "runtime/ABI/EntryRoles.h"

#include "mlir/IR/DialectImplementation.h"

namespace mlir::host {

enum class Role : uint32_t {
#define INGOT_ENTRY_ROLE(enumerator, text, value, of, subject, description)    \
  text = value,
#include "runtime/ABI/EntryRoles.def"
};

/// Returns the row of runtime/ABI/EntryRoles.def that describes `role`.
inline const ::ingot::EntryRole &rowOf(Role role) {
  return *::ingot::findEntryRole(static_cast<uint32_t>(role));
}

/// Returns the keyword of a role in textual IR, such as "partial_step".
inline llvm::StringRef stringifyRole(Role role) { return rowOf(role).text; }

inline std::optional<Role> symbolizeRole(llvm::StringRef text) {
  for (const ::ingot::EntryRole &role : ::ingot::entryRoles)
    if (text == llvm::StringRef(role.text))
      return static_cast<Role>(role.value);
  return std::nullopt;
}

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os, Role role) {
  return os << stringifyRole(role);
}

} // namespace mlir::host

namespace mlir {
template <> struct FieldParser<host::Role> {
  static FailureOr<host::Role> parse(AsmParser &parser) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (failed(parser.parseKeyword(&word)))
      return failure();
    if (std::optional<host::Role> role = host::symbolizeRole(word))
      return *role;
    return LogicalResult(parser.emitError(loc)
                         << "unknown entry role '" << word
                         << "': runtime/ABI/EntryRoles.def lists all roles");
  }
};
} // namespace mlir

#endif // INGOT_DIALECTS_HOST_ENTRYROLE_H
