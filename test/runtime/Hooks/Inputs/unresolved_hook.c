/*===- unresolved_hook.c - A hook that was linked without a library -------===*/
/* SPDX-License-Identifier: Apache-2.0 */

#include <ingot/hook.h>

int32_t only_in_another_library(void);

int32_t ingot_hook_create(const ingot_hook_services *services,
                          ingot_hook_run *run, const char *arguments,
                          ingot_hook *hook) {
  (void)services, (void)run, (void)arguments, (void)hook;
  return only_in_another_library();
}
