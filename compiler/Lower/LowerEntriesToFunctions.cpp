//===- LowerEntriesToFunctions.cpp - Entries as functions of buffers ------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/EntryLowering.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERENTRIESTOFUNCTIONSPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::lower::EntryLowering;

namespace {

/// Returns the layout of tensors of `type` in memory: dense, row-major.
MemRefType storageOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(),
                         storedElementType(tensor.getElementType()));
}

/// Collects the arguments of the function that an entry becomes: their types,
/// and the attributes that tell which variable, feed or fetch each one is.
struct EntryFunctionArguments {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;

  unsigned add(Builder &builder, StringRef name, int32_t number, Type type) {
    types.push_back(type);
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(name, builder.getI32IntegerAttr(number))));
    return types.size() - 1;
  }
};

/// Returns the user's types of feeds or fetches, as recorded by
/// ingot-lower-to-storage-types.
ArrayAttr typesOf(Operation *op, StringRef name, TypeRange stored) {
  if (auto types = op->getAttrOfType<ArrayAttr>(name))
    return types;
  return Builder(op->getContext()).getTypeArrayAttr(SmallVector<Type>(stored));
}

/// Where an entry writes its fetches. A fetch of static shape is written to
/// memory that the caller passes as an argument; a fetch of dynamic shape is
/// returned in the buffer in which it was computed.
class FetchDestinations {
public:
  FetchDestinations(TypeRange types, Builder &builder,
                    EntryFunctionArguments &arguments) {
    for (auto [index, type] : llvm::enumerate(types))
      places.push_back(
          cast<ShapedType>(type).hasStaticShape()
              ? std::optional(arguments.add(builder, host::fetchAttrName, index,
                                            storageOf(type)))
              : std::nullopt);
  }

  void store(EntryLowering &lowering, ValueRange values) const {
    for (auto [index, value] : llvm::enumerate(values)) {
      if (places[index])
        lowering.store(value, *places[index]);
      else
        lowering.fetch(value, index);
    }
  }

private:
  SmallVector<std::optional<unsigned>> places;
};

/// Converts an entry to a function whose arguments are the storage of its
/// variables, feeds and fetches.
class EntryToFunctionConverter {
public:
  EntryToFunctionConverter(EntryOp entry, const SymbolIndices &numbers)
      : entry(entry), numbers(numbers), builder(entry.getContext()),
        body(entry.getBody().front()),
        variables(entry.getVariables().getAsRange<FlatSymbolRefAttr>()),
        updates(entry.getUpdates().getAsRange<FlatSymbolRefAttr>()),
        fed(ValueRange(body.getArguments()).drop_front(variables.size())),
        fetched(body.getTerminator()->getOperands().take_front(
            entry.getFetches().size())),
        updated(body.getTerminator()->getOperands().drop_front(
            entry.getFetches().size())),
        written(updates.begin(), updates.end()) {
    // Collect the lookup tables that the entry's ops change. This must be done
    // before the ops are lowered: a host op does not tell which table it
    // changes.
    std::set<int32_t> changed;
    entry->walk([&](Operation *op) {
      if (FlatSymbolRefAttr table = getChangedTable(op))
        changed.insert(numbers[table]);
    });
    changedTables.assign(changed.begin(), changed.end());
  }

