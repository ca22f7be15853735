#!/usr/bin/env python3
"""device_code.py SECTION: a worker's section .nv_fatbin, as objcopy writes it. Fails where device code for an architecture before
Hopper stands there without its PTX, which a later GPU's driver compiles: that GPU's ladder would be empty."""
import collections
import struct
import sys

MAGIC, PTX, HOPPER = b"\x50\xed\x55\xba", 1, 90  # 90: also "90a", which no later GPU runs


def fatbins(data):
    """For each compiled file the set of (kind, architecture) that it holds; fatbinary.h of the CUDA toolkit."""
    at = 0
    while (at := data.find(MAGIC, at)) >= 0:
        header, size = struct.unpack_from("<HQ", data, at + 6)
        entry, end, held = at + header, at + header + size, set()
        while entry < end:
            kind, _, entry_header, payload = struct.unpack_from("<HHIQ", data, entry)
            held.add((kind, struct.unpack_from("<I", data, entry + 28)[0]))
            entry += entry_header + payload
        yield held
        at = end


def main():
    seen, bare = collections.Counter(), collections.Counter()
    with open(sys.argv[1], "rb") as file:
        for held in fatbins(file.read()):
            for kind, arch in held:
                seen[arch] += kind != PTX
                bare[arch] += kind != PTX and arch < HOPPER and (PTX, arch) not in held
    print("device code:", ", ".join(f"{count} files for sm_{arch}" for arch, count in sorted(seen.items())))
    for arch, count in sorted(bare.items()):
        if count:
            print(f"{count} files for sm_{arch} have no PTX")
    return 1 if not seen or sum(bare.values()) else 0


sys.exit(main())
