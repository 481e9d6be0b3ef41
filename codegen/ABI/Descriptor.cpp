//===- Descriptor.cpp - Build the program's descriptor --------------------===//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#include "codegen/ABI/Descriptor.h"

#include "codegen/ABI/DatasetTableBuilder.h"
#include "codegen/ABI/GlobalConstantPool.h"
#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramAttrFields.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/SymbolIndices.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "runtime/ABI/AdaNetNames.h"
#include "runtime/ABI/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using ::mlir::ingot::getUserName;

namespace ingot::abi {

/// Returns the symbol name `prefix` + `name`. In `name`, each character other
/// than a letter, a digit or _ is replaced by "." and its hexadecimal code, so
/// that different names have different symbols.
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

std::string deviceSymbol(llvm::StringRef name) {
  return symbolOf("ingot_device_", name);
}

std::string kernelSymbol(llvm::StringRef kernel, llvm::StringRef target) {
  return (kernel + "." + target).str();
}

namespace {

using Code = std::remove_pointer_t<ingot_code>;
using Kernel = std::remove_pointer_t<ingot_kernel>;

/// Builds the descriptor of a program: collects the rows of all its tables,
/// then defines `ingot_main_program`, the struct that points to the tables.
class DescriptorBuilder {
public:
  DescriptorBuilder(ModuleOp program, const ProgramDescriptorContents &info)
      : program(program), info(info),
        module(ModuleOp::create(program.getLoc())), constants(*module),
        data(*module, &constants), specs(data), symbols(program),
        numbers(program) {}

  OwningOpRef<ModuleOp> build() {
    for (::mlir::ingot::VariableOp variable : numbers.getVariables())
      addVariable(variable);
    for (::mlir::ingot::TableOp table : numbers.getTables())
      addLookupTable(table);
    for (auto function : program.getOps<func::FuncOp>())
      if (function->hasAttr(host::entryAttrName))
        entryIndex.try_emplace(function.getName(), entryIndex.size());
    for (auto function : program.getOps<func::FuncOp>()) {
      if (auto entry =
              function->getAttrOfType<host::EntryAttr>(host::entryAttrName))
        addEntry(function, entry);
      else if (auto mapped = function->getAttrOfType<host::FunctionAttr>(
                   host::functionAttrName))
        addFunction(function, mapped);
    }
    for (::mlir::ingot::IteratorOp iterator : numbers.getIterators())
      addIterator(iterator);
    for (::mlir::ingot::SaverOp saver : numbers.getSavers())
      addSaver(saver);
    for (const KernelMetadataByTarget &kernel : info.kernels)
      addKernel(kernel);
    if (info.device)
      addDevice(*info.device);
    define();
    return std::move(module);
  }

private:
  /// Adds a row to the table of variables. Compiled code refers to a variable
  /// by its index in this table, so variables must be added in the order of
  /// their indices.
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
    if (variable->hasAttr(::mlir::ingot::constantInitAttrName))
      flags |= INGOT_VARIABLE_CONSTANT_INIT;
    auto name = adanet::parseName(getUserName(variable));
    hasAdaNetIteration |= name && name->isMemberStep() && type.getRank() == 0 &&
                          type.getElementType().isInteger(64);
    auto parts =
        variable->getAttrOfType<IntegerAttr>(::mlir::ingot::shardsAttrName);
    auto shards = static_cast<uint32_t>(parts ? parts.getInt() : 0);
    Type stored = ::mlir::ingot::storedElementType(type.getElementType());
    int64_t bytes = type.getNumElements() *
                    llvm::divideCeil(stored.getIntOrFloatBitWidth(), 8);
    variables.push_back({.spec = specs.spec(getUserName(variable), type),
                         .byte_size = bytes,
                         .flags = flags,
                         .device = data.string(variable.getDevice()),
                         .shards = shards});
  }

  void addLookupTable(::mlir::ingot::TableOp table) {
    lookupTables.push_back(
        {.name = data.string(getUserName(table)),
         .key_dtype = ::mlir::ingot::getDTypeNumber(table.getKeyType()),
         .value = specs.spec("", cast<RankedTensorType>(table.getValueType())),
         .flags = table.getPersistent() ? INGOT_LOOKUP_TABLE_PERSISTENT : 0u});
  }

