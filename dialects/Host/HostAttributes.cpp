//===- HostAttributes.cpp - Verifiers of functions' attributes ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::host;

#include "dialects/Host/HostEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Host/HostAttributes.cpp.inc"

void HostDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Host/HostAttributes.cpp.inc"
      >();
}

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

// Verifies that each type of a feed or fetch is a ranked tensor
// (host_entry_c2), (host_function_c1).
static LogicalResult verifyTypes(EmitError emitError, ArrayAttr types) {
  for (Attribute type : types) {
    auto tensor = dyn_cast<TypeAttr>(type);
    if (!tensor || !isa<RankedTensorType>(tensor.getValue()))
      return emitError() << "the type of a feed or fetch must be a ranked "
                            "tensor, but is "
                         << type;
  }
  return success();
}

// Verifies that the names of feeds or fetches are strings, and that there is
// one type for each name (host_entry_c1).
static LogicalResult verifyNames(EmitError emitError, StringRef kind,
                                 ArrayAttr names, ArrayAttr types) {
  if (names.size() != types.size())
    return emitError() << "expected one type for each of the " << names.size()
                       << " " << kind << ", but got " << types.size()
                       << " types";
  for (Attribute name : names)
    if (!isa<StringAttr>(name))
      return emitError()
             << "the name of a feed or fetch must be a string, but is " << name;
  return verifyTypes(emitError, types);
}

// Verifies that `indices`, which may be null, has no negative and no repeated
// element. In errors, `list` is the name of the attribute, and `kind` is what
// it lists, such as "variable".
static LogicalResult verifyIndices(EmitError emitError, StringRef list,
                                   StringRef kind, DenseI32ArrayAttr indices) {
  llvm::SmallDenseSet<int32_t> seen;
  if (!indices)
    return success();
  for (int32_t index : indices.asArrayRef()) {
    if (index < 0)
      return emitError() << "'" << list << "' must list indices of " << kind
                         << "s, but lists " << index;
    if (!seen.insert(index).second)
      return emitError() << "'" << list << "' lists " << kind << " " << index
                         << " twice";
  }
  return success();
}

LogicalResult EntryAttr::verify(EmitError emitError, StringRef, Role role,
                                ArrayAttr feeds, ArrayAttr feedTypes,
                                ArrayAttr fetches, ArrayAttr fetchTypes,
                                DenseI32ArrayAttr assigned,
                                DenseI32ArrayAttr changedTables,
                                FlatSymbolRefAttr of, StringAttr member,
                                DenseI32ArrayAttr place) {
  // `of` (the owner entry), `member` and `place` (a process and the number of
  // processes) are given if and only if the role requires them (host_entry_c6).
  const ::ingot::EntryRole &row = rowOf(role);
  auto verifyGiven = [&](StringRef name, bool isNeeded,
                         bool isGiven) -> LogicalResult {
    if (isNeeded == isGiven)
      return success();
    return emitError() << "an entry of role " << stringifyRole(role)
                       << (isNeeded ? " must have the parameter '"
                                    : " must not have the parameter '")
                       << name << "'";
  };
  if (failed(verifyGiven("of", row.of != INGOT_ROLE_NONE,
                         static_cast<bool>(of))) ||
      failed(verifyGiven("member", row.subject == INGOT_SUBJECT_MEMBER,
                         static_cast<bool>(member))) ||
      failed(verifyGiven("place", row.subject == INGOT_SUBJECT_PLACE,
                         static_cast<bool>(place))))
    return failure();
  if (place && place.size() != 2)
    return emitError()
           << "'place' must have 2 elements, the index of a process and the "
              "number of processes, but has "
           << place.size();
  if (failed(verifyNames(emitError, "feeds", feeds, feedTypes)) ||
      failed(verifyNames(emitError, "fetches", fetches, fetchTypes)))
    return failure();
  // `assigned` lists variables by index, each at most once (host_entry_c3).
  if (failed(verifyIndices(emitError, "assigned", "variable", assigned)))
    return failure();
  // `changed_tables` lists lookup tables by index, each at most once
  // (host_entry_c7).
  return verifyIndices(emitError, "changed_tables", "lookup table",
                       changedTables);
}

LogicalResult FunctionAttr::verify(EmitError emitError, ArrayAttr feedTypes,
                                   ArrayAttr fetchTypes, unsigned positions,
                                   unsigned seeds, DenseI32ArrayAttr variables,
                                   DenseI32ArrayAttr parsed) {
  if (failed(verifyTypes(emitError, feedTypes)) ||
      failed(verifyTypes(emitError, fetchTypes)))
    return failure();
  // The last feeds of a dataset's function are the positions of its random ops
  // in their sequences of random numbers, the seeds of these ops, and the
  // values of variables, so there are at least as many feeds as these three
  // together. The last fetches are the positions for the next call, so there
  // are at least as many fetches as positions (host_function_c2).
  size_t read = variables ? variables.size() : 0;
  if (positions > fetchTypes.size() || positions > feedTypes.size() ||
      seeds > feedTypes.size() - positions)
    return emitError() << "positions = " << positions
                       << " and seeds = " << seeds << " require at least "
                       << positions + seeds << " feeds and " << positions
                       << " fetches, but the function has " << feedTypes.size()
                       << " feeds and " << fetchTypes.size() << " fetches";
  if (read > feedTypes.size() - positions - seeds)
    return emitError() << "expected one feed for each of the " << read
                       << " variables, besides the " << positions + seeds
                       << " feeds of random ops, but the function has only "
                       << feedTypes.size() << " feeds";
  // `parsed` has one number for each fetch: the index of the parsed feature
  // that the fetch returns, or -1 if it returns something else
  // (host_function_c3).
  if (!parsed)
    return success();
  if (parsed.size() != static_cast<int64_t>(fetchTypes.size()))
    return emitError() << "'parsed' must have one number for each of the "
                       << fetchTypes.size() << " fetches, but has "
                       << parsed.size();
  for (int32_t feature : parsed.asArrayRef())
    if (feature < -1)
      return emitError()
             << "'parsed' must list indices of parsed features, or -1 for a "
                "fetch that is not a parsed feature, but lists "
             << feature;
  return success();
}

