//===- NcclLibrary.cpp - Loads NCCL ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/NcclLibrary.h"

#include <dlfcn.h>

using namespace ingot;

static Status unavailable(const std::string &what) {
  return Status(StatusCode::Unavailable, what);
}

/// Returns the text of a version that NCCL 2.9 and later encode as 10000 *
/// major + 100 * minor + patch, and earlier ones as 1000 * major + ...
static std::string versionText(int version) {
  int thousands = version < 10000 ? 1000 : 10000;
  return "NCCL " + std::to_string(version / thousands) + "." +
         std::to_string(version % thousands / 100) + "." +
         std::to_string(version % 100);
}

Expected<NcclLibrary> NcclLibrary::load(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return unavailable("no NCCL: cannot load " + std::string(name) + " (" +
                       (reason ? reason : "no reason given") + ")");
  }
  NcclLibrary nccl;
  const char *missing = nullptr;
#define INGOT_NCCL(result, name, parameters)                                   \
  nccl.name =                                                                  \
      reinterpret_cast<decltype(nccl.name)>(dlsym(library, "nccl" #name));     \
  if (!nccl.name && !missing)                                                  \
    missing = "nccl" #name;
#include "runtime/Collective/NcclLibrary.def"
  int version = 0;
  if (nccl.GetVersion && nccl.GetVersion(&version) == success)
    nccl.version = versionText(version);
  if (!nccl.version.empty() && version < static_cast<int>(oldestVersion))
    return unavailable(std::string(name) + " is " + nccl.version +
                       "; this program needs " + versionText(oldestVersion) +
                       " or newer");
  if (missing)
    return unavailable(std::string(name) + " lacks function " + missing);
  if (nccl.version.empty())
    return unavailable(std::string(name) + " does not tell its version");
  return nccl;
}

Status NcclLibrary::statusOf(int error, const char *function, Comm comm) const {
  const char *text = GetErrorString(error), *last = GetLastError(comm);
  std::string message = "nccl" + std::string(function) + " failed: " +
                        (text ? text : "error " + std::to_string(error));
  if (last && *last)
    message += " (" + std::string(last) + ")";
  return Status(StatusCode::Unavailable, message);
}
