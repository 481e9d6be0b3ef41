//===- MergeDeviceModules.cpp - Many kernels in one module ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Joins the modules of all kernels into one module. PTX is joined as text: one
// header, then the bodies of all modules. LLVM IR is parsed and linked.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/MergeDeviceModules.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::ptx {

std::string symbolOf(StringRef name) {
  std::string symbol = name.str();
  for (char &c : symbol)
    if (!isAlnum(c) && c != '_' && c != '$')
      c = '_';
  return symbol;
}

static std::string replaceAll(StringRef text, StringRef from, StringRef to) {
  std::string result;
  while (true) {
    auto [before, after] = text.split(from);
    result += before;
    if (before.size() == text.size())
      return result;
    result += to;
    text = after;
  }
}

/// Returns `text` with every occurrence of kernelSymbol, a placeholder for the
/// kernel's name in its symbols, replaced by `symbol`.
static std::string rename(StringRef text, StringRef symbol) {
  return replaceAll(text, codegen::kernelSymbol, symbol);
}

/// Splits a PTX module into its header, which ends with the directive
/// .address_size, and its body.
static std::pair<StringRef, StringRef> splitHeader(StringRef text) {
  static constexpr StringLiteral lastOfHeader = ".address_size 64\n";
  size_t end = text.find(lastOfHeader);
  size_t body = end == StringRef::npos ? 0 : end + lastOfHeader.size();
  return {text.take_front(body), text.drop_front(body)};
}

/// Returns `text` without its declarations of functions, as the joined module
/// has their definitions.
static std::string dropDeclarations(StringRef text) {
  std::string result;
  while (true) {
    auto [before, rest] = text.split(".extern .func ");
    result += before;
    if (before.size() == text.size())
      return result;
    text = rest.split("\n;\n").second;
  }
}

std::string joinPTX(StringRef header, ArrayRef<codegen::KernelImage> images,
                    ArrayRef<std::string> own) {
  std::string joined = splitHeader(header).first.str();
  for (const codegen::KernelImage &image : images)
    joined += rename(splitHeader(image.image).second, symbolOf(image.name));
  // Make the kernels' functions for the step kernel local to the module: only
  // the step kernel, which is in the same module, calls them.
  for (const codegen::KernelImage &image : images) {
    std::string body =
        rename(splitHeader(image.function).second, symbolOf(image.name));
    joined += replaceAll(body, ".visible .func ", ".func ");
  }
  for (StringRef module : own)
    joined += dropDeclarations(splitHeader(module).second);
  return joined;
}

/// Parses the IR `text` of kernel `name` and links it into `joined`.
static Error link(StringRef text, StringRef name, Module &joined,
                  Linker &linker) {
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, problem, joined.getContext());
  if (!module)
    return createStringError("cannot parse the IR of kernel '%s': %s",
                             name.str().c_str(),
                             problem.getMessage().str().c_str());
  if (joined.getTargetTriple().empty()) {
    joined.setTargetTriple(module->getTargetTriple());
    joined.setDataLayout(module->getDataLayout());
  }
  if (linker.linkInModule(std::move(module)))
    return createStringError("kernel '%s' cannot be linked with the program's "
                             "other kernels: their names must be unique",
                             name.str().c_str());
  return Error::success();
}

Expected<std::string> joinIR(ArrayRef<codegen::KernelImage> images,
                             ArrayRef<std::string> own) {
  LLVMContext context;
  auto joined = std::make_unique<Module>("ingot", context);
  Linker linker(*joined);
  for (const codegen::KernelImage &image : images)
    for (StringRef text : {image.image, image.function})
      if (!text.empty())
        if (Error error = link(rename(text, symbolOf(image.name)), image.name,
                               *joined, linker))
          return error;
  for (StringRef text : own)
    if (!text.empty())
      if (Error error = link(text, "of Ingot", *joined, linker))
        return error;
  std::string text;
  raw_string_ostream stream(text);
  joined->print(stream, nullptr);
  return text;
}

} // namespace ingot::ptx
