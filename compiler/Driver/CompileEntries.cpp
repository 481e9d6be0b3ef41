//===- CompileEntries.cpp - Compiles entries in parallel parts ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/CompileEntries.h"

#include "codegen/Host/EmitEntries.h"
#include "codegen/Host/HostAccesses.h"
#include "codegen/Host/LaunchSequences.h"
#include "codegen/Host/OptNoneEntries.h"
#include "codegen/Host/SplitEntryModule.h"
#include "codegen/LLVM/EmitObject.h"
#include "codegen/Statistics/PhaseTime.h"
#include "compiler/Driver/CompileKernels.h"
#include "compiler/Driver/Stages.h"
#include "dialects/Host/HostAttributes.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;

namespace ingot::driver {

static Phase setup("entries: contexts"),
    buffers("entries: lowering to buffers"),
    code("entries: lowering to the LLVM dialect");

/// The error for a failure in the compilation of entries. CheckCompilable
/// rejects all unsupported programs before, so a failure here is a bug of the
/// compiler.
static llvm::Error internalError() {
  return llvm::createStringError("the compilation of the entries failed: this "
                                 "is a bug in Ingot, not in the graph");
}

/// Copies to `info` the ranges of memory that an entry's own code, as opposed
/// to its kernels, reads or writes. ingot-find-host-memory has listed them in
/// an attribute of the entry.
static void noteHostMemory(Operation &entry, llvm::StringRef name,
                           abi::ProgramDescriptorContents &info) {
  auto ranges =
      entry.getAttrOfType<DenseI64ArrayAttr>(hostgen::hostMemoryAttrName);
  if (!ranges)
    return;
  llvm::ArrayRef<int64_t> numbers = ranges.asArrayRef();
  for (size_t i = 0; i + 4 <= numbers.size(); i += 4)
    info.hostMemory[name].push_back({static_cast<uint32_t>(numbers[i]),
                                     numbers[i + 1] != 0, numbers[i + 2],
                                     numbers[i + 3]});
}

/// Moves the remarks in attribute `attribute` of an entry, such as those about
/// its launches, to `words`: appends them there and removes the attribute.
static void takeWords(Operation &entry, llvm::StringRef attribute,
                      std::vector<std::string> &words) {
  if (auto texts = dyn_cast_or_null<ArrayAttr>(entry.removeAttr(attribute)))
    for (auto text : texts.getAsRange<StringAttr>())
      words.push_back(text.str());
}

/// Copies facts about entries from their attributes to `info`, which becomes
/// the descriptor: sizes of arenas, ranges of host memory, remarks, and the
/// numbers of argument slots and constants.
static void noteArenas(ModuleOp entries, abi::ProgramDescriptorContents &info) {
  for (Operation &op : *entries.getBody()) {
    llvm::StringRef name = SymbolTable::getSymbolName(&op).getValue();
    if (auto size = op.getAttrOfType<IntegerAttr>(host::arenaAttrName))
      info.arenaSizes[name] = size.getInt();
    noteHostMemory(op, name, info);
    takeWords(op, hostgen::copiesAttrName, info.copies[name]);
    takeWords(op, hostgen::batchesAttrName, info.batches[name]);
    auto arguments = op.getAttrOfType<ArrayAttr>(host::argumentsAttrName);
    if (!arguments)
      continue;
    abi::StaticArgumentSlotCounts &counts = info.arguments[name];
    for (auto argument : arguments.getAsRange<host::ArgumentAttr>()) {
      ++counts.slots;
      counts.constants += argument.getKind() == host::ArgumentKind::constant;
    }
  }
}

static llvm::Expected<std::string>
emitEntries(ModuleOp entries, const llvmgen::TargetMachineSpec &machine,
            unsigned level) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      hostgen::translateEntries(entries, context, machine);
  if (!translated)
    return internalError();
  bool areLong = hostgen::markLongEntriesOptNone(*translated);
  if (llvm::Error error = llvmgen::optimize(*translated, machine, level))
    return error;
  return llvmgen::emitObject(*translated, machine, areLong ? 0 : level);
}

namespace {

/// A module with some of the program's entries, which is compiled by one
/// thread, and the results of its compilation.
struct ModulePartition {
  // The partition's module as MLIR bytecode. It includes locations, because
  // error messages of the runtime name the user's nodes.
  std::string bytecode;
  abi::ProgramDescriptorContents info;
  llvm::Expected<std::string> object = std::string();
};

} // namespace

static std::string bytecodeOf(ModuleOp module) {
  std::string bytecode;
  llvm::raw_string_ostream stream(bytecode);
  (void)writeBytecodeToFile(module, stream);
  return bytecode;
}

