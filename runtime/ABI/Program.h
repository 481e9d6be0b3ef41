/*===- Program.h - The tables of a compiled program ---------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that codegen writes into an artifact's object file and that the */
/* runtime reads. Their fields are listed in Program.def; the calls that      */
/* compiled code makes into the runtime are in Calls.h.                       */
/*===----------------------------------------------------------------------===*/
#ifndef INGOT_RUNTIME_ABI_PROGRAM_H
#define INGOT_RUNTIME_ABI_PROGRAM_H

#include "runtime/ABI/CodeSignature.h"
#include "runtime/ABI/Dataset.h"
#include "runtime/ABI/Device.h"
#include "runtime/ABI/EntryRoles.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "INGOTPRG", little endian. */
#define INGOT_PROGRAM_MAGIC UINT64_C(0x475250544f474e49)
/* Increased whenever a table of Tables.def changes. A runtime refuses programs
 * with another version. */
#define INGOT_ABI_VERSION 19u

/* Flags of variables. RANDOM_POSITION: a random op's position in its sequence,
 * int64[2], initially zero. RANDOM_SEED: the seed of the session, int64[2]
 * whose second element is zero; the runtime sets it. Checkpoints save both, but
 * may lack them. TEMPORARY: a variable that needs no value before an entry
 * runs. CONSTANT_INIT: the init entry assigns the same value in every run. */
enum {
  INGOT_VARIABLE_TRAINABLE = 1,
  INGOT_VARIABLE_LOCAL = 2,
  INGOT_VARIABLE_RANDOM_POSITION = 4,
  INGOT_VARIABLE_RANDOM_SEED = 8,
  INGOT_VARIABLE_TEMPORARY = 16,
  INGOT_VARIABLE_CONSTANT_INIT = 32
};

/* Flags of lookup tables. PERSISTENT: checkpoints of the session's saver have
 * the table's contents, even if the saver's items lack the table. */
enum { INGOT_LOOKUP_TABLE_PERSISTENT = 1 };

/* ingot_variable, ingot_exchange, ingot_lookup_table, ingot_entry,
 * ingot_saved_item, ingot_saver, ingot_program */
#define INGOT_TABLES "runtime/ABI/Program.def"
#include "runtime/ABI/DeclareStructs.def"

/* The tables of the compiled program: the only symbol that its object file
 * exports to the runtime with which it is linked. */
extern const ingot_program ingot_main_program;

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_PROGRAM_H */
