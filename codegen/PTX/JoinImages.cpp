//===- JoinImages.cpp - Many kernels in one module ------------------------===//

#include "codegen/PTX/JoinImages.h"

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

/// `text` with `symbol` in the place of every kernelSymbol.
static std::string rename(StringRef text, StringRef symbol) {
  std::string result;
  while (true) {
    auto [before, after] = text.split(codegen::kernelSymbol);
    result += before;
    if (before.size() == text.size())
      return result;
    result += symbol;
    text = after;
  }
}

std::string joinPTX(ArrayRef<codegen::NamedImage> images) {
  static constexpr StringLiteral lastOfHeader = ".address_size 64\n";
  std::string joined;
  for (const codegen::NamedImage &image : images) {
    size_t end = image.image.find(lastOfHeader);
    size_t body = end == StringRef::npos ? 0 : end + lastOfHeader.size();
    if (joined.empty())
      joined = image.image.take_front(body).str();
    joined += rename(image.image.drop_front(body), symbolOf(image.name));
  }
  return joined;
}

Expected<std::string> joinIR(ArrayRef<codegen::NamedImage> images) {
  LLVMContext context;
  auto joined = std::make_unique<Module>("ingot", context);
  Linker linker(*joined);
  for (const codegen::NamedImage &image : images) {
    std::string text = rename(image.image, symbolOf(image.name));
    SMDiagnostic problem;
    std::unique_ptr<Module> module =
        parseAssemblyString(text, problem, context);
    if (!module)
      return createStringError("kernel '%s' is no LLVM IR: %s",
                               image.name.str().c_str(),
                               problem.getMessage().str().c_str());
    if (joined->getTargetTriple().empty()) {
      joined->setTargetTriple(module->getTargetTriple());
      joined->setDataLayout(module->getDataLayout());
    }
    if (linker.linkInModule(std::move(module)))
      return createStringError("kernel '%s' is there twice",
                               image.name.str().c_str());
  }
  std::string text;
  raw_string_ostream stream(text);
  joined->print(stream, nullptr);
  return text;
}

} // namespace ingot::ptx
