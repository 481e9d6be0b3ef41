//===- SplitEntryModule.cpp - Split entries for parallel compilation ------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/SplitEntryModule.h"

#include "dialects/Host/HostAttributes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ingot::hostgen {

std::string nodesOf(host::LaunchOp launch) {
  constexpr size_t shown = 4;
  llvm::SetVector<StringRef> names;
  static_cast<LocationAttr>(launch.getLoc()).walk([&](Location loc) {
    if (auto name = dyn_cast<NameLoc>(loc)) {
      names.insert(name.getName().getValue());
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  if (names.empty())
    return launch.getKernel().str();
  std::string text = llvm::join(names.getArrayRef().take_front(shown), " + ");
  if (names.size() > shown)
    text += " + " + std::to_string(names.size() - shown) + " more";
  return text;
}

static size_t countOps(func::FuncOp function) {
  size_t count = 0;
  function.walk([&](Operation *) { ++count; });
  return count;
}

bool isInitialization(func::FuncOp function) {
  auto entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
  return entry && (entry.getRole() == host::Role::init ||
                   entry.getRole() == host::Role::local_init);
}

/// Distributes functions over several modules, by their number of ops: the
/// largest function first, each to the module that is smallest so far (longest
/// processing time first, Graham 1969). Initializations have a module of their
/// own, because their constants, the initial values, are often all that differs
/// from an earlier compilation, whose other modules are in the cache.
static std::vector<SmallVector<func::FuncOp>> partition(ModuleOp entries) {
  constexpr size_t opsOfAPart = 500, mostParts = 4;
  SmallVector<std::pair<size_t, func::FuncOp>> functions;
  SmallVector<func::FuncOp> initializations;
  size_t total = 0;
  for (auto function : entries.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (isInitialization(function)) {
      initializations.push_back(function);
      continue;
    }
    functions.emplace_back(countOps(function), function);
    total += functions.back().first;
  }
  llvm::stable_sort(functions, [](const auto &a, const auto &b) {
    return a.first > b.first;
  });
  size_t count = std::clamp<size_t>(total / opsOfAPart, 1, mostParts);
  SmallVector<size_t> sizes(count);
  std::vector<SmallVector<func::FuncOp>> parts(count);
  for (auto &[size, function] : functions) {
    size_t least = llvm::min_element(sizes) - sizes.begin();
    sizes[least] += size;
    parts[least].push_back(function);
  }
  parts.push_back(std::move(initializations));
  // A program needs at least one module, which has the names of nodes.
  llvm::erase_if(parts, [](const auto &part) { return part.empty(); });
  if (parts.empty())
    parts.emplace_back();
  for (SmallVector<func::FuncOp> &part : parts)
    llvm::sort(part, [](func::FuncOp a, func::FuncOp b) {
      return a->isBeforeInBlock(b);
    });
  return parts;
}

std::vector<OwningOpRef<ModuleOp>> splitEntries(ModuleOp entries) {
  Builder attributes(entries.getContext());
  llvm::SetVector<Attribute> names;
  entries.walk([&](host::LaunchOp launch) {
    names.insert(attributes.getStringAttr(nodesOf(launch)));
  });
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (const SmallVector<func::FuncOp> &part : partition(entries)) {
    modules.push_back(ModuleOp::create(entries.getLoc()));
    ModuleOp module = *modules.back();
    module->setAttr(nodesAttrName,
                    attributes.getArrayAttr(names.getArrayRef()));
    if (modules.size() > 1)
      module->setAttr(nodesElsewhereAttrName, attributes.getUnitAttr());
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    for (auto kernel : entries.getOps<func::FuncOp>())
      if (kernel.isExternal())
        builder.clone(*kernel);
    for (func::FuncOp function : part)
      builder.clone(*function);
  }
  return modules;
}

} // namespace ingot::hostgen
