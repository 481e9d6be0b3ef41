//===- ProgramOps.cpp - Verifiers of entries and fusions ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/ProgramOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/VariableOps.h"

using namespace mlir;
using namespace mlir::ingot;

void mlir::ingot::addProgramOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotProgramOps.cpp.inc"
      >();
}

static ParseResult parseRole(OpAsmParser &parser, RoleAttr &role,
                             FlatSymbolRefAttr &of, StringAttr &member,
                             DenseI32ArrayAttr &place) {
  if (parser.parseKeyword("role") || parser.parseLParen())
    return failure();
  FailureOr<Role> value = FieldParser<Role>::parse(parser);
  if (failed(value))
    return failure();
  role = RoleAttr::get(parser.getContext(), *value);
  if (succeeded(parser.parseOptionalKeyword("of")) && parser.parseAttribute(of))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("for")) &&
      parser.parseAttribute(member))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("place"))) {
    int32_t number, count;
    if (parser.parseInteger(number) || parser.parseKeyword("of") ||
        parser.parseInteger(count))
      return failure();
    place = DenseI32ArrayAttr::get(parser.getContext(), {number, count});
  }
  return parser.parseRParen();
}

static void printRole(OpAsmPrinter &printer, Operation *, RoleAttr role,
                      FlatSymbolRefAttr of, StringAttr member,
                      DenseI32ArrayAttr place) {
  printer << "role(" << stringifyRole(role.getValue());
  if (of)
    printer << " of " << of;
  if (member)
    printer << " for " << member;
  if (place && place.size() == 2)
    printer << " place " << place[0] << " of " << place[1];
  printer << ")";
}

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotProgramOps.cpp.inc"

EntryOp mlir::ingot::findEntry(ModuleOp program, Role role) {
  for (auto entry : program.getOps<EntryOp>())
    if (entry.getRole() == role)
      return entry;
  return {};
}

void mlir::ingot::linkEntry(EntryOp entry) {
  ingot_role needed = host::rowOf(entry.getRole()).of;
  if (needed == INGOT_ROLE_NONE)
    return;
  EntryOp found;
  bool isAfter = false;
  for (auto other : entry->getParentOfType<ModuleOp>().getOps<EntryOp>()) {
    isAfter |= other == entry;
    if (isAfter && found)
      break;
    if (other.getRole() == static_cast<Role>(needed))
      found = other;
  }
  if (found)
    entry.setOf(found.getSymName());
}

// Verifies that the entry has the attribute `member` if and only if entries of
// its role belong to one member or ensemble, and a valid `place` if and only if
// they belong to one of several processes (entry_c5).
static LogicalResult verifySubject(EntryOp entry) {
  const ::ingot::EntryRole &role = host::rowOf(entry.getRole());
  StringAttr member = entry.getMemberAttr();
  DenseI32ArrayAttr place = entry.getPlaceAttr();
  bool isForMember = role.subject == INGOT_SUBJECT_MEMBER;
  if (isForMember != static_cast<bool>(member) ||
      (member && member.getValue().empty()))
    return entry.emitOpError("of role ")
           << stringifyRole(entry.getRole())
           << (isForMember ? " must name its member or ensemble"
                           : " must not name a member or ensemble");
  bool hasPlace = role.subject == INGOT_SUBJECT_PLACE;
  bool isValid = place && place.size() == 2 && place[1] >= 2 &&
                 place[1] <= INGOT_MOST_PLACES && place[0] >= 0 &&
                 place[0] < place[1];
  if (hasPlace && !isValid)
    return entry.emitOpError("of role ")
           << stringifyRole(entry.getRole())
           << " requires 'place N of M' with 0 <= N < M and 2 <= M <= "
           << INGOT_MOST_PLACES;
  if (!hasPlace && place)
    return entry.emitOpError("of role ")
           << stringifyRole(entry.getRole())
           << " must not have 'place': only roles for one of several processes "
              "have one";
  return success();
}