  GlobalArray<ingot_argument> argumentsOf(llvm::StringRef name) {
    size_t count = info.arguments.lookup(name).slots;
    if (count == 0)
      return nullptr;
    return {count, data.external<ingot_argument>(argumentsSymbol(name))};
  }

  GlobalAddress<const void *> constantsOf(llvm::StringRef name) {
    if (info.arguments.lookup(name).constants == 0)
      return nullptr;
    return data.external<const void *>(constantsSymbol(name));
  }

  GlobalArray<ingot_grid_term>
  gridTerms(ArrayRef<codegen::Grid::DynamicSizeTerm> terms) {
    SmallVector<Row<ingot_grid_term>> rows;
    for (const codegen::Grid::DynamicSizeTerm &term : terms)
      rows.push_back({.slot = term.slot, .coefficient = term.coefficient});
    return data.table("terms", rows);
  }

  /// Emits a table with the element size, in bytes, of each argument of a
  /// kernel, and returns it.
  GlobalArray<uint32_t> elementSizes(llvm::StringRef kernel) {
    SmallVector<int32_t> sizes;
    auto function = program.lookupSymbol<func::FuncOp>(kernel);
    for (Type type : function.getArgumentTypes())
      sizes.push_back(static_cast<int32_t>(llvm::divideCeil(
          cast<RankedTensorType>(type).getElementType().getIntOrFloatBitWidth(),
          8)));
    return data.integers32(sizes);
  }

  GlobalArray<ingot_device_map>
  deviceMaps(ArrayRef<codegen::TensorMapSpec> maps) {
    SmallVector<Row<ingot_device_map>> rows;
    for (const codegen::TensorMapSpec &map : maps) {
      SmallVector<Row<ingot_device_map_dim>> dims;
      for (const codegen::TensorMapSpec::TensorMapDim &dim : map.dims)
        dims.push_back({.size = dim.size, .slot = dim.slot, .box = dim.box});
      rows.push_back({.slot = map.slot,
                      .element_size = map.elementBytes,
                      .dims = data.table("map_dims", dims)});
    }
    return data.table("maps", rows);
  }

  Row<ingot_device_image>
  deviceImage(const DeviceCodeInfo::DeviceImage &image) {
    SmallVector<Row<ingot_device_kernel>> rows;
    for (auto [named, kernel] : llvm::zip(info.kernels, image.kernels))
      rows.push_back(
          {.entry = kernel.entry.empty() ? nullptr : data.string(kernel.entry),
           .threads = kernel.facts.threadsPerBlock,
           .grid_base = kernel.facts.grid.base,
           .grid_step = kernel.facts.grid.step,
           .terms = gridTerms(kernel.facts.grid.terms),
           .scratch_size =
               kernel.facts.scratchBytes + kernel.facts.dynamicScratch.base,
           .scratch_terms = gridTerms(kernel.facts.dynamicScratch.terms),
           .element_sizes = elementSizes(named.name),
           .dynamic_shared = kernel.facts.dynamicSharedBytes,
           .is_persistent = kernel.facts.isPersistent,
           .maps = deviceMaps(kernel.facts.maps),
           .shared_size = kernel.facts.sharedBytes,
           .step = kernel.step});
    // End the image with a zero byte: if the image is PTX, the driver expects a
    // zero-terminated string.
    return {.arch = data.string(image.arch),
            .is_binary = image.format.isBinary,
            .first_capability = image.format.firstCapability,
            .last_capability = image.format.lastCapability,
            .bytes = data.binary(image.bytes + '\0'),
            .size = image.bytes.size(),
            .kernels = data.table("device_kernels", rows),
            .step = image.hasStep ? data.string(codegen::stepSymbol) : nullptr};
  }

  void addDevice(const DeviceCodeInfo &device) {
    SmallVector<Row<ingot_device_image>> images;
    for (const DeviceCodeInfo::DeviceImage &image : device.images)
      images.push_back(deviceImage(image));
    devices.push_back({.name = data.string(device.name),
                       .code = data.external<void>(deviceSymbol(device.name)),
                       .images = data.table("device_images", images)});
  }

