# SPDX-License-Identifier: Apache-2.0
"""Old names of passes (tools/ingot-opt/OldPassNames.def) stand for passes that there are, and are no pass's name."""
import re
import subprocess
import sys


def main(root):
    old = re.findall(r'(?m)^INGOT_OLD_PASS\("([^"]+)",\s*"([^"]+)"\)', open(f"{root}/tools/ingot-opt/OldPassNames.def").read())
    definitions = subprocess.run(
        ["grep", "-rhoE", 'Pass<"[^"]+"', "--include=*.td", f"{root}/codegen", f"{root}/compiler", f"{root}/dialects"],
        capture_output=True, text=True, check=True,
    ).stdout
    passes = set(re.findall('"([^"]+)"', definitions))
    assert len(old) > 50 and len(passes) > 50, (len(old), len(passes))
    faults = [f"{name} stands for {new}, which is no pass" for name, new in old if new not in passes]
    faults += [f"{name} is a pass's name" for name, _ in old if name in passes]
    names = [name for name, _ in old]
    faults += [f"{name} is listed twice" for name in sorted(set(names)) if names.count(name) > 1]
    print("\n".join(faults) or f"{len(old)} old names of passes")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
