//===- CrashReport.cpp - Reports where the compiler crashed ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/CrashReport.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/Location.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <memory>
#include <unistd.h>

using namespace mlir;

namespace ingot::driver {

/// The kernel and its node, the pass, and the location of the op that this
/// thread currently works on. MLIR frees locations only together with their
/// context, so the location stays valid even if the op is erased.
static thread_local StringRef kernel, kernelNode, pass;
static thread_local std::optional<Location> place;

StringRef nodeAt(Location location) {
  auto name = location->findInstanceOf<NameLoc>();
  return name ? name.getName().getValue() : StringRef();
}

/// Reports the crash and exits. The heap may be corrupt, so the text is built
/// on the stack.
static void report(void *) {
  llvm::SmallString<1024> text("error: ingotc crashed");
  auto add = [&](StringRef what, StringRef name, StringRef end) {
    if (!name.empty() && text.size() + what.size() + name.size() < 900)
      (text += what) += name, text += end;
  };
  add(" in pass ", pass, "");
  add(", at kernel '", kernel, "'");
  StringRef node = place ? nodeAt(*place) : StringRef();
  add(", at node '", node.empty() ? kernelNode : node, "'");
  text += "; this is a bug in Ingot, not in the graph\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  _exit(crashed);
}

void reportCrashes() { llvm::sys::AddSignalHandler(report, nullptr); }

namespace {
/// The stack of one thread on which the crash handler runs: after a stack
/// overflow, the thread's own stack cannot be used.
class AlternateSignalStack {
public:
  AlternateSignalStack() {
    stack_t stack = {};
    stack.ss_sp = bytes.get();
    stack.ss_size = size;
    (void)sigaltstack(&stack, nullptr);
  }
  ~AlternateSignalStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    (void)sigaltstack(&none, nullptr);
  }

private:
  static constexpr size_t size = 64 * 1024;
  std::unique_ptr<char[]> bytes = std::make_unique<char[]>(size);
};
} // namespace

void reportCrashesOfThread() { static thread_local AlternateSignalStack stack; }

void followPasses(MLIRContext &context) {
  context.registerActionHandler(
      [](llvm::function_ref<void()> run, const tracing::Action &action) {
        StringRef outerPass = pass;
        std::optional<Location> outerPlace = place;
        auto restore = llvm::make_scope_exit([&] {
          pass = outerPass;
          place = outerPlace;
        });
        if (auto *execution = dyn_cast<PassExecutionAction>(&action))
          pass = execution->getPass().getArgument();
        else if (isa<ApplyPatternAction>(action))
          for (IRUnit unit : action.getContextIRUnits())
            if (auto *op = dyn_cast<Operation *>(unit))
              place = op->getLoc();
        run();
      });
}

CrashReportScope::CrashReportScope(StringRef name, StringRef node) {
  kernel = name;
  kernelNode = node;
}
CrashReportScope::~CrashReportScope() { kernel = kernelNode = {}; }

} // namespace ingot::driver