  GlobalArray<ingot_host_memory> hostMemoryOf(llvm::StringRef name) {
    SmallVector<Row<ingot_host_memory>> rows;
    if (info.device)
      for (const HostAccessedRange &memory : info.hostMemory.lookup(name))
        rows.push_back({.kind = memory.kind,
                        .is_written = memory.isWritten,
                        .number = memory.number,
                        .size = memory.size});
    return data.table("host_memory", rows);
  }

  /// Emits a table of the values that an entry exchanges between processes. It
  /// has a row for each call of ingot_op_exchange_finish, which returns the
  /// combined value, and of ingot_op_exchange_gather_in_place.
  GlobalArray<ingot_exchange> exchangesOf(func::FuncOp function) {
    SmallVector<Row<ingot_exchange>> rows;
    llvm::SmallDenseSet<int64_t> started;
    function.walk([&](host::CallOp call) {
      if (call.getCallee() == "ingot_op_exchange_add" &&
          call.getOptions().contains("starts"))
        started.insert(intOption(call, "bucket"));
    });
    function.walk([&](host::CallOp call) {
      bool isGather = call.getCallee() == "ingot_op_exchange_gather_in_place";
      if ((!isGather &&
           !call.getCallee().starts_with("ingot_op_exchange_finish")) ||
          host::isInBranchOf(call, host::oneRankAttrName, /*isElse=*/false))
        return;
      int64_t bucket = intOption(call, "bucket"), elements = 1;
      auto ofBucket = call.getOptions().getAs<DenseI64ArrayAttr>("elements");
      auto shape = call.getOptions().getAs<DenseI64ArrayAttr>("shape");
      if (ofBucket)
        elements = ofBucket[intOption(call, "index")];
      int64_t ofRow = 1;
      if (!ofBucket && shape && !shape.empty()) {
        for (int64_t size : shape.asArrayRef().drop_front())
          ofRow *= size;
        elements = shape[0] < 0 ? -1 : shape[0] * ofRow;
      }
      // The rows of a value that is divided among processes are its parts.
      if (isGather)
        ofRow = elements / intOption(call, "slices");
      if (call.getOptions().contains("parts"))
        ofRow = elements / intOption(call, "parts");
      bool isInPlace = call.getOutputDtypes().empty();
      rows.push_back({.node = data.string(call.getNode()),
                      .kind = static_cast<uint32_t>(intOption(call, "kind")),
                      .bucket = static_cast<uint32_t>(bucket),
                      .starts_in_loop = started.contains(bucket),
                      .dtype = isInPlace ? call.getInputDtypes().back()
                                         : call.getOutputDtypes().front(),
                      .elements = elements,
                      .row_elements = ofRow});
    });
    return data.table("exchanges", rows);
  }

  static int64_t intOption(host::CallOp call, llvm::StringRef name) {
    auto option = call.getOptions().getAs<IntegerAttr>(name);
    return option ? option.getInt() : 0;
  }

  /// Emits a table with a kernel's code and facts (grid, scratch size) for each
  /// target of the program, and returns it.
  GlobalAddress<ingot_kernel_code>
  kernelCode(const KernelMetadataByTarget &kernel) {
    SmallVector<Row<ingot_kernel_code>> codes;
    for (auto [target, facts] : llvm::zip(info.targets, kernel.facts)) {
      codes.push_back(
          {.run = data.external<Kernel>(kernelSymbol(kernel.name, target)),
           .grid_base = facts.grid.base,
           .grid_step = facts.grid.step,
           .terms = gridTerms(facts.grid.terms),
           .scratch_size = facts.scratchBytes,
           .flops = facts.flops,
           .bytes = facts.bytes,
           .strides = data.integers64(facts.strides)});
    }
    return data.table("code", codes).address;
  }