/// The names of the argument attributes `host.variable`, `host.feed` and
/// `host.fetch`: each says that a function's argument is the memory of a
/// variable, of a feed or of a fetch.
static constexpr StringLiteral argumentKinds[] = {variableAttrName,
                                                  feedAttrName, fetchAttrName};

static bool isArgumentKind(StringRef name) {
  return llvm::is_contained(argumentKinds, name);
}

/// Verifies that no two arguments are the same variable, feed or fetch, and
/// that the indices of feeds and fetches are below `numFeeds` and `numFetches`.
static LogicalResult verifyArguments(FunctionOpInterface function,
                                     size_t numFeeds, size_t numFetches) {
  llvm::SmallDenseSet<std::pair<StringRef, int64_t>> seen;
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    for (NamedAttribute attribute : function.getArgAttrs(index)) {
      StringRef kind = attribute.getName();
      auto number = dyn_cast<IntegerAttr>(attribute.getValue());
      if (!isArgumentKind(kind) || !number)
        continue; // verifyRegionArgAttribute reports an invalid index
      // No two arguments of the function are the same variable, feed or fetch
      // (host_entry_c4).
      if (!seen.insert({kind, number.getInt()}).second)
        return function.emitOpError("argument ")
               << index << " has the same '" << kind
               << "' as an earlier argument: " << number.getInt();
      if ((kind == feedAttrName &&
           number.getInt() >= static_cast<int64_t>(numFeeds)) ||
          (kind == fetchAttrName &&
           number.getInt() >= static_cast<int64_t>(numFetches)))
        // Indices of feeds and fetches are below the entry's numbers of feeds
        // and fetches (host_entry_c5).
        return function.emitOpError("argument ")
               << index << " has '" << kind << "' " << number.getInt()
               << ", but the function has only " << numFeeds << " feeds and "
               << numFetches << " fetches";
    }
  return success();
}

/// Verifies that the attribute `of` of `entry` names an entry of the right
/// role, which the role of `entry` determines (host_entry_c6). Skips the check
/// if the named entry is in another module, as when entries are compiled
/// separately.
static LogicalResult verifyOwner(FunctionOpInterface function,
                                 EntryAttr entry) {
  Operation *owner =
      entry.getOf()
          ? SymbolTable::lookupNearestSymbolFrom(function, entry.getOf())
          : nullptr;
  if (!owner)
    return success();
  auto described = owner->getAttrOfType<EntryAttr>(entryAttrName);
  auto needed = static_cast<Role>(rowOf(entry.getRole()).of);
  if (described && described.getRole() == needed)
    return success();
  return function.emitOpError("is an entry of role ")
         << stringifyRole(entry.getRole())
         << ", so 'of' must name an entry of role " << stringifyRole(needed)
         << ", but names " << entry.getOf();
}

LogicalResult HostDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != entryAttrName && name != functionAttrName)
    return success();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("has '") << name << "', which is for functions only";
  if (auto entry = dyn_cast<EntryAttr>(attribute.getValue());
      entry && name == entryAttrName)
    return success(
        succeeded(verifyOwner(function, entry)) &&
        succeeded(verifyArguments(function, entry.getFeedTypes().size(),
                                  entry.getFetchTypes().size())));
  if (auto mapped = dyn_cast<FunctionAttr>(attribute.getValue());
      mapped && name == functionAttrName)
    return verifyArguments(function, mapped.getFeedTypes().size(),
                           mapped.getFetchTypes().size());
  return op->emitOpError("has '")
         << name
         << "' of the wrong type: host.entry must be #host.entry, and "
            "host.function must be #host.function";
}

LogicalResult HostDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  if (!isArgumentKind(attribute.getName()))
    return success();
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  // The value of `host.variable`, `host.feed` or `host.fetch` is an i32 index
  // that is not negative (host_entry_c4).
  if (!number || !number.getType().isSignlessInteger(32) || number.getInt() < 0)
    return op->emitOpError("argument ")
           << index << " must have a non-negative i32 as '"
           << attribute.getName().getValue() << "'";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  // An argument has only one of the attributes `host.variable`, `host.feed` and
  // `host.fetch` (host_entry_c4).
  for (StringRef kind : argumentKinds)
    if (kind != attribute.getName() && function.getArgAttr(index, kind))
      return op->emitOpError("argument ")
             << index << " must not be both '" << attribute.getName().getValue()
             << "' and '" << kind << "'";
  return success();
}

bool mlir::host::isInBranchOf(Operation *op, llvm::StringRef name,
                              bool isElse) {
  for (; Operation *parent = op->getParentOp(); op = parent)
    if (parent->hasAttr(name) &&
        op->getParentRegion()->getRegionNumber() == (isElse ? 1u : 0u))
      return true;
  return false;
}
