//===- ObjectFiles.cpp - The linker's inputs in temporary files -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/ObjectFiles.h"

#include "codegen/Backend.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::driver {

Error ObjectFiles::write(StringRef bytes, StringRef suffix) {
  Expected<TemporaryFile> file = TemporaryFile::create(suffix, bytes);
  if (!file)
    return file.takeError();
  files.push_back(std::move(*file));
  return Error::success();
}

std::vector<std::string> ObjectFiles::paths() const {
  std::vector<std::string> paths;
  for (const TemporaryFile &file : files)
    paths.push_back(file.path());
  return paths;
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
