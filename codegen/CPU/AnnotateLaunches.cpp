//===- AnnotateLaunches.cpp - What launches need of other symbols ---------===//

#include "codegen/ABI/GlobalData.h"
#include "codegen/CPU/HostToLLVM.h"
#include "dialects/Host/HostDialect.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ingot::cpu {

/// What a trace and a watchdog call the kernel: the nodes that it computes.
static std::string describeKernel(host::LaunchOp op) {
  constexpr size_t shown = 4;
  llvm::SetVector<StringRef> names;
  static_cast<LocationAttr>(op.getLoc()).walk([&](Location loc) {
    if (auto name = dyn_cast<NameLoc>(loc)) {
      names.insert(name.getName().getValue());
      return WalkResult::skip();
    }
    return WalkResult::advance();
  });
  if (names.empty())
    return op.getKernel().str();
  std::string text = llvm::join(names.getArrayRef().take_front(shown), " + ");
  if (names.size() > shown)
    text += " + " + std::to_string(names.size() - shown) + " more";
  return text;
}

void annotateLaunches(ModuleOp module) {
  SymbolTable symbols(module);
  abi::GlobalData data(module, &symbols);
  module.walk([&](host::LaunchOp launch) {
    Operation *kernel = symbols.lookup(launch.getKernel());
    for (StringRef name :
         {host::gridAttrName, host::flopsAttrName, host::bytesAttrName})
      if (Attribute fact = kernel->getAttr(name))
        launch->setAttr(name, fact);
    launch->setAttr(launchNodeAttrName, data.string(describeKernel(launch)));
  });
}

} // namespace ingot::cpu
