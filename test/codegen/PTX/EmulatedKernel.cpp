//===- EmulatedKernel.cpp - A kernel from its text to its values ----------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/codegen/PTX/EmulatedKernel.h"

#include "codegen/Emulate/Emulate.h"
#include "test/Emulator/TensorMap.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace mlir;

namespace ingot::ptx {

static codegen::CompiledKernelImage
compile(const std::string &text, llvm::StringRef arch, Precision precision) {
  std::unique_ptr<codegen::Backend> backend =
      createBackend(arch, KernelCodeFormat::IR, precision);
  DialectRegistry registry;
  backend->registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the kernel's text is wrong";
    return {};
  }
  PassManager manager(&context);
  backend->buildBufferPipeline(manager);
  backend->buildCodePipeline(manager);
  if (failed(manager.run(*module))) {
    ADD_FAILURE() << "a pass failed";
    return {};
  }
  llvm::Expected<codegen::CompiledKernelImage> code = backend->emit(*module, 3);
  if (!code) {
    ADD_FAILURE() << llvm::toString(code.takeError());
    return {};
  }
  EXPECT_EQ(code->reason, "");
  return std::move(*code);
}

EmulatedKernel::EmulatedKernel(const std::string &text, llvm::StringRef arch,
                               Precision precision)
    : EmulatedKernel(compile(text, arch, precision)) {}

EmulatedKernel::EmulatedKernel(codegen::CompiledKernelImage code)
    : code(std::move(code)) {
  if (!this->code.image.empty())
    load();
}

EmulatedKernel::~EmulatedKernel() {
  if (library)
    dlclose(library);
}

void EmulatedKernel::load() {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(code.image, diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("ingot", "so", path));
  emulate::Options options;
  options.check = true;
  if (llvm::Error error = emulate::emulate(*module, options, path))
    ADD_FAILURE() << llvm::toString(std::move(error));
  else
    library = dlopen(path.c_str(), RTLD_NOW);
  llvm::sys::fs::remove(path);
  ASSERT_NE(library, nullptr) << dlerror();
}

uint64_t EmulatedKernel::numBlocks(const std::vector<uint64_t> &table) const {
  const codegen::Grid &grid = code.facts.grid;
  int64_t size = grid.base;
  for (codegen::Grid::DynamicSizeTerm term : grid.terms)
    size += term.coefficient * static_cast<int64_t>(table[term.slot]);
  return (size + grid.step - 1) / grid.step;
}

/// A tensor map as the driver encodes it.
static emulator::TensorMap encode(const codegen::TensorMapSpec &map,
                                  const std::vector<uint64_t> &table) {
  emulator::TensorMap encoded;
  encoded.mark = emulator::TensorMap::magic;
  encoded.address = table[map.slot];
  encoded.rank = map.dims.size();
  encoded.elementBytes = map.elementBytes;
  encoded.swizzleBytes = 128;
  uint64_t stride = map.elementBytes;
  for (uint32_t i = 0; i < encoded.rank; ++i) {
    const codegen::TensorMapSpec::TensorMapDim &dim =
        map.dims[encoded.rank - 1 - i];
    encoded.sizes[i] = dim.size >= 0 ? dim.size : table[dim.slot];
    encoded.boxes[i] = dim.box;
    stride *= encoded.sizes[i];
    if (i + 1 < encoded.rank)
      encoded.strides[i] = stride;
  }
  EXPECT_TRUE(encoded.isValid());
  return encoded;
}

/// So few that each block runs several iterations of a persistent kernel.
static constexpr uint32_t processors = 3;

std::string EmulatedKernel::run(std::vector<uint64_t> table, bool reversed) {
  auto *kernel = reinterpret_cast<emulator::Kernel>(
      dlsym(library, codegen::kernelSymbol.data()));
  auto *range = static_cast<uint8_t **>(dlsym(library, "ingot_shared_range"));
  if (!kernel || !range)
    return "the kernel is not there";
  std::vector<void *> parameters;
  for (uint64_t &slot : table)
    parameters.push_back(&slot);
  std::vector<emulator::TensorMap> maps;
  for (const codegen::TensorMapSpec &map : code.facts.maps)
    maps.push_back(encode(map, table));
  for (emulator::TensorMap &map : maps)
    parameters.push_back(&map);
  emulator::Launch launch;
  launch.kernel = kernel;
  launch.name = "kernel";
  launch.grid.x = numBlocks(table);
  if (code.facts.isPersistent)
    launch.grid.x = std::min(launch.grid.x, processors);
  launch.block.x = code.facts.threadsPerBlock;
  launch.shared = range[0];
  launch.sharedBytes = range[1] - range[0];
  launch.dynamic = range[2];
  launch.dynamicBytes = code.facts.dynamicSharedBytes;
  launch.reversed = reversed;
  return emulator::run(launch, parameters.data());
}

} // namespace ingot::ptx
