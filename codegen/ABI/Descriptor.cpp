//===- Descriptor.cpp - The program's tables for the runtime --------------===//
//===----------------------------------------------------------------------===//

#include "codegen/ABI/Descriptor.h"

#include "codegen/ABI/DatasetTables.h"
#include "codegen/ABI/GlobalData.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/RandomOps.h"
#include "runtime/ABI/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using ::mlir::ingot::getUserName;

namespace ingot::abi {

/// `prefix` and `name`, whose characters that no symbol should have are spelt
/// out: different names stay different.
static std::string symbolOf(llvm::StringRef prefix, llvm::StringRef name) {
  std::string symbol = prefix.str();
  for (unsigned char c : name)
    symbol += llvm::isAlnum(c) || c == '_'
                  ? std::string(1, static_cast<char>(c))
                  : "." + llvm::utohexstr(c, /*LowerCase=*/true, /*Width=*/2);
  return symbol;
}

std::string codeSymbol(llvm::StringRef name) {
  return symbolOf("ingot_code_", name);
}

std::string argumentsSymbol(llvm::StringRef name) {
  return symbolOf("ingot_arguments_", name);
}

std::string constantsSymbol(llvm::StringRef name) {
  return symbolOf("ingot_constants_", name);
}

std::string kernelSymbol(llvm::StringRef kernel, llvm::StringRef target) {
  return (kernel + "." + target).str();
}

namespace {

using Code = std::remove_pointer_t<ingot_code>;
using Kernel = std::remove_pointer_t<ingot_kernel>;

class DescriptorBuilder {
public:
  DescriptorBuilder(ModuleOp program, const DescriptorInfo &info)
      : program(program), info(info),
        module(ModuleOp::create(program.getLoc())), data(*module), specs(data) {
  }

  OwningOpRef<ModuleOp> build() {
    for (Operation &op : *program.getBody()) {
      if (auto variable = dyn_cast<::mlir::ingot::VariableOp>(op))
        addVariable(variable);
      else if (auto entry = op.getAttrOfType<DictionaryAttr>("host.entry"))
        addEntry(cast<func::FuncOp>(op), entry);
      else if (auto mapped = op.getAttrOfType<DictionaryAttr>("host.function"))
        addFunction(cast<func::FuncOp>(op), mapped);
    }
    for (auto iterator : program.getOps<::mlir::ingot::IteratorOp>())
      addIterator(iterator);
    for (auto saver : program.getOps<::mlir::ingot::SaverOp>())
      addSaver(saver);
    for (const KernelInfo &kernel : info.kernels)
      addKernel(kernel);
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
    int64_t bytes =
        type.getNumElements() *
        llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
    variableIndex[variable.getSymName()] = variables.size();
    variables.push_back({.spec = specs.spec(getUserName(variable), type),
                         .byte_size = bytes,
                         .flags = flags,
                         .device = data.string(variable.getDevice())});
  }

  /// The address of code that another object defines.
  template <typename Function> Address<Function> code(llvm::StringRef symbol) {
    return Address<Function>(data.function(symbol).symbol);
  }

  List<ingot_argument> argumentsOf(llvm::StringRef name) {
    size_t count = info.arguments.lookup(name).slots;
    if (count == 0)
      return nullptr;
    return {count, data.external<ingot_argument>(argumentsSymbol(name))};
  }

  Address<const void *> constantsOf(llvm::StringRef name) {
    if (info.arguments.lookup(name).constants == 0)
      return nullptr;
    return data.external<const void *>(constantsSymbol(name));
  }

  /// A kernel's code for each target.
  Address<ingot_kernel_code> kernelCode(const KernelInfo &kernel) {
    SmallVector<Row<ingot_kernel_code>> codes;
    for (auto [target, facts] : llvm::zip(info.targets, kernel.facts)) {
      SmallVector<Row<ingot_grid_term>> terms;
      for (const codegen::Grid::Term &term : facts.grid.terms)
        terms.push_back({.slot = term.slot, .coefficient = term.coefficient});
      codes.push_back({.run = code<Kernel>(kernelSymbol(kernel.name, target)),
                       .grid_base = facts.grid.base,
                       .grid_step = facts.grid.step,
                       .terms = data.table("terms", terms),
                       .scratch_size = facts.scratchBytes,
                       .flops = facts.flops,
                       .bytes = facts.bytes});
    }
    return data.table("code", codes).address;
  }

