//===- Tables.cpp - Tables that outlive a session -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Tables.h"

#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

void markPersistentTables(ModuleOp module, ImportErrors &problems) {
  llvm::DenseSet<Attribute> persistent, trained;
  for (auto entry : module.getOps<EntryOp>()) {
    if (entry.getRole() == Role::local_init)
      continue;
    entry->walk([&](Operation *op) {
      Attribute table = getChangedTable(op);
      if (!table)
        return;
      persistent.insert(table);
      if (entry.getRole() != Role::init)
        trained.insert(table);
    });
  }
  for (auto table : module.getOps<TableOp>())
    if (persistent.contains(FlatSymbolRefAttr::get(table)))
      table.setPersistent(true);
  for (Operation &op : *module.getBody()) {
    if (isa<EntryOp>(op))
      continue;
    op.walk([&](Operation *use) {
      auto table = use->getAttrOfType<FlatSymbolRefAttr>("table");
      if (!isa<TableFindOp, TableSizeOp, TableExportOp>(use) ||
          !trained.contains(table))
        return;
      auto name = dyn_cast<NameLoc>(use->getLoc());
      problems.unsupported(
          isa<TableFindOp>(use)   ? "LookupTableFindV2"
          : isa<TableSizeOp>(use) ? "LookupTableSizeV2"
                                  : "LookupTableExportV2",
          name ? name.getName().getValue() : "",
          "reads table '" + getUserName(module.lookupSymbol(table)) +
              "' in a dataset's function while steps change it; read it in "
              "the step");
    });
  }
}

} // namespace ingot::importer
