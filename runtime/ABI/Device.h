/*===- Device.h - Kernels' code for devices -----------------------*- C -*-===*/
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INGOT_RUNTIME_ABI_DEVICE_H
#define INGOT_RUNTIME_ABI_DEVICE_H

#include "runtime/ABI/Launch.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ingot_device_map_dim, ingot_device_map, ingot_device_kernel,
 * ingot_device_image, ingot_device, ingot_host_memory */
#define INGOT_TABLES "runtime/ABI/Device.def"
#include "runtime/ABI/DeclareStructs.def"

#ifdef __cplusplus
}
#endif

#endif /* INGOT_RUNTIME_ABI_DEVICE_H */
