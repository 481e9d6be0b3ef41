# SPDX-License-Identifier: Apache-2.0
"""Runs a command and fails unless it exits with the code given first."""
import subprocess
import sys

code = subprocess.run(sys.argv[2:], check=False).returncode
if code != int(sys.argv[1]):
    sys.exit("exited with %d, expected %s" % (code, sys.argv[1]))