  /// The kernel as the linalg stage left it: results are its last arguments.
  void addKernel(const KernelInfo &info) {
    auto kernel = program.lookupSymbol<func::FuncOp>(info.name);
    SmallVector<Row<ingot_tensor_spec>> arguments;
    for (Type type : kernel.getArgumentTypes())
      arguments.push_back(specs.storedSpec(cast<RankedTensorType>(type)));
    kernels.push_back(
        {.name = data.string(info.name),
         .code = kernelCode(info),
         .arguments = data.table("specs", arguments),
         .num_inputs = arguments.size() - kernel.getNumResults()});
  }

  /// Specs of tensors with the given types; names where there are some.
  List<ingot_tensor_spec> specTable(Attribute types, Attribute names) {
    SmallVector<Row<ingot_tensor_spec>> rows;
    auto nameList = dyn_cast_or_null<ArrayAttr>(names);
    for (auto [index, type] :
         llvm::enumerate(cast<ArrayAttr>(types).getAsValueRange<TypeAttr>()))
      rows.push_back(specs.spec(
          nameList ? cast<StringAttr>(nameList[index]).getValue() : "",
          cast<RankedTensorType>(type)));
    return data.table("specs", rows);
  }

  void addEntry(func::FuncOp function, DictionaryAttr entry) {
    entries.push_back(
        {.name = data.string(cast<StringAttr>(entry.get("name")).getValue()),
         .role = cast<IntegerAttr>(entry.get("role")).getInt(),
         .run = code<Code>(codeSymbol(function.getName())),
         .arena_size = info.arenaSizes.lookup(function.getName()),
         .arguments = argumentsOf(function.getName()),
         .constants = constantsOf(function.getName()),
         .feeds = specTable(entry.get("feed_types"), entry.get("feeds")),
         .fetches = specTable(entry.get("fetch_types"), entry.get("fetches")),
         .assigned = data.integers32(
             cast<DenseI32ArrayAttr>(entry.get("assigned")).asArrayRef())});
  }

  void addFunction(func::FuncOp function, DictionaryAttr mapped) {
    functionIndex[function.getName()] = functions.size();
    Address<ingot_parse_spec> parse = nullptr;
    Address<uint32_t> parsed = nullptr;
    if (auto features = mapped.getAs<DenseI32ArrayAttr>("parsed")) {
      function.walk([&](host::ParseExampleOp op) {
        parse = data.parseSpec(op);
        parsed = data.integers32(features.asArrayRef()).address;
      });
    }
    functions.push_back(
        {.name = data.string(function.getName()),
         .run = code<Code>(codeSymbol(function.getName())),
         .arena_size = info.arenaSizes.lookup(function.getName()),
         .arguments = argumentsOf(function.getName()),
         .constants = constantsOf(function.getName()),
         .inputs = specTable(mapped.get("feed_types"), {}),
         .outputs = specTable(mapped.get("fetch_types"), {}),
         .parse = parse,
         .parsed = parsed,
         .num_positions = cast<IntegerAttr>(mapped.get("positions")).getInt(),
         .num_seeds = cast<IntegerAttr>(mapped.get("seeds")).getInt()});
  }

  void addIterator(::mlir::ingot::IteratorOp iterator) {
    DatasetTables tables(data, specs, functionIndex, datasets);
    uint32_t root = tables.addPipeline(iterator);
    if (auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(
            ::mlir::ingot::madeIntoAttrName);
        first && first.getValue() != iterator.getSymName()) {
      alternatives.push_back(
          {.iterator = iteratorIndex.lookup(first.getValue()),
           .dataset = root});
      return;
    }
    iteratorIndex[iterator.getSymName()] = iterators.size();
    iterators.push_back(
        {.name = data.string(getUserName(iterator)),
         .dataset = root,
         .components = specTable(iterator.getComponents(), {})});
  }

