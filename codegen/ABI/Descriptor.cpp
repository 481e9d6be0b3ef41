//===- Descriptor.cpp - The program's tables for the runtime --------------===//
//
// Records are in the order of the structs in runtime/ABI/Program.h.
//
//===----------------------------------------------------------------------===//

#include "codegen/ABI/Descriptor.h"

#include "codegen/ABI/DatasetTables.h"
#include "codegen/ABI/GlobalData.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/RandomOps.h"
#include "runtime/ABI/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using ::mlir::ingot::getUserName;

namespace ingot::abi {

std::string codeSymbol(llvm::StringRef name, llvm::StringRef target) {
  std::string symbol = ("ingot_code_" + name + "_" + target).str();
  for (char &c : symbol)
    if (!isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return symbol;
}

namespace {

class DescriptorBuilder {
public:
  DescriptorBuilder(ModuleOp program, const DescriptorInfo &info)
      : program(program), info(info),
        module(ModuleOp::create(program.getLoc())), constants(*module),
        data(*module, &constants), specs(data) {}

  OwningOpRef<ModuleOp> build() {
    for (Operation &op : *program.getBody()) {
      if (auto variable = dyn_cast<::mlir::ingot::VariableOp>(op))
        addVariable(variable);
      else if (auto function = dyn_cast<func::FuncOp>(op))
        addFunction(function);
    }
    for (auto iterator : program.getOps<::mlir::ingot::IteratorOp>())
      addIterator(iterator);
    for (auto saver : program.getOps<::mlir::ingot::SaverOp>())
      addSaver(saver);
    define();
    return std::move(module);
  }

private:
  void addVariable(::mlir::ingot::VariableOp variable) {
    auto type = cast<RankedTensorType>(variable.getType());
    uint32_t flags = (variable.getTrainable() ? INGOT_VARIABLE_TRAINABLE : 0) |
                     (variable.getLocal() ? INGOT_VARIABLE_LOCAL : 0);
    if (auto kind = variable->getAttrOfType<StringAttr>(
            ::mlir::ingot::randomStateAttrName))
      flags |= kind.getValue() == ::mlir::ingot::randomSeed
                   ? INGOT_VARIABLE_RANDOM_SEED
                   : INGOT_VARIABLE_RANDOM_POSITION;
    if (variable->hasAttr(::mlir::ingot::temporaryAttrName))
      flags |= INGOT_VARIABLE_TEMPORARY;
    Record record = specs.spec(getUserName(variable), type);
    int64_t bytes =
        type.getNumElements() *
        llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
    llvm::append_range(
        record, Record{Field::i64(bytes), Field::i32(flags),
                       Field::address(data.string(variable.getDevice()))});
    variableIndex[variable.getSymName()] = variables.size();
    variables.push_back(record);
  }

  /// The addresses of a function's code, one a target.
  StringAttr code(llvm::StringRef name) {
    auto pointer = LLVM::LLVMPointerType::get(module->getContext());
    auto type =
        LLVM::LLVMFunctionType::get(IntegerType::get(module->getContext(), 32),
                                    SmallVector<Type>(5, pointer));
    SmallVector<StringAttr> symbols;
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    for (const std::string &target : info.targets)
      symbols.push_back(LLVM::LLVMFuncOp::create(builder, program.getLoc(),
                                                 codeSymbol(name, target), type)
                            .getSymNameAttr());
    return data.addresses("code", symbols);
  }

  /// Specs of tensors with the given types; names where there are some.
  StringAttr specTable(Attribute types, Attribute names) {
    SmallVector<Record> records;
    auto nameList = dyn_cast_or_null<ArrayAttr>(names);
    for (auto [index, type] :
         llvm::enumerate(cast<ArrayAttr>(types).getAsValueRange<TypeAttr>()))
      records.push_back(specs.spec(
          nameList ? cast<StringAttr>(nameList[index]).getValue() : "",
          cast<RankedTensorType>(type)));
    return data.table("specs", records);
  }

  void addFunction(func::FuncOp function) {
    if (auto entry = function->getAttrOfType<DictionaryAttr>("host.entry")) {
      auto assigned = cast<DenseI32ArrayAttr>(entry.get("assigned"));
      entries.push_back(
          {Field::address(
               data.string(cast<StringAttr>(entry.get("name")).getValue())),
           Field::i32(cast<IntegerAttr>(entry.get("role")).getInt()),
           Field::address(code(function.getName())),
           Field::i64(info.arenaSizes.lookup(function.getName())),
           Field::i32(cast<ArrayAttr>(entry.get("feed_types")).size()),
           Field::address(
               specTable(entry.get("feed_types"), entry.get("feeds"))),
           Field::i32(cast<ArrayAttr>(entry.get("fetch_types")).size()),
           Field::address(
               specTable(entry.get("fetch_types"), entry.get("fetches"))),
           Field::i32(assigned.size()),
           Field::address(data.integers32(assigned.asArrayRef()))});
    }
    if (auto mapped =
            function->getAttrOfType<DictionaryAttr>("host.function")) {
      functionIndex[function.getName()] = functions.size();
      StringAttr parse, parsed;
      if (auto features = mapped.getAs<DenseI32ArrayAttr>("parsed")) {
        function.walk([&](host::ParseExampleOp op) {
          parse = data.parseSpec(op);
          parsed = data.integers32(features.asArrayRef());
        });
      }
      functions.push_back(
          {Field::address(data.string(function.getName())),
           Field::address(code(function.getName())),
           Field::i64(info.arenaSizes.lookup(function.getName())),
           Field::i32(cast<ArrayAttr>(mapped.get("feed_types")).size()),
           Field::address(specTable(mapped.get("feed_types"), {})),
           Field::i32(cast<ArrayAttr>(mapped.get("fetch_types")).size()),
           Field::address(specTable(mapped.get("fetch_types"), {})),
           Field::address(parse), Field::address(parsed),
           Field::i32(cast<IntegerAttr>(mapped.get("positions")).getInt()),
           Field::i32(cast<IntegerAttr>(mapped.get("seeds")).getInt())});
    }
  }

  void addIterator(::mlir::ingot::IteratorOp iterator) {
    DatasetTables tables(data, specs, functionIndex, datasets);
    uint32_t root = tables.addPipeline(iterator);
    if (auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(
            ::mlir::ingot::madeIntoAttrName);
        first && first.getValue() != iterator.getSymName()) {
      alternatives.push_back(
          {Field::i32(iteratorIndex.lookup(first.getValue())),
           Field::i32(root)});
      return;
    }
    iteratorIndex[iterator.getSymName()] = iterators.size();
    iterators.push_back(
        {Field::address(data.string(getUserName(iterator))), Field::i32(root),
         Field::i32(iterator.getComponents().size()),
         Field::address(specTable(iterator.getComponents(), {}))});
  }

  void addSaver(::mlir::ingot::SaverOp saver) {
    SmallVector<Record> items;
    for (auto item :
         saver.getItems().getAsRange<::mlir::ingot::SavedItemAttr>()) {
      llvm::StringRef target = item.getTarget().getValue();
      auto index = [&](const llvm::StringMap<uint32_t> &table) -> int64_t {
        auto found = table.find(target);
        return found == table.end() ? -1 : found->second;
      };
      items.push_back({Field::address(data.string(item.getKey())),
                       Field::address(data.string(item.getSlice())),
                       Field::i32(index(variableIndex)),
                       Field::i32(index(iteratorIndex)),
                       Field::i32(item.getShard()),
                       Field::address(StringAttr()), Field::i64(0)});
    }
    if (auto constants =
            saver->getAttrOfType<DictionaryAttr>("ingot.constants"))
      for (NamedAttribute constant : constants) {
        llvm::StringRef text = cast<StringAttr>(constant.getValue()).getValue();
        items.push_back({Field::address(data.string(constant.getName())),
                         Field::address(data.string("")), Field::i32(-1),
                         Field::i32(-1), Field::i32(0),
                         Field::address(data.string(text)),
                         Field::i64(static_cast<int64_t>(text.size()))});
      }
    // The symbol stands beside the scope's entries; the name is the scope's.
    llvm::StringRef name = saver.getSymName();
    name.consume_back("/saver");
    savers.push_back(
        {Field::address(data.string(name)),
         Field::address(data.string(saver.getFilename())),
         Field::i32(items.size()), Field::address(data.table("items", items)),
         Field::i32(saver.getNumShards()), Field::i32(saver.getSharded()),
         Field::i32(static_cast<int32_t>(saver.getMaxToKeep())),
         Field::f32(
             saver.getKeepCheckpointEveryNHoursAttr().getValueAsDouble()),
         Field::i32(saver->hasAttr("ingot.reshape"))});
  }

  StringAttr stringTable(llvm::StringRef name,
                         llvm::ArrayRef<std::string> texts) {
    SmallVector<StringAttr> symbols;
    for (const std::string &text : texts)
      symbols.push_back(data.string(text));
    return data.addresses(name, symbols);
  }

  void define() {
    auto globalStep =
        program->getAttrOfType<FlatSymbolRefAttr>("ingot.global_step");
    auto loss = program->getAttrOfType<StringAttr>("ingot.loss");
    int64_t step = -1;
    if (globalStep && variableIndex.contains(globalStep.getValue()))
      step = variableIndex[globalStep.getValue()];
    Record record = {Field::i64(static_cast<int64_t>(INGOT_PROGRAM_MAGIC)),
                     Field::i32(INGOT_ABI_VERSION),
                     Field::i32(sizeof(ingot_program)),
                     Field::address(data.string(info.compiler)),
                     Field::address(data.string(info.source)),
                     Field::address(data.string(info.sourceHash)),
                     Field::i32(info.targets.size()),
                     Field::address(stringTable("targets", info.targets))};
    auto add = [&](llvm::StringRef name, llvm::ArrayRef<Record> records) {
      record.push_back(Field::i32(records.size()));
      record.push_back(Field::address(data.table(name, records)));
    };
    add("variables", variables);
    add("entries", entries);
    add("functions", functions);
    add("datasets", datasets);
    add("iterators", iterators);
    add("alternatives", alternatives);
    add("savers", savers);
    record.push_back(Field::i32(step));
    record.push_back(
        Field::address(loss ? data.string(loss.getValue()) : StringAttr()));
    record.push_back(Field::i32(info.kernels.size()));
    record.push_back(Field::address(stringTable("kernels", info.kernels)));
    record.push_back(Field::i32(info.defaultThreads));
    record.push_back(Field::address(
        info.metaGraph.empty() ? StringAttr() : data.string(info.metaGraph)));
    record.push_back(Field::i64(static_cast<int64_t>(info.metaGraph.size())));
    record.push_back(Field::i64(static_cast<int64_t>(info.metaGraphFullSize)));
    data.define("ingot_main_program", record);
  }

  ModuleOp program;
  const DescriptorInfo &info;
  OwningOpRef<ModuleOp> module;
  /// Of thousands of constants, each of which is looked for by its name.
  SymbolTable constants;
  GlobalData data;
  Specs specs;
  SmallVector<Record> variables, entries, functions, datasets, iterators,
      alternatives, savers;
  llvm::StringMap<uint32_t> variableIndex, functionIndex, iteratorIndex;
};

} // namespace

OwningOpRef<ModuleOp> buildDescriptor(ModuleOp program,
                                      const DescriptorInfo &info) {
  return DescriptorBuilder(program, info).build();
}

} // namespace ingot::abi
