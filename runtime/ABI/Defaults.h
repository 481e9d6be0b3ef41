/*===- Defaults.h - Which entry gives the defaults of feeds -----*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_DEFAULTS_H
#define INGOT_RUNTIME_ABI_DEFAULTS_H

/* Suffix of the entry whose fetches are, by name, the default values of an
 * entry's feeds. It has no feeds itself and reads no variable. */
#define INGOT_DEFAULTS_SUFFIX "/defaults"

#endif /* INGOT_RUNTIME_ABI_DEFAULTS_H */
