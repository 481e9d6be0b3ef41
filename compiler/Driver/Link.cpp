//===- Link.cpp - Links objects and the runtime ---------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/Link.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace ingot::driver {

llvm::Error runLinker(std::vector<std::string> arguments,
                      llvm::StringRef output, bool isExecutable) {
  // Link to a temporary file in the folder of `output`, and rename the file
  // when it is complete.
  llvm::SmallString<128> temporary;
  if (std::error_code error =
          llvm::sys::fs::createUniqueFile(output + ".%%%%%%", temporary))
    return llvm::createStringError(error, "cannot write '%s': %s",
                                   output.str().c_str(),
                                   error.message().c_str());
  arguments.insert(arguments.begin(),
                   {"ld.lld", "-m", "elf_x86_64", "-o", temporary.str().str()});
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result =
      lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) {
    (void)llvm::sys::fs::remove(temporary);
    return llvm::createStringError("linking '%s' failed:\n%s",
                                   output.str().c_str(), messages.c_str());
  }
  using llvm::sys::fs::perms;
  perms mode = perms::owner_read | perms::owner_write | perms::group_read |
               perms::others_read;
  if (isExecutable)
    mode = mode | perms::owner_exe | perms::group_exe | perms::others_exe;
  std::error_code error = llvm::sys::fs::setPermissions(temporary, mode);
  if (!error)
    error = llvm::sys::fs::rename(temporary, output);
  if (error) {
    (void)llvm::sys::fs::remove(temporary);
    return llvm::createStringError(error, "cannot write '%s': %s",
                                   output.str().c_str(),
                                   error.message().c_str());
  }
  return llvm::Error::success();
}

llvm::Error inSdk(llvm::StringRef sdk, llvm::ArrayRef<llvm::StringRef> names,
                  std::vector<std::string> &arguments) {
  for (llvm::StringRef name : names) {
    llvm::SmallString<128> path(sdk);
    llvm::sys::path::append(path, name);
    if (!llvm::sys::fs::exists(path))
      return llvm::createStringError("the runtime is not installed: '%s' is "
                                     "missing (set the runtime's folder "
                                     "with --runtime-dir)",
                                     path.c_str());
    arguments.push_back(path.str().str());
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>> runtimeLibraries(llvm::StringRef sdk) {
  std::vector<std::string> paths;
  if (llvm::Error error =
          inSdk(sdk,
                {"libingot_rt.a", "libprotobuf-lite.a", "libleveldb.a",
                 "libsnappy.a", "libre2.a", "libpng.a", "libjpeg.a", "libz.a"},
                paths))
    return error;
  return paths;
}

/// The linker's arguments for an executable: flags, and the files to pass
/// before and after the program's objects.
struct LinkerArguments {
  std::vector<std::string> flags;
  std::vector<llvm::StringRef> before, after;
};

static LinkerArguments staticLine() {
  return {{"-static", "-pie", "--no-dynamic-linker", "--pack-dyn-relocs=relr"},
          {"rcrt1.o", "crti.o", "crtbeginS.o"},
          {"libstdc++.a", "libm.a", "libmvec.a", "libgcc.a", "libgcc_eh.a",
           "libc.a", "crtendS.o", "crtn.o"}};
}

/// Returns the linker's arguments for an executable that is linked dynamically
/// to the C library of the machine that runs it, and statically to all other
/// libraries.
static LinkerArguments dynamicLine() {
  return {{"-pie", "--dynamic-linker=/lib64/ld-linux-x86-64.so.2",
           "--as-needed", "--hash-style=gnu"},
          {"Scrt1.o", "crti.o", "crtbeginS.o"},
          {"libstdc++.a", "libm.so.6", "libgcc.a", "libgcc_eh.a", "libc.so.6",
           "libc_nonshared.a", "ld-linux-x86-64.so.2", "crtendS.o", "crtn.o"}};
}

llvm::Error linkExecutable(llvm::ArrayRef<std::string> objects,
                           llvm::StringRef sdk, llvm::StringRef output,
                           bool strip, bool loadsLibraries, bool quick) {
  LinkerArguments line = loadsLibraries ? dynamicLine() : staticLine();
  std::vector<std::string> arguments = std::move(line.flags);
  arguments.insert(arguments.end(),
                   {"-z", "text", "-z", "relro", "-z", "now", "--gc-sections",
                    "--eh-frame-hdr", "--build-id"});
  // Link with one thread: for a few megabytes, LLD's threads would mostly wait
  // for each other.
  arguments.push_back("--threads=1");
  if (quick)
    arguments.push_back("-O0");
  else
    arguments.insert(arguments.end(), {"-O2", "--icf=all"});
  if (strip)
    arguments.push_back("-s");
  if (llvm::Error error = inSdk(sdk, line.before, arguments))
    return error;
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  llvm::Expected<std::vector<std::string>> libraries = runtimeLibraries(sdk);
  if (!libraries)
    return libraries.takeError();
  arguments.insert(arguments.end(), libraries->begin(), libraries->end());
  if (llvm::Error error = inSdk(sdk, line.after, arguments))
    return error;
  return runLinker(std::move(arguments), output, /*isExecutable=*/true);
}

llvm::Error linkObject(llvm::ArrayRef<std::string> objects,
                       llvm::StringRef output) {
  std::vector<std::string> arguments = {"-r"};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  return runLinker(std::move(arguments), output, /*isExecutable=*/false);
}

} // namespace ingot::driver
