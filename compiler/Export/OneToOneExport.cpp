//===- OneToOneExport.cpp - Exports ops as one node each ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Exports ops that become one node with the same operands. The importer's table
// is used in reverse: an ingot op is exported as the first TensorFlow op in the
// table that is imported as this op and has the same number of inputs.
//
//===----------------------------------------------------------------------===//

#include "compiler/Export/OpExport.h"

#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

using importer::AttributeSpec;
using importer::OneToOneOpSpec;

// Returns the rows of the importer's op table for TensorFlow ops that
// correspond to one ingot op, indexed by the name of the ingot op.
static const llvm::StringMap<SmallVector<const OneToOneOpSpec *>> &getRows() {
  static const auto rows = [] {
    llvm::StringMap<SmallVector<const OneToOneOpSpec *>> result;
    for (const importer::OneToOneOpTableRow &row : importer::getOpRows())
      result[row.spec.ours].push_back(&row.spec);
    return result;
  }();
  return rows;
}

// Returns the name of the TensorFlow op. Reductions of booleans by minimum or
// maximum are called All and Any in TensorFlow.
static StringRef nameOf(OpExport &op, const OneToOneOpSpec &spec) {
  bool isLogical =
      op.op->getNumResults() == 1 && op.resultType() == proto::DT_BOOL;
  if (isLogical && isa<MinOp>(op.op))
    return "All";
  if (isLogical && isa<MaxOp>(op.op))
    return "Any";
  return spec.name;
}

static void addAttribute(OpExport &op, const AttributeSpec &spec,
                         AttributeMap &attributes) {
  if (spec.ours.empty() || !op.op->hasAttr(spec.ours))
    return;
  std::string name = spec.name.str();
  switch (spec.kind) {
  case AttributeSpec::Implied:
  case AttributeSpec::MustBeFalse:
    return;
  case AttributeSpec::Bool:
    attributes[name] = boolean(op.flag(spec.ours));
    return;
  case AttributeSpec::ElementType:
    attributes[name] = type(op.type(spec.ours));
    return;
  case AttributeSpec::Ints:
    attributes[name] = integers(op.integers(spec.ours));
    return;
  case AttributeSpec::Int:
    attributes[name] = integer(op.integer(spec.ours));
    return;
  case AttributeSpec::Float:
    attributes[name] = number(op.number(spec.ours));
    return;
  case AttributeSpec::String:
    attributes[name] = text(op.text(spec.ours));
    return;
  }
}

bool hasRow(StringRef op) { return getRows().contains(op); }

bool exportByRow(OpExport &op) {
  auto found = getRows().find(op.op->getName().getStringRef());
  if (found == getRows().end())
    return false;
  int numInputs = static_cast<int>(op.op->getNumOperands());
  const OneToOneOpSpec *const *spec =
      llvm::find_if(found->getValue(), [&](const OneToOneOpSpec *row) {
        return row->inputs < 0 || row->inputs == numInputs;
      });
  if (spec == found->getValue().end())
    return false;
  AttributeMap attributes;
  for (const AttributeSpec &attribute : (*spec)->attributes)
    addAttribute(op, attribute, attributes);
  if (!isMemoryEffectFree(op.op))
    op.touch("world", /*writes=*/true);
  op.emit(nameOf(op, **spec), op.operands(), std::move(attributes));
  return true;
}

} // namespace ingot::exporter