// Verifies the entry's attribute `of`: if the entry's role requires an owner,
// `of` must name an entry of the required role; otherwise the entry must not
// have this attribute (entry_c4).
static LogicalResult verifyOwner(EntryOp entry,
                                 SymbolTableCollection &symbols) {
  ingot_role needed = host::rowOf(entry.getRole()).of;
  FlatSymbolRefAttr of = entry.getOfAttr();
  if (needed == INGOT_ROLE_NONE)
    return of ? entry.emitOpError("of role ")
                    << stringifyRole(entry.getRole())
                    << " must not have an 'of @entry' clause"
              : success();
  auto owner =
      of ? symbols.lookupNearestSymbolFrom<EntryOp>(entry, of) : EntryOp();
  auto role = static_cast<Role>(needed);
  if (owner && owner.getRole() == role)
    return success();
  InFlightDiagnostic error =
      entry.emitOpError("of role ")
      << stringifyRole(entry.getRole()) << " must name an entry of role "
      << stringifyRole(role) << " in an 'of @entry' clause";
  if (owner)
    error.attachNote(owner.getLoc())
        << of << " is of role " << stringifyRole(owner.getRole());
  return error;
}

LogicalResult EntryOp::verify() {
  Block &block = getBody().front();
  size_t expected = getVariables().size() + getFeeds().size();
  // There must be as many block arguments as variables and feeds (entry_c1).
  if (block.getNumArguments() != expected)
    return emitOpError("the block has ")
           << block.getNumArguments() << " arguments, but there are "
           << getVariables().size() << " variables and " << getFeeds().size()
           << " feeds";
  auto end = dyn_cast<ReturnOp>(block.back());
  // The region must end in an `ingot.return` with a value for each fetch and
  // each update (entry_c2).
  if (!end)
    return emitOpError("the region must end in ingot.return");
  size_t results = getFetches().size() + getUpdates().size();
  // The entry must return a value for each fetch and each update (entry_c2).
  if (end.getValues().size() != results) {
    InFlightDiagnostic error = end.emitOpError("returns ")
                               << end.getValues().size()
                               << " values, but there are "
                               << getFetches().size() << " fetches and "
                               << getUpdates().size() << " updates";
    error.attachNote(getLoc()) << "the entry is declared here";
    return error;
  }
  return verifySubject(*this);
}

// Verifies that each of `variables` is a variable of the program and has the
// type in `types` at the same index (entry_c3).
static LogicalResult verifyStateList(EntryOp entry, ArrayAttr variables,
                                     TypeRange types,
                                     SymbolTableCollection &symbols) {
  for (auto [symbol, type] :
       llvm::zip_equal(variables.getAsRange<FlatSymbolRefAttr>(), types)) {
    auto variable = symbols.lookupNearestSymbolFrom<VariableOp>(entry, symbol);
    if (!variable)
      return entry.emitOpError()
             << symbol << " is not a variable of the program";
    if (areCompatibleTypes(variable.getType(), type))
      continue;
    InFlightDiagnostic error = entry.emitOpError("has a value of type ")
                               << type << " for " << symbol
                               << ", which is of type " << variable.getType();
    error.attachNote(variable.getLoc()) << "the variable is declared here";
    return error;
  }
  return success();
}

LogicalResult EntryOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // verifySymbolUses() may assume that the lists have the right lengths,
  // because MLIR runs verify() before it.
  Block &block = getBody().front();
  TypeRange arguments = block.getArgumentTypes();
  TypeRange values = block.back().getOperandTypes();
  if (failed(verifyOwner(*this, symbols)))
    return failure();
  if (failed(verifyStateList(*this, getVariables(),
                             arguments.take_front(getVariables().size()),
                             symbols)))
    return failure();
  return verifyStateList(*this, getUpdates(),
                         values.take_back(getUpdates().size()), symbols);
}

LogicalResult FusionOp::verify() {
  auto end = dyn_cast<ReturnOp>(getBody().front().back());
  // The region must end in an `ingot.return` of values of the results' types
  // (fusion_c1).
  if (!end)
    return emitOpError("the region must end in ingot.return");
  if (TypeRange(end.getValues()) == TypeRange(getOutputs()))
    return success();
  InFlightDiagnostic error = emitOpError("has results ");
  error << "(" << getResultTypes() << "), but returns ("
        << end.getOperandTypes() << ")";
  error.attachNote(end.getLoc()) << "the values are returned here";
  return error;
}
