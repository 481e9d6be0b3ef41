/*===- newer_hook.c - A hook built with a later version of the header -----===*/
/* SPDX-License-Identifier: Apache-2.0 */
/* What a library exports that includes the ingot/hook.h of version 4. */
/*===----------------------------------------------------------------------===*/

#include <stdint.h>
#include <stdlib.h>

extern const uint32_t ingot_hook_version;
const uint32_t ingot_hook_version = 4;

/* Whose arguments may be any others. */
int32_t ingot_hook_create(void);
int32_t ingot_hook_create(void) { abort(); }