/// Returns a module with what `noteArenas` reads of `entries`: their names and
/// attributes, without their code.
static OwningOpRef<ModuleOp> factsOf(ModuleOp entries) {
  OpBuilder builder(entries.getContext());
  OwningOpRef<ModuleOp> facts = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(facts->getBody());
  for (Operation &op : *entries.getBody()) {
    auto function =
        func::FuncOp::create(builder, builder.getUnknownLoc(),
                             SymbolTable::getSymbolName(&op).getValue(),
                             builder.getFunctionType({}, {}));
    function.setPrivate();
    for (llvm::StringRef name :
         {host::arenaAttrName, host::argumentsAttrName,
          hostgen::hostMemoryAttrName, hostgen::copiesAttrName,
          hostgen::batchesAttrName})
      if (Attribute attribute = op.getAttr(name))
        function->setAttr(name, attribute);
  }
  return facts;
}

/// Takes the facts and the object file of a partition from the cache, where
/// `key` is that of its facts. Returns false if one of them is missing.
static bool findPart(ModulePartition &part, const KernelCache &cache,
                     llvm::StringRef key, MLIRContext &context) {
  std::optional<codegen::CompiledKernelImage> kept = cache.find(key);
  if (!kept)
    return false;
  std::optional<codegen::CompiledKernelImage> code = cache.find(kept->function);
  auto facts = parseSourceString<ModuleOp>(kept->reason, &context);
  if (!code || !facts)
    return false;
  noteArenas(*facts, part.info);
  part.object = std::move(code->image);
  return true;
}

static LogicalResult lowerEntries(ModuleOp entries,
                                  const OptionalPassSet &rewrites) {
  {
    PhaseTimer timer(buffers);
    if (failed(runEntryBufferStage(entries, rewrites)))
      return failure();
  }
  PhaseTimer timer(ingot::driver::code);
  return runEntryLLVMStage(entries, rewrites);
}

/// Compiles the entries of one partition to an object file, or takes the object
/// file from the cache. There are two cache keys: the object file's is derived
/// from the partition's module in the LLVM dialect. Under a key that is derived
/// from the module before it is lowered, the cache keeps the facts and the
/// object file's key, so that the same entries are not lowered again.
static void compilePart(ModulePartition &part,
                        const llvmgen::TargetMachineSpec &machine,
                        unsigned level, const OptionalPassSet &rewrites,
                        const KernelCache &cache) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  {
    PhaseTimer timer(setup);
    registerStages(context);
  }
  std::string factsKey = KernelCache::keyOf(
      part.bytecode,
      ("facts of entries " + machine.cpu + " rewrites " + rewrites.key()).str(),
      level);
  if (findPart(part, cache, factsKey, context))
    return;
  auto entries = parseSourceString<ModuleOp>(part.bytecode, &context);
  if (!entries || failed(lowerEntries(*entries, rewrites))) {
    part.object = internalError();
    return;
  }
  codegen::CompiledKernelImage facts, code;
  facts.reason = bytecodeOf(*factsOf(*entries));
  noteArenas(*entries, part.info);
  facts.function = KernelCache::keyOf(contentOf(*entries),
                                      ("entries " + machine.cpu).str(), level);
  cache.store(factsKey, facts);
  if (std::optional<codegen::CompiledKernelImage> found =
          cache.find(facts.function)) {
    part.object = std::move(found->image);
    return;
  }
  part.object = emitEntries(*entries, machine, level);
  if (!part.object)
    return;
  code.image = *part.object;
  cache.store(facts.function, code);
}

llvm::Expected<std::vector<std::string>>
compileEntries(ModuleOp entries, const llvmgen::TargetMachineSpec &machine,
               unsigned level, const OptionalPassSet &rewrites,
               const KernelCache &cache, abi::ProgramDescriptorContents &info) {
  std::vector<ModulePartition> parts;
  for (const OwningOpRef<ModuleOp> &module : hostgen::splitEntries(entries))
    parts.push_back({bytecodeOf(*module), {}, std::string()});
  {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
    for (ModulePartition &part : parts)
      pool.async([&] { compilePart(part, machine, level, rewrites, cache); });
  }
  std::vector<std::string> objects;
  llvm::Error error = llvm::Error::success();
  for (ModulePartition &part : parts) {
    if (!part.object) {
      error = llvm::joinErrors(std::move(error), part.object.takeError());
      continue;
    }
    objects.push_back(std::move(*part.object));
    for (const auto &size : part.info.arenaSizes)
      info.arenaSizes[size.first()] = size.second;
    for (const auto &counts : part.info.arguments)
      info.arguments[counts.first()] = counts.second;
    for (auto &copies : part.info.copies)
      info.copies[copies.first()] = std::move(copies.second);
    for (auto &batches : part.info.batches)
      info.batches[batches.first()] = std::move(batches.second);
    for (auto &ranges : part.info.hostMemory)
      info.hostMemory[ranges.first()] = std::move(ranges.second);
  }
  if (error)
    return error;
  return objects;
}

} // namespace ingot::driver
