#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes rings.csv: 300 points on three rings around the origin, with noise."""
import math
import random

random.seed(3)
print("x,y,ring")
for index in range(300):
    ring = index % 3
    radius = ring + 1 + random.gauss(0, 0.15)
    angle = random.uniform(0, 2 * math.pi)
    print(f"{radius * math.cos(angle):.4f},{radius * math.sin(angle):.4f},{ring}")
