//===- ingot-ptx-emulate.cpp - Kernels for a GPU, run without one ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Emulate/Emulate.h"
#include "codegen/Emulate/EmulatedObjectName.h"
#include "codegen/PTX/RunPtxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

static cl::OptionCategory category("ingot-ptx-emulate options");
static cl::opt<std::string> input(cl::Positional, cl::desc("KERNELS.ll"),
                                  cl::Required, cl::cat(category));
static cl::opt<std::string> output(
    "o", cl::Required,
    cl::desc("write this shared object, or with --image into this folder"),
    cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string>
    image("image",
          cl::desc("name the shared object as the tests' libcuda looks for the "
                   "image of this PTX"),
          cl::value_desc("KERNELS.ptx"), cl::cat(category));
static cl::opt<bool> check("check",
                           cl::desc("check for races, unwritten shared memory "
                                    "and out-of-bounds addresses at run time"),
                           cl::cat(category));
static cl::opt<bool>
    costs("costs",
          cl::desc("count requests, sectors and wavefronts at run time; with "
                   "--image, registers are ptxas's where it is installed"),
          cl::cat(category));
static cl::opt<bool> printIR("S", cl::desc("write unoptimized LLVM IR for x86"),
                             cl::cat(category));

static int fail(const Twine &message) {
  WithColor::error() << message << '\n';
  return 1;
}

/// Writes the IR for x86 as text.
static int print(Module &module, const ingot::emulate::Options &options) {
  if (Error error = ingot::emulate::lower(module, options))
    return fail(input + ": " + toString(std::move(error)));
  std::error_code error;
  raw_fd_ostream stream(output, error);
  if (error)
    return fail("cannot write '" + output + "': " + error.message());
  module.print(stream, nullptr);
  return verifyModule(module, &errs())
             ? fail("the generated LLVM IR is invalid; this is a bug in "
                    "ingot-ptx-emulate")
             : 0;
}

/// The registers of the image's kernels, for the GPU that PTX names. Empty if
/// the image is no PTX, or if ptxas is not installed.
static Expected<StringMap<uint32_t>> registersOf(StringRef ptx) {
  StringRef arch = ptx.split("\n.target ").second;
  arch = arch.take_while([](char c) { return isAlnum(c) || c == '_'; });
  if (arch.empty() || ingot::ptx::findAssembler().empty())
    return StringMap<uint32_t>();
  Expected<std::string> usage = ingot::ptx::describeUsage(ptx, arch);
  if (!usage)
    return usage.takeError();
  return ingot::emulate::parseRegisters(*usage);
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles LLVM IR of GPU kernels to a shared object for x86\n");
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(input, diagnostic, context);
  if (!module) {
    diagnostic.print("ingot-ptx-emulate", errs());
    return 1;
  }
  ingot::emulate::Options options;
  options.check = check;
  options.costs = costs;
  SmallString<128> path(output);
  if (!image.empty()) {
    auto text = MemoryBuffer::getFile(image);
    if (!text)
      return fail("cannot read '" + image + "': " + text.getError().message());
    StringRef content = (*text)->getBuffer();
    sys::path::append(path, ingot::emulate::imageName(content));
    if (costs) {
      auto registers = registersOf(content);
      if (!registers)
        return fail(image + ": " + toString(registers.takeError()));
      options.registers = std::move(*registers);
    }
  }
  if (printIR)
    return print(*module, options);
  if (Error error = ingot::emulate::emulate(*module, options, path))
    return fail(input + ": " + toString(std::move(error)));
  return 0;
}