  void addSaver(::mlir::ingot::SaverOp saver) {
    SmallVector<Row<ingot_saved_item>> items;
    for (auto item :
         saver.getItems().getAsRange<::mlir::ingot::SavedItemAttr>()) {
      llvm::StringRef target = item.getTarget().getValue();
      auto index = [&](const llvm::StringMap<uint32_t> &table) -> int64_t {
        auto found = table.find(target);
        return found == table.end() ? -1 : found->second;
      };
      items.push_back({.key = data.string(item.getKey()),
                       .slice = data.string(item.getSlice()),
                       .variable = index(variableIndex),
                       .iterator = index(iteratorIndex),
                       .shard = item.getShard(),
                       .constant = {.data = nullptr, .size = 0}});
    }
    if (auto constants =
            saver->getAttrOfType<DictionaryAttr>("ingot.constants"))
      for (NamedAttribute constant : constants)
        items.push_back(
            {.key = data.string(constant.getName()),
             .slice = data.string(""),
             .variable = -1,
             .iterator = -1,
             .shard = 0,
             .constant =
                 data.text(cast<StringAttr>(constant.getValue()).getValue())});
    // The symbol stands beside the scope's entries; the name is the scope's.
    llvm::StringRef name = saver.getSymName();
    name.consume_back("/saver");
    savers.push_back(
        {.name = data.string(name),
         .filename = data.string(saver.getFilename()),
         .items = data.table("items", items),
         .num_shards = saver.getNumShards(),
         .sharded = saver.getSharded(),
         .max_to_keep = saver.getMaxToKeep(),
         .keep_checkpoint_every_n_hours =
             saver.getKeepCheckpointEveryNHoursAttr().getValueAsDouble(),
         .reshape = saver->hasAttr("ingot.reshape")});
  }

  List<const char *> texts(llvm::StringRef name,
                           llvm::ArrayRef<std::string> texts) {
    SmallVector<Address<char>> symbols;
    for (const std::string &text : texts)
      symbols.push_back(data.string(text));
    return data.addresses<const char>(name, symbols);
  }

  /// The index of the variable that counts steps, or -1.
  int64_t globalStep() const {
    auto symbol =
        program->getAttrOfType<FlatSymbolRefAttr>("ingot.global_step");
    auto found =
        symbol ? variableIndex.find(symbol.getValue()) : variableIndex.end();
    return found == variableIndex.end() ? -1 : found->second;
  }

  void define() {
    auto loss = program->getAttrOfType<StringAttr>("ingot.loss");
    data.define("ingot_main_program",
                Row<ingot_program>{
                    .magic = INGOT_PROGRAM_MAGIC,
                    .abi_version = INGOT_ABI_VERSION,
                    .struct_size = sizeof(ingot_program),
                    .compiler = data.string(info.compiler),
                    .source = data.string(info.source),
                    .source_hash = data.string(info.sourceHash),
                    .targets = texts("targets", info.targets),
                    .variables = data.table("variables", variables),
                    .entries = data.table("entries", entries),
                    .functions = data.table("functions", functions),
                    .datasets = data.table("datasets", datasets),
                    .iterators = data.table("iterators", iterators),
                    .alternatives = data.table("alternatives", alternatives),
                    .savers = data.table("savers", savers),
                    .global_step = globalStep(),
                    .loss = loss ? data.string(loss.getValue()) : nullptr,
                    .kernels = data.table("kernels", kernels),
                    .nodes = data.external<char>(nodesSymbol),
                    .default_threads = info.defaultThreads,
                    .meta_graph = info.metaGraph.empty()
                                      ? nullptr
                                      : data.binary(info.metaGraph),
                    .meta_graph_size = info.metaGraph.size(),
                    .meta_graph_full_size = info.metaGraphFullSize});
  }

  ModuleOp program;
  const DescriptorInfo &info;
  OwningOpRef<ModuleOp> module;
  GlobalData data;
  Specs specs;
  SmallVector<Row<ingot_variable>> variables;
  SmallVector<Row<ingot_entry>> entries;
  SmallVector<Row<ingot_function>> functions;
  SmallVector<Row<ingot_dataset>> datasets;
  SmallVector<Row<ingot_iterator>> iterators;
  SmallVector<Row<ingot_alternative>> alternatives;
  SmallVector<Row<ingot_saver>> savers;
  SmallVector<Row<ingot_kernel_info>> kernels;
  llvm::StringMap<uint32_t> variableIndex, functionIndex, iteratorIndex;
};

} // namespace

OwningOpRef<ModuleOp> buildDescriptor(ModuleOp program,
                                      const DescriptorInfo &info) {
  return DescriptorBuilder(program, info).build();
}

} // namespace ingot::abi
