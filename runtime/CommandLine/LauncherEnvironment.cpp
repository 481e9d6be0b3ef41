//===- LauncherEnvironment.cpp - What started this process ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/LauncherEnvironment.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/ParseNumber.h"

#include <cstring>
#include <elf.h>
#include <link.h>
#include <set>
#include <sstream>

using namespace ingot;

static int64_t numberIn(const Environment &environment, const char *variable,
                        int64_t fallback) {
  const char *text = environment(variable);
  int64_t number = 0;
  return text && parseNumber(text, INGOT_INT64, &number) ? number : fallback;
}

LauncherEnvironment ingot::readLauncher(const Environment &environment) {
  struct LauncherEnvironmentVariables {
    const char *size, *rank;
    bool isMpi; // set by an MPI launcher, even if it starts one process
  };
  // The first of these variables that is set is used. SLURM_STEP_NUM_TASKS is
  // the number of tasks of an srun step, and precedes SLURM_NTASKS, the number
  // of tasks of the whole Slurm job.
  constexpr LauncherEnvironmentVariables all[] = {
      {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", true},
      {"PMI_SIZE", "PMI_RANK", true},
      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", false},
      {"SLURM_NTASKS", "SLURM_PROCID", false}};
  // The script of a Slurm job and the shell of salloc have the job's variables,
  // but are not tasks of the job.
  bool isTask = environment("SLURM_STEP_ID") || !environment("SLURM_JOB_ID");
  bool hasPmix = environment("PMIX_RANK");
  LauncherEnvironment launcher;
  for (const LauncherEnvironmentVariables &variables : all) {
    if (!environment(variables.size) || (!variables.isMpi && !isTask))
      continue;
    launcher.size = numberIn(environment, variables.size, 1);
    launcher.rank = numberIn(environment, variables.rank, 0);
    if (variables.isMpi || launcher.size > 1 || hasPmix)
      launcher.variable = variables.size;
    return launcher;
  }
  // PMIx has no variable for the number of processes.
  if (hasPmix) {
    launcher.variable = "PMIX_RANK";
    launcher.rank = numberIn(environment, "PMIX_RANK", 0);
  }
  return launcher;
}

/// Returns the first line of `left` that `right` lacks; "" if there is none.
static std::string firstMissing(const std::string &left,
                                const std::string &right) {
  std::istringstream others(right), own(left);
  std::set<std::string> known;
  for (std::string line; std::getline(others, line);)
    known.insert(line);
  for (std::string line; std::getline(own, line);)
    if (!known.count(line))
      return line;
  return "";
}

/// Returns a text that names a flag whose values on two ranks differ.
static std::string differingFlag(const std::string &own,
                                 const std::string &first) {
  std::string flag = firstMissing(own, first);
  return flag.empty() ? "lacks '" + firstMissing(first, own) + "'"
                      : "has '" + flag + "'";
}

Status ingot::compareRanks(const std::vector<RankConfiguration> &ranks) {
  auto differs = [](const std::string &what) {
    return Status(StatusCode::InvalidArgument, what);
  };
  const RankConfiguration &first = ranks.front();
  const std::string rank0 = "rank 0 (" + first.host + ")";
  for (size_t r = 0; r < ranks.size(); ++r) {
    const RankConfiguration &own = ranks[r];
    std::string self = "rank " + std::to_string(r) + " (" + own.host + ")";
    if (own.build != first.build)
      return differs(self + " runs another artifact than " + rank0 +
                     ", build " + own.build + " instead of " + first.build +
                     ": start the same file on every host");
    // Code for all CPU levels from x86-64-v3 on computes the same bits, so
    // ranks may run code for different ones of these levels. x86-64-v2 has no
    // FMA and rounds differently.
    bool isOld = own.target == "x86-64-v2";
    if (isOld != (first.target == "x86-64-v2"))
      return differs(self + " runs the code for " + own.target + ", " + rank0 +
                     " that for " + first.target +
                     ", and these differ in their last bits: leave the older "
                     "machine out, or compile with --cpu=x86-64-v2");
    if (own.flags != first.flags)
      return differs(self + " " + differingFlag(own.flags, first.flags) +
                     ", unlike " + rank0 + ": give all ranks the same flags");
    if (own.tasks != 0 && own.tasks != static_cast<int64_t>(ranks.size()))
      return differs(self + ": TF_CONFIG has " + std::to_string(own.tasks) +
                     " chief and worker tasks, but the launcher has started " +
                     std::to_string(ranks.size()) + " ranks");
  }
  return Status::ok();
}

/// Reads the build id from the notes of `object`. dl_iterate_phdr() calls this
/// function with the executable first; the function then ends the iteration.
static int findBuildId(dl_phdr_info *object, size_t, void *result) {
  constexpr char digits[] = "0123456789abcdef";
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = object->dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    auto *at =
        reinterpret_cast<const uint8_t *>(object->dlpi_addr + header.p_vaddr);
    for (const uint8_t *end = at + header.p_memsz;
         static_cast<size_t>(end - at) >= sizeof(ElfW(Nhdr));) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const uint8_t *name = at + sizeof note;
      const uint8_t *id = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0)
        for (size_t byte = 0; byte < note.n_descsz; ++byte) {
          auto &text = *static_cast<std::string *>(result);
          text += digits[id[byte] >> 4];
          text += digits[id[byte] & 15];
        }
      at = id + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1; // no further object
}

std::string ingot::ownBuildId() {
  std::string id;
  dl_iterate_phdr(findBuildId, &id);
  return id;
}