  func::FuncOp lower() {
    llvm::for_each(variables, [&](auto symbol) { addVariable(symbol); });
    llvm::for_each(updates, [&](auto symbol) { addVariable(symbol); });
    firstFeed = arguments.types.size();
    for (auto [index, value] : llvm::enumerate(fed))
      arguments.add(builder, host::feedAttrName, index,
                    storageOf(value.getType()));
    FetchDestinations fetches(fetched.getTypes(), builder, arguments);
    auto function =
        func::FuncOp::create(entry.getLoc(), entry.getSymName(),
                             builder.getFunctionType(arguments.types, {}),
                             ArrayRef<NamedAttribute>{builder.getNamedAttr(
                                 host::entryAttrName, describe())});
    function.setAllArgAttrs(arguments.attributes);
    for (StringRef name : {host::fullBatchOfAttrName, host::oneRankOfAttrName,
                           host::numSlicesAttrName})
      if (Attribute value = entry->getAttr(name))
        function->setAttr(name, value);

    EntryLowering lowering(function, numbers);
    loadArguments(lowering);
    lowering.lowerBody(body);
    OpBuilder end = OpBuilder::atBlockEnd(&function.getBody().front());
    SmallVector<Value> newValues = valuesToStore(end);
    fetches.store(lowering, fetched);
    for (auto [symbol, value] : llvm::zip(updates, newValues))
      if (variableOf.lookup(value) != symbol)
        lowering.store(value, argumentOf[symbol]);
    func::ReturnOp::create(end, entry.getLoc());
    return function;
  }

private:
  void addVariable(FlatSymbolRefAttr symbol) {
    if (!argumentOf.contains(symbol))
      argumentOf[symbol] =
          arguments.add(builder, host::variableAttrName, numbers[symbol],
                        storageOf(numbers.typeOf(symbol)));
  }

  host::EntryAttr describe() {
    // `assigned` lists the variables that the entry itself assigns. A restore
    // op sets further variables, but which ones the checkpoint has is known
    // only at run time.
    SmallVector<int32_t> assigned = llvm::map_to_vector(
        updates, [&](FlatSymbolRefAttr symbol) { return numbers[symbol]; });
    return host::EntryAttr::get(
        entry.getContext(), getUserName(entry), entry.getRole(),
        entry.getFeeds(),
        typesOf(entry, ::ingot::lower::feedTypesAttrName, TypeRange(fed)),
        entry.getFetches(),
        typesOf(entry, ::ingot::lower::fetchTypesAttrName, TypeRange(fetched)),
        builder.getDenseI32ArrayAttr(assigned),
        changedTables.empty() ? DenseI32ArrayAttr()
                              : builder.getDenseI32ArrayAttr(changedTables),
        entry.getOfAttr(), entry.getMemberAttr(), entry.getPlaceAttr());
  }

  void loadArguments(EntryLowering &lowering) {
    for (auto [symbol, argument] : llvm::zip(variables, body.getArguments())) {
      Value value = lowering.load(argumentOf[symbol], argument.getType(),
                                  written.contains(symbol));
      argument.replaceAllUsesWith(value);
      variableOf[value] = symbol;
    }
    for (auto [index, argument] : llvm::enumerate(fed)) {
      argument.replaceAllUsesWith(lowering.load(
          firstFeed + index, argument.getType(), /*writable=*/false));
    }
  }

  /// Returns the new values of the updated variables. If a new value is the old
  /// value of another updated variable (as in a swap), returns a copy of it,
  /// made before any variable is written.
  SmallVector<Value> valuesToStore(OpBuilder &end) {
    SmallVector<Value> values;
    for (auto [symbol, value] : llvm::zip(updates, updated)) {
      Attribute source = variableOf.lookup(value);
      values.push_back(source && source != symbol && written.contains(source)
                           ? Value(bufferization::AllocTensorOp::create(
                                 end, entry.getLoc(),
                                 cast<RankedTensorType>(value.getType()),
                                 ValueRange(), value))
                           : value);
    }
    return values;
  }

  EntryOp entry;
  const SymbolIndices &numbers;
  Builder builder;
  Block &body;
  SmallVector<FlatSymbolRefAttr> variables, updates;
  ValueRange fed, fetched, updated;
  DenseSet<Attribute> written;
  /// The indices of the lookup tables that the entry changes, in ascending
  /// order.
  SmallVector<int32_t> changedTables;
  EntryFunctionArguments arguments;
  llvm::MapVector<Attribute, unsigned> argumentOf;
  DenseMap<Value, Attribute> variableOf;
  unsigned firstFeed = 0;
};