  /// Adds a row to the table of kernels. The kernel's types are those of its
  /// function in `program`, whose arguments are tensors. The function is in
  /// destination-passing style: the last arguments are the destinations of the
  /// results.
  void addKernel(const KernelMetadataByTarget &info) {
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

  /// Emits a table that describes tensors of the types `types`, which have the
  /// names `names` (if given), and returns it.
  GlobalArray<ingot_tensor_spec> specTable(ArrayAttr types,
                                           ArrayAttr names = {}) {
    SmallVector<Row<ingot_tensor_spec>> rows;
    for (auto [index, type] :
         llvm::enumerate(types.getAsValueRange<TypeAttr>()))
      rows.push_back(
          specs.spec(names ? cast<StringAttr>(names[index]).getValue() : "",
                     cast<RankedTensorType>(type)));
    return data.table("specs", rows);
  }

  /// Returns the index of the entry point with symbol `symbol` in the
  /// descriptor's table of entries. Returns -1 if `symbol` is null or is not an
  /// entry point.
  int32_t numberOfEntry(FlatSymbolRefAttr symbol) const {
    auto found = symbol ? entryIndex.find(symbol.getValue()) : entryIndex.end();
    return found == entryIndex.end() ? -1 : static_cast<int32_t>(found->second);
  }

  /// Returns the indices of the iterators from which an entry point, such as
  /// the training step, draws elements. Each index is listed once.
  static SmallVector<int32_t> iteratorsOf(func::FuncOp function) {
    llvm::SmallSetVector<int32_t, 4> numbers;
    function.walk([&](Operation *op) {
      if (auto next = dyn_cast<host::IteratorNextOp>(op))
        numbers.insert(static_cast<int32_t>(next.getIterator()));
      // Queues that feed each other are one input pipeline, which is
      // represented by an iterator. The option "iterator" of a call of a queue
      // op is this iterator's index.
      if (auto call = dyn_cast<host::CallOp>(op);
          call && call.getCallee().starts_with("ingot_op_queue_"))
        if (auto iterator = call.getOptions().getAs<IntegerAttr>("iterator"))
          numbers.insert(static_cast<int32_t>(iterator.getInt()));
    });
    return SmallVector<int32_t>(numbers.getArrayRef());
  }

  void addEntry(func::FuncOp function, host::EntryAttr entry) {
    DenseI32ArrayAttr place = entry.getPlace();
    DenseI32ArrayAttr changedTables = entry.getChangedTables();
    entries.push_back(
        {.name = data.string(entry.getName()),
         .role = entry.getRole(),
         .of = numberOfEntry(entry.getOf()),
         .member =
             data.string(entry.getMember() ? entry.getMember().getValue() : ""),
         .place = place ? place[0] : 0,
         .num_places = place ? place[1] : 0,
         .run = data.external<Code>(codeSymbol(function.getName())),
         .arena_size = info.arenaSizes.lookup(function.getName()),
         .arguments = argumentsOf(function.getName()),
         .constants = constantsOf(function.getName()),
         .feeds = specTable(entry.getFeedTypes(), entry.getFeeds()),
         .fetches = specTable(entry.getFetchTypes(), entry.getFetches()),
         .assigned = data.integers32(entry.getAssigned().asArrayRef()),
         .changed_tables = data.integers32(
             changedTables ? changedTables.asArrayRef() : ArrayRef<int32_t>()),
         .iterators = data.integers32(iteratorsOf(function)),
         .host_memory = hostMemoryOf(function.getName()),
         .exchanges = exchangesOf(function)});
  }

  /// Adds a row to the table of functions that datasets call. If the function
  /// parses tf.train.Example protos, the row's member `parse` describes their
  /// features.
  void addFunction(func::FuncOp function, host::FunctionAttr mapped) {
    functionIndex[function.getName()] = functions.size();
    GlobalAddress<ingot_parse_spec> parse = nullptr;
    GlobalAddress<uint32_t> parsed = nullptr;
    if (DenseI32ArrayAttr features = mapped.getParsed())
      function.walk([&](host::ParseExampleOp op) {
        parse = data.parseSpec(op);
        parsed = data.integers32(features.asArrayRef()).address;
      });
    functions.push_back(
        {.name = data.string(function.getName()),
         .run = data.external<Code>(codeSymbol(function.getName())),
         .arena_size = info.arenaSizes.lookup(function.getName()),
         .arguments = argumentsOf(function.getName()),
         .constants = constantsOf(function.getName()),
         .inputs = specTable(mapped.getFeedTypes()),
         .outputs = specTable(mapped.getFetchTypes()),
         .parse = parse,
         .parsed = parsed,
         .num_positions = mapped.getPositions(),
         .num_seeds = mapped.getSeeds(),
         .variables = data.integers32(mapped.getVariables()
                                          ? mapped.getVariables().asArrayRef()
                                          : ArrayRef<int32_t>())});
  }

  /// Adds rows for the datasets of an iterator, and a row for the iterator
  /// itself. If the graph initializes an iterator from several datasets, there
  /// is an IteratorOp for each of them. All but the first are alternatives:
  /// their rows are in the table of alternatives and refer to the first
  /// iterator.
  void addIterator(::mlir::ingot::IteratorOp iterator) {
    DatasetTableBuilder tables(data, specs, functionIndex, datasets);
    uint32_t root = tables.addPipeline(iterator);
    if (::mlir::ingot::isAlternative(iterator)) {
      auto first = iterator->getAttrOfType<FlatSymbolRefAttr>(
          ::mlir::ingot::madeIntoAttrName);
      alternatives.push_back({.iterator = numbers[first], .dataset = root});
      return;
    }
    iterators.push_back({.name = data.string(getUserName(iterator)),
                         .dataset = root,
                         .components = specTable(iterator.getComponents())});
  }

  /// Adds a row to the table of savers. Each item that a saver saves is a
  /// variable, an iterator, the keys or values of a lookup table, or a constant
  /// string. An item's row has an index for each of these kinds: only that of
  /// the item's own kind is set, all others are -1.
  void addSaver(::mlir::ingot::SaverOp saver) {
    SmallVector<Row<ingot_saved_item>> items;
    for (auto item :
         saver.getItems().getAsRange<::mlir::ingot::SavedItemAttr>()) {
      Operation *target = symbols.lookup(item.getTarget().getValue());
      int32_t number = numbers[item.getTarget()];
      items.push_back(
          {.key = data.string(item.getKey()),
           .slice = data.string(item.getSlice()),
           .variable = isa<::mlir::ingot::VariableOp>(target) ? number : -1,
           .iterator = isa<::mlir::ingot::IteratorOp>(target) ? number : -1,
           .lookup_table = -1,
           .table_values = 0,
           .shard = item.getShard(),
           .constant = {.data = nullptr, .size = 0}});
    }
    for (const ::mlir::ingot::SavedLookupTable &table :
         ::mlir::ingot::savedTables(saver))
      for (bool values : {false, true})
        items.push_back({.key = data.string(
                             (values ? table.values : table.keys).getValue()),
                         .slice = data.string(""),
                         .variable = -1,
                         .iterator = -1,
                         .lookup_table = numbers[table.table],
                         .table_values = values,
                         .shard = static_cast<uint32_t>(table.shard.getInt()),
                         .constant = {.data = nullptr, .size = 0}});
    if (auto constants = saver->getAttrOfType<DictionaryAttr>(
            ::mlir::ingot::constantsAttrName))
      for (NamedAttribute constant : constants)
        items.push_back(
            {.key = data.string(constant.getName()),
             .slice = data.string(""),
             .variable = -1,
             .iterator = -1,
             .lookup_table = -1,
             .table_values = 0,
             .shard = 0,
             .constant =
                 data.text(cast<StringAttr>(constant.getValue()).getValue())});
    // In the module, the symbol of a saver is "<scope>/saver"; the descriptor
    // names it only "<scope>".
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
         .reshape = saver->hasAttr(::mlir::ingot::reshapeAttrName)});
  }

