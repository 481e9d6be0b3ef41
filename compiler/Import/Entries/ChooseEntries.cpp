//===- ChooseEntries.cpp - Selects entries by --only, --without -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Entries/ChooseEntries.h"

#include "compiler/Import/ImportErrors.h"
#include "dialects/Host/EntryRole.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns whether a session itself runs entries of this role, such as the
// initialization. They are compiled even if --only does not name them.
static bool isForSessions(Role role) {
  switch (role) {
  case Role::init:
  case Role::local_init:
  case Role::ready:
  case Role::ready_for_local_init:
  case Role::save:
  case Role::restore:
  case Role::grow:
  case Role::first_batch:
    return true;
  default:
    return false;
  }
}

// If entries of role `role` belong to another entry, returns the role of that
// entry, which is called their owner; otherwise std::nullopt. The entry of role
// after_step, for example, belongs to the step. If an owner is left out, so are
// the entries that belong to it.
static std::optional<Role> roleOfOwner(Role role) {
  if (role == Role::after_step)
    return Role::step;
  ingot_role of = host::rowOf(role).of;
  return of == INGOT_ROLE_NONE ? std::nullopt
                               : std::optional(static_cast<Role>(of));
}

static bool canBeChosen(const EntrySpec &entry) {
  return !isForSessions(entry.role) && !roleOfOwner(entry.role);
}

// Records a problem for each name in `names` that is not the name of an entry
// which can be chosen.
static void checkNames(ArrayRef<std::string> names, StringRef flag,
                       ArrayRef<EntrySpec> entries, ImportErrors &problems) {
  SmallVector<std::string> known;
  for (const EntrySpec &entry : entries)
    if (canBeChosen(entry))
      known.push_back("'" + entry.name + "'");
  for (const std::string &name : names)
    if (!llvm::is_contained(known, "'" + name + "'"))
      problems.unknownName(
          flag + ": there is no entry '" + name + "' to choose" +
          (known.empty() ? std::string()
                         : "; the graph has " + llvm::join(known, ", ")));
}

void chooseEntries(const ImportOptions &options,
                   std::vector<EntrySpec> &entries, ImportErrors &problems) {
  checkNames(options.only, "--only", entries, problems);
  checkNames(options.without, "--without", entries, problems);
  llvm::erase_if(entries, [&](const EntrySpec &entry) {
    return canBeChosen(entry) &&
           ((!options.only.empty() &&
             !llvm::is_contained(options.only, entry.name)) ||
            llvm::is_contained(options.without, entry.name));
  });
  llvm::SmallDenseSet<int> roles;
  for (const EntrySpec &entry : entries)
    roles.insert(static_cast<int>(entry.role));
  llvm::erase_if(entries, [&](const EntrySpec &entry) {
    std::optional<Role> owner = roleOfOwner(entry.role);
    return owner && !roles.contains(static_cast<int>(*owner));
  });
}

} // namespace ingot::importer
