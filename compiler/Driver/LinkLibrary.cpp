//===- LinkLibrary.cpp - Links a library trainer --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/LinkLibrary.h"

#include "compiler/Driver/Link.h"
#include "compiler/Driver/TemporaryFile.h"

#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace ingot::driver {

/// The name of the function that runtime/Embedding/LibraryEntryPoint.cpp
/// exports.
static constexpr StringLiteral mainSymbol = "ingot_trainer_library_main";

/// Renames `mainSymbol` to `name`, and makes all other symbols of `object`
/// local, so that two libraries can be linked into one program.
static Expected<SmallVector<char, 0>> hideSymbols(MemoryBufferRef object,
                                                  StringRef name) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createObjectFile(object);
  if (!file)
    return file.takeError();
  objcopy::ConfigManager config;
  Expected<objcopy::NameOrPattern> kept =
      objcopy::NameOrPattern::create(mainSymbol, objcopy::MatchStyle::Literal,
                                     [](Error error) { return error; });
  if (!kept)
    return kept.takeError();
  if (Error error =
          config.Common.SymbolsToKeepGlobal.addMatcher(std::move(kept)))
    return error;
  std::string symbol = (name + "_library").str();
  config.Common.SymbolsToRename[mainSymbol] = symbol;
  config.Common.StripUnneeded = true;
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  if (Error error = objcopy::executeObjcopyOnBinary(config, **file, stream))
    return error;
  return bytes;
}

Error linkStaticLibrary(ArrayRef<std::string> objects, StringRef sdk,
                        StringRef output, StringRef name) {
  std::vector<std::string> arguments = {
      "-r", "--gc-sections", "-e", mainSymbol.str(), "-u", mainSymbol.str()};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  Expected<std::vector<std::string>> libraries = runtimeLibraries(sdk);
  if (!libraries)
    return libraries.takeError();
  arguments.insert(arguments.end(), libraries->begin(), libraries->end());
  if (Error error = inSdk(sdk, {"libstdc++.a"}, arguments))
    return error;
  Expected<TemporaryFile> whole = TemporaryFile::create("o");
  if (!whole)
    return whole.takeError();
  if (Error error = runLinker(std::move(arguments), whole->path(),
                              /*isExecutable=*/false))
    return error;
  ErrorOr<std::unique_ptr<MemoryBuffer>> object =
      MemoryBuffer::getFile(whole->path());
  if (!object)
    return createStringError(object.getError(), "cannot read '%s': %s",
                             whole->path().c_str(),
                             object.getError().message().c_str());
  Expected<SmallVector<char, 0>> hidden =
      hideSymbols((*object)->getMemBufferRef(), name);
  if (!hidden)
    return hidden.takeError();
  std::string member = (name + ".o").str();
  NewArchiveMember row(
      MemoryBufferRef(StringRef(hidden->data(), hidden->size()), member));
  // No temporary file is needed here: writeArchive itself writes to one and
  // renames it.
  if (Error error = writeArchive(output, row, SymtabWritingMode::NormalSymtab,
                                 object::Archive::K_GNU, /*Deterministic=*/true,
                                 /*Thin=*/false))
    return createStringError("cannot write '%s': %s", output.str().c_str(),
                             toString(std::move(error)).c_str());
  return Error::success();
}

Error linkSharedLibrary(ArrayRef<std::string> objects, StringRef sdk,
                        StringRef output, StringRef name, bool strip) {
  std::string symbol = (name + "_library").str();
  Expected<TemporaryFile> exports = TemporaryFile::create(
      "map", "{\n  global: " + symbol + ";\n  local: *;\n};\n");
  if (!exports)
    return exports.takeError();
  std::vector<std::string> arguments = {
      "-shared", "-soname", sys::path::filename(output).str(),
      "--version-script=" + exports->path(),
      "--defsym=" + symbol + "=" + mainSymbol.str(), "-u", mainSymbol.str(),
      "-Bsymbolic",
      // The references to stderr in Debian's libprotobuf-lite.a cannot be
      // linked into a shared object: redirect them to __wrap_stderr
      // (runtime/Embedding/ProtobufStubs.cpp).
      "--wrap=stderr", "--hash-style=gnu", "--as-needed", "-z", "nodelete",
      "-z", "defs", "-z", "relro", "-z", "now", "-z", "text", "--gc-sections",
      "--eh-frame-hdr", "--build-id", "-O2", "--icf=all"};
  if (strip)
    arguments.push_back("-s");
  if (Error error = inSdk(sdk, {"crti.o", "crtbeginS.o"}, arguments))
    return error;
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  if (Error error = inSdk(sdk, {"libingot_shared.a"}, arguments))
    return error;
  Expected<std::vector<std::string>> libraries = runtimeLibraries(sdk);
  if (!libraries)
    return libraries.takeError();
  arguments.insert(arguments.end(), libraries->begin(), libraries->end());
  if (Error error = inSdk(sdk,
                          {"libstdc++.a", "libm.so.6", "libgcc.a",
                           "libgcc_eh.a", "libc.so.6", "libc_nonshared.a",
                           "ld-linux-x86-64.so.2", "crtendS.o", "crtn.o"},
                          arguments))
    return error;
  return runLinker(std::move(arguments), output, /*isExecutable=*/false);
}

} // namespace ingot::driver
