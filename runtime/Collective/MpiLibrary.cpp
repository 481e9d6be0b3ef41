//===- MpiLibrary.cpp - Loads an MPI library ------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/MpiLibrary.h"

#include <algorithm>
#include <dlfcn.h>

using namespace ingot;

static constexpr const char *openMpiName = "libmpi.so.40";

std::vector<std::string>
MpiLibrary::candidates(const std::string &path,
                       const Environment &environment) {
  if (!path.empty())
    return {path};
  // Debian's name of MPICH's library is libmpich.so.12.
  std::vector<std::string> names = {"libmpi_abi.so.0", "libmpi.so.12",
                                    "libmpich.so.12", openMpiName};
  // First try the library whose launcher has started this process. Open MPI's
  // mpirun sets OMPI_COMM_WORLD_SIZE; srun sets PMIX_RANK for Open MPI, and
  // PMI_SIZE for MPICH.
  bool isOpenMpi = environment("OMPI_COMM_WORLD_SIZE") ||
                   (environment("PMIX_RANK") && !environment("PMI_SIZE"));
  if (isOpenMpi)
    std::rotate(names.begin(), names.end() - 1, names.end());
  return names;
}

/// Returns the constants of Open MPI, which are addresses of objects in the
/// library.
static MpiLibrary::MpiAbiConstants openMpiConstants(void *library) {
  auto address = [&](const char *symbol) {
    return reinterpret_cast<MpiLibrary::Handle>(dlsym(library, symbol));
  };
  MpiLibrary::MpiAbiConstants constants;
  constants.world = address("ompi_mpi_comm_world");
  constants.byte = address("ompi_mpi_byte");
  constants.errorsReturn = address("ompi_mpi_errors_return");
  constants.inPlace = reinterpret_cast<void *>(1);
  return constants;
}

/// The constants of the MPICH ABI Compatibility Initiative, whose handles are
/// ints.
static MpiLibrary::MpiAbiConstants mpichConstants() {
  MpiLibrary::MpiAbiConstants constants;
  constants.world = 0x44000000;
  constants.byte = 0x4c00010d;
  constants.errorsReturn = 0x54000001;
  constants.inPlace = reinterpret_cast<void *>(-1);
  constants.statusesIgnore = reinterpret_cast<void *>(1);
  constants.requestBytes = sizeof(int);
  return constants;
}

/// The constants of the MPI standard, version 5.0, chapter "Application Binary
/// Interface".
static MpiLibrary::MpiAbiConstants standardConstants() {
  MpiLibrary::MpiAbiConstants constants;
  constants.world = 0x101;
  constants.byte = 0x247;
  constants.errorsReturn = 0x143;
  constants.inPlace = reinterpret_cast<void *>(1);
  constants.funneled = 1024;
  constants.serialized = 2048;
  return constants;
}

/// Returns true if the library has the standard ABI of MPI 5. Libraries of
/// version 5 with another ABI have MPI_Abi_get_version() as well, but report
/// version -1.
static bool isStandard(void *library) {
  auto version = reinterpret_cast<int (*)(int *, int *)>(
      dlsym(library, "MPI_Abi_get_version"));
  int major = -1, minor = -1;
  return version && version(&major, &minor) == 0 && major >= 1;
}

static Status findConstants(void *library, MpiLibrary &mpi) {
  if (isStandard(library))
    mpi.constants = standardConstants();
  else if (dlsym(library, "ompi_mpi_comm_world"))
    mpi.constants = openMpiConstants(library);
  else if (dlsym(library, "MPIR_Dup_fn"))
    mpi.constants = mpichConstants();
  else
    return Status(StatusCode::FailedPrecondition,
                  "'" + mpi.path +
                      "' is an MPI library with an unknown ABI: expected the "
                      "ABI of MPI 5 (MPI_Abi_get_version), Open MPI "
                      "(ompi_mpi_comm_world) or MPICH (MPIR_Dup_fn)");
  return Status::ok();
}

Expected<MpiLibrary> MpiLibrary::load(const std::vector<std::string> &names) {
  void *library = nullptr;
  MpiLibrary mpi;
  std::string reasons;
  for (const std::string &name : names) {
    // Load with RTLD_GLOBAL, as plugins of older versions of Open MPI look up
    // its symbols globally.
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library) {
      mpi.path = name;
      break;
    }
    const char *reason = dlerror();
    reasons += (reasons.empty() ? "" : "; ") +
               std::string(reason ? reason : name.c_str());
  }
  if (!library)
    return Status(StatusCode::NotFound,
                  "no MPI library: " + reasons +
                      "; name one with --mpi-library or INGOT_MPI_LIBRARY");
  const char *missing = nullptr;
#define INGOT_MPI(name, parameters)                                            \
  mpi.name =                                                                   \
      reinterpret_cast<decltype(mpi.name)>(dlsym(library, "MPI_" #name));      \
  if (!mpi.name && !missing)                                                   \
    missing = "MPI_" #name;
#include "runtime/Collective/MpiLibrary.def"
  if (missing)
    return Status(StatusCode::FailedPrecondition,
                  "'" + mpi.path + "' is no MPI library of version 3 or " +
                      "later: it lacks " + missing);
  INGOT_RETURN_IF_ERROR(findConstants(library, mpi));
  return mpi;
}

std::string ingot::shortMpiVersion(const std::string &text) {
  // The text of MPI_Get_library_version() is, for example, "Open MPI v4.1.4,
  // package: ...", "MPICH Version:\t4.0.2\nMPICH Release ...", or "Intel(R) MPI
  // Library 2021.9 for Linux* OS".
  std::string line = text.substr(0, text.find_first_of(",\n"));
  std::string result;
  for (size_t at = 0; at < line.size();) {
    size_t end = std::min(line.find_first_of(" \t", at), line.size());
    std::string word = line.substr(at, end - at);
    at = end + 1;
    if (word.size() > 1 && word[0] == 'v' && word[1] >= '0' && word[1] <= '9')
      word.erase(0, 1);
    std::string lower = word;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    if (word.empty() || lower == "version:" || lower == "version" ||
        lower == ":")
      continue;
    if (lower == "for")
      break;
    result += (result.empty() ? "" : " ") + word;
  }
  return result.empty() ? "an unnamed MPI" : result;
}

std::string MpiLibrary::version() const {
  // The largest MPI_MAX_LIBRARY_VERSION_STRING of the ABIs is 8192.
  std::string text(8192, '\0');
  int length = 0;
  if (Get_library_version(text.data(), &length) != 0 || length < 0)
    return "an unnamed MPI";
  text.resize(std::min(text.find('\0'), text.size()));
  return shortMpiVersion(text);
}

Status MpiLibrary::statusOf(int error, const char *function) const {
  char text[1024] = ""; // MPI_MAX_ERROR_STRING is at most 512
  int length = 0;
  if (Error_string(error, text, &length) != 0)
    text[0] = '\0';
  return Status(StatusCode::Unavailable,
                "MPI_" + std::string(function) + " failed: " +
                    (text[0] ? text : "error " + std::to_string(error)));
}
