/*===- Defaults.h - Which entry gives the defaults of feeds -----*- C -*-===*/
#ifndef INGOT_RUNTIME_ABI_DEFAULTS_H
#define INGOT_RUNTIME_ABI_DEFAULTS_H

/* Behind an entry's name: the entry that gives, under their names, values for
 * those of its feeds that need none. It has no feeds itself and reads no
 * variable. */
#define INGOT_DEFAULTS_SUFFIX "/defaults"

#endif /* INGOT_RUNTIME_ABI_DEFAULTS_H */