  GlobalArray<const char *> texts(llvm::StringRef name,
                                  llvm::ArrayRef<std::string> texts) {
    SmallVector<GlobalAddress<char>> symbols;
    for (const std::string &text : texts)
      symbols.push_back(data.string(text));
    return data.addresses<const char>(name, symbols);
  }

  /// Returns the index of the global step variable, or -1 if the program has
  /// none.
  int32_t globalStep() const {
    FlatSymbolRefAttr symbol = facts.globalStep;
    return symbol && isa_and_nonnull<::mlir::ingot::VariableOp>(
                         symbols.lookup(symbol.getValue()))
               ? numbers[symbol]
               : -1;
  }

  /// Defines the symbol `ingot_main_program`, the struct that the runtime
  /// reads. If the program is a library, also defines the symbol with the hash
  /// of its C header.
  void define() {
    data.define(
        "ingot_main_program",
        Row<ingot_program>{
            .magic = INGOT_PROGRAM_MAGIC,
            .abi_version = INGOT_ABI_VERSION,
            .struct_size = sizeof(ingot_program),
            .compiler = data.string(info.compiler),
            .source = data.string(info.source),
            .source_hash = data.string(info.sourceHash),
            .targets = texts("targets", info.targets),
            .variables = data.table("variables", variables),
            .lookup_tables = data.table("lookup_tables", lookupTables),
            .entries = data.table("entries", entries),
            .functions = data.table("functions", functions),
            .datasets = data.table("datasets", datasets),
            .iterators = data.table("iterators", iterators),
            .alternatives = data.table("alternatives", alternatives),
            .savers = data.table("savers", savers),
            .global_step = globalStep(),
            .loss = facts.loss ? data.string(facts.loss.getValue()) : nullptr,
            .prediction = numberOfEntry(facts.prediction),
            .kernels = data.table("kernels", kernels),
            .devices = data.table("devices", devices),
            .default_device = info.device && info.device->isDefault,
            .nodes = data.external<char>(nodesSymbol),
            .default_threads = info.defaultThreads,
            .slices = facts.slices,
            .engine = facts.slices ? data.external<void>("ingot_engine_mpi")
                                   : nullptr,
            .meta_graph =
                info.metaGraph.empty() ? nullptr : data.binary(info.metaGraph),
            .meta_graph_size = info.metaGraph.size(),
            .meta_graph_full_size = info.metaGraphFullSize,
            .extension = hasAdaNetIteration
                             ? data.external<void>("ingot_extension_adanet")
                             : nullptr});
    if (!info.libraryInterface.empty())
      data.defineText("ingot_library_interface", info.libraryInterface + '\0');
  }

