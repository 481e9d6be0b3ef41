//===- ObjectFiles.cpp - What is linked, in temporary files ---------------===//

#include "compiler/Driver/ObjectFiles.h"

#include "codegen/Backend.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::driver {

ObjectFiles::~ObjectFiles() {
  for (const std::string &file : files)
    (void)sys::fs::remove(file);
}

Error ObjectFiles::write(StringRef bytes, StringRef suffix) {
  SmallString<128> path;
  int descriptor;
  std::error_code error =
      sys::fs::createTemporaryFile("ingotc", suffix, descriptor, path);
  if (!error) {
    files.push_back(path.str().str());
    raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << bytes;
    stream.flush();
    error = stream.error();
    stream.clear_error();
  }
  return error ? createStringError(error, "cannot write a temporary file: %s",
                                   error.message().c_str())
               : Error::success();
}

Error ObjectFiles::addKernel(StringRef image, StringRef symbol) {
  Expected<std::unique_ptr<object::ObjectFile>> object =
      object::ObjectFile::createObjectFile(MemoryBufferRef(image, symbol));
  if (!object)
    return object.takeError();
  objcopy::ConfigManager config;
  config.Common.SymbolsToRename[codegen::kernelSymbol] = symbol;
  SmallVector<char, 0> renamed;
  raw_svector_ostream stream(renamed);
  if (Error error = objcopy::executeObjcopyOnBinary(config, **object, stream))
    return error;
  kernels.emplace_back(symbol.str(),
                       std::string(renamed.data(), renamed.size()));
  return Error::success();
}

Error ObjectFiles::finish() {
  if (kernels.empty())
    return Error::success();
  std::vector<NewArchiveMember> members;
  for (const auto &[name, bytes] : kernels)
    members.emplace_back(MemoryBufferRef(bytes, name));
  Expected<std::unique_ptr<MemoryBuffer>> archive = writeArchiveToBuffer(
      members, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return archive.takeError();
  return write((*archive)->getBuffer(), "a");
}

} // namespace ingot::driver
