/*===- EntryRoles.h - Roles of entries ----------------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The enumeration of roles and, for C++, their table: dialects, codegen and  */
/* runtime share the list of EntryRoles.def.                                  */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_ENTRYROLES_H
#define INGOT_RUNTIME_ABI_ENTRYROLES_H

typedef enum ingot_role {
  INGOT_ROLE_NONE = 0, /* in `of` only: of an entry that belongs to no other */
#define INGOT_ENTRY_ROLE(enumerator, text, value, of, subject, description)    \
  INGOT_ROLE_##enumerator = value,
#include "runtime/ABI/EntryRoles.def"
} ingot_role;

/* What tells several entries of one role apart. */
typedef enum ingot_role_subject {
  INGOT_SUBJECT_NOTHING,
  INGOT_SUBJECT_MEMBER,
  INGOT_SUBJECT_PLACE
} ingot_role_subject;

/* The most processes that may share a step. */
#define INGOT_MOST_PLACES 65536

#ifdef __cplusplus

#include <cstdint>

namespace ingot {

/// What a compiled function of the program (an entry) is for, such as the
/// training step. EntryRoles.def lists all roles.
struct EntryRole {
  const char *text;
  uint32_t value;
  /// The role of the owner: the entry to which an entry of this role belongs.
  /// For example, the owner of a METRICS entry is the EVALUATE entry whose
  /// metrics it reads. INGOT_ROLE_NONE means that entries of this role have no
  /// owner.
  ingot_role of;
  ingot_role_subject subject;
};

inline constexpr EntryRole entryRoles[] = {
#define INGOT_ENTRY_ROLE(enumerator, text, value, of, subject, description)    \
  {#text, value, INGOT_ROLE_##of, INGOT_SUBJECT_##subject},
#include "runtime/ABI/EntryRoles.def"
};

/// Returns the role whose number is `value`, or null if no role has it.
constexpr const EntryRole *findEntryRole(uint32_t value) {
  for (const EntryRole &role : entryRoles)
    if (role.value == value)
      return &role;
  return nullptr;
}

} // namespace ingot

#endif /* __cplusplus */

#endif /* INGOT_RUNTIME_ABI_ENTRYROLES_H */