  ModuleOp program;
  const ::mlir::ingot::ProgramAttrFields facts =
      ::mlir::ingot::getProgramFacts(program);
  const ProgramDescriptorContents &info;
  OwningOpRef<ModuleOp> module;
  /// The symbol table of the descriptor's module. The module has thousands of
  /// constants, which are looked up by name, so a linear search for each would
  /// be slow.
  SymbolTable constants;
  GlobalConstantPool data;
  TensorSpecBuilder specs;
  SmallVector<Row<ingot_variable>> variables;
  SmallVector<Row<ingot_lookup_table>> lookupTables;
  llvm::StringMap<size_t> entryIndex; // keyed by the functions' symbols
  /// Whether the program trains an AdaNet iteration, that is, whether one of
  /// its variables counts the training steps of a subnetwork.
  bool hasAdaNetIteration = false;
  SmallVector<Row<ingot_entry>> entries;
  SmallVector<Row<ingot_function>> functions;
  SmallVector<Row<ingot_dataset>> datasets;
  SmallVector<Row<ingot_iterator>> iterators;
  SmallVector<Row<ingot_alternative>> alternatives;
  SmallVector<Row<ingot_saver>> savers;
  SmallVector<Row<ingot_kernel_info>> kernels;
  SmallVector<Row<ingot_device>> devices;
  SymbolTable symbols;
  ::mlir::ingot::SymbolIndices numbers;
  llvm::StringMap<uint32_t> functionIndex;
};

} // namespace

OwningOpRef<ModuleOp> buildDescriptor(ModuleOp program,
                                      const ProgramDescriptorContents &info) {
  return DescriptorBuilder(program, info).build();
}

} // namespace ingot::abi