unsigned countOf(Operation *op, StringRef name) {
  auto count = op->getAttrOfType<IntegerAttr>(name);
  return count ? static_cast<unsigned>(count.getInt()) : 0;
}

/// Returns the indices of the variables that a dataset's function reads, as
/// ingot-assign-resource-indices has assigned them; null if it reads none.
DenseI32ArrayAttr variablesRead(func::FuncOp source,
                                const SymbolIndices &numbers) {
  auto symbols = source->getAttrOfType<ArrayAttr>(variablesReadAttrName);
  if (!symbols)
    return {};
  return Builder(source.getContext())
      .getDenseI32ArrayAttr(llvm::map_to_vector(
          symbols.getAsRange<FlatSymbolRefAttr>(),
          [&](FlatSymbolRefAttr symbol) { return numbers[symbol]; }));
}

/// Converts a dataset's function to a function of buffers, like that of an
/// entry: the arguments become feeds, and the results fetches.
func::FuncOp lowerFunction(func::FuncOp source, const SymbolIndices &numbers) {
  Builder builder(source.getContext());
  Block &body = source.getBody().front();
  ValueRange returned = body.getTerminator()->getOperands();
  EntryFunctionArguments arguments;
  for (auto [index, argument] : llvm::enumerate(body.getArguments()))
    arguments.add(builder, host::feedAttrName, index,
                  storageOf(argument.getType()));
  FetchDestinations fetches(source.getResultTypes(), builder, arguments);
  auto description = host::FunctionAttr::get(
      source.getContext(),
      typesOf(source, ::ingot::lower::feedTypesAttrName,
              body.getArgumentTypes()),
      typesOf(source, ::ingot::lower::fetchTypesAttrName,
              source.getResultTypes()),
      countOf(source, randomPositionsAttrName),
      countOf(source, randomSeedsAttrName), variablesRead(source, numbers),
      ::ingot::lower::parsedFeatures(body));
  auto function =
      func::FuncOp::create(source.getLoc(), source.getName(),
                           builder.getFunctionType(arguments.types, {}),
                           ArrayRef<NamedAttribute>{builder.getNamedAttr(
                               host::functionAttrName, description)});
  function.setAllArgAttrs(arguments.attributes);
  EntryLowering lowering(function, numbers);
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    argument.replaceAllUsesWith(
        lowering.load(index, argument.getType(), /*writable=*/false));
  }
  lowering.lowerBody(body);
  fetches.store(lowering, returned);
  OpBuilder end = OpBuilder::atBlockEnd(&function.getBody().front());
  func::ReturnOp::create(end, source.getLoc());
  return function;
}

struct LowerEntriesToFunctions
    : ::ingot::lower::impl::LowerEntriesToFunctionsPassBase<
          LowerEntriesToFunctions> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(numberedAttrName)) {
      getOperation().emitError(
          "symbols have no indices: run 'ingot-assign-resource-indices' first");
      return signalPassFailure();
    }
    SymbolIndices numbers(getOperation());
    for (Operation &op :
         llvm::make_early_inc_range(*getOperation().getBody())) {
      func::FuncOp lowered;
      if (auto entry = dyn_cast<EntryOp>(op)) {
        lowered = EntryToFunctionConverter(entry, numbers).lower();
        ++numEntries;
      } else if (auto function = dyn_cast<func::FuncOp>(op);
                 function && !function->hasAttr(host::kernelAttrName)) {
        lowered = lowerFunction(function, numbers);
        ++numFunctions;
      }
      if (!lowered)
        continue;
      op.getBlock()->getOperations().insert(op.getIterator(), lowered);
      // Most ops of the body have been moved to the function. Erase the entry
      // with the remaining ops, its constants and its terminator, after
      // dropping their references to each other.
      op.dropAllReferences();
      for (Block &block : op.getRegion(0))
        block.dropAllDefinedValueUses();
      op.erase();
    }
  }
};

} // namespace
