#!/usr/bin/env python3
"""Which kernels' machine code differs between two builds.

usage: tests/sass_diff.py OLD NEW

OLD and NEW are cubins (nvcc -cubin), object files with device code, or folders that are searched for both (a build
folder with RIDGE_CUDA=ON). Compares what the GPU executes, each kernel's .text section byte by byte, and prints a line
for each kernel that differs or that one side lacks; exit status 1 if there is one. The part of a kernel's name that
nvcc makes of its file's path and text does not count. Object files need cuobjdump; cubins need nothing.

A rung whose machine code is the same needs no new timing: tests/restamp.py gives its recordings the new hash.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

CUOBJDUMP = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", "cuobjdump")
# "_GLOBAL__N__1f0c7c59_12_wgmma_tma_cu_0a1b2c3d_1234": hashes of the path and of the text.
FILE_OF_NAME = re.compile(r"\d*_GLOBAL__N__\w+?_cu_[0-9a-f]{8}(_\d+)?")


def text_sections(image):
    """The code of each kernel of a cubin (ELF, 64 bits), by name."""
    (table,) = struct.unpack_from("<Q", image, 40)
    entry, count, names = struct.unpack_from("<HHH", image, 58)
    sections = [struct.unpack_from("<I20xQQ", image, table + i * entry) for i in range(count)]  # name, offset, size
    found = {}
    for name, offset, size in sections:
        begin = sections[names][1] + name
        text = image[begin : image.index(b"\0", begin)].decode()
        if text.startswith(".text."):
            found[FILE_OF_NAME.sub("<file>", text.removeprefix(".text."))] = image[offset : offset + size]
    return found


def cubins_of(path):
    """The cubins of a file: itself, or those that cuobjdump takes out of an object file."""
    if path.endswith(".cubin"):
        with open(path, "rb") as file:
            return [file.read()]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([CUOBJDUMP, "-xelf", "all", os.path.abspath(path)], cwd=folder, check=True, capture_output=True)
        images = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                images.append(file.read())
        return images


def kernels(path):
    files = [path]
    if os.path.isdir(path):
        files = [os.path.join(d, n) for d, _, names in os.walk(path) for n in names if n.endswith((".cu.o", ".cubin"))]
    found = {}
    for file in files:
        for image in cubins_of(file):
            # Kernels of two files may bear one name (a rung's is "kernel" in several).
            own = os.path.basename(file).removesuffix(".cubin").removesuffix(".o")
            found.update({f"{own}: {name}": code for name, code in text_sections(image).items()})
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = kernels(sys.argv[1]), kernels(sys.argv[2])
    if not old or not new:
        sys.exit("no kernel found in " + " and ".join(p for p, k in zip(sys.argv[1:], (old, new)) if not k))
    every = sorted(old.keys() | new.keys())
    differ = [name for name in every if old.get(name) != new.get(name)]
    for name in differ:
        sizes = [f"{len(side[name])} bytes" if name in side else "none" for side in (old, new)]
        print(f"{name}: {sizes[0]}, {sizes[1]}")
    print(f"{len(every)} kernels, {len(differ)} differ")
    sys.exit(bool(differ))


main()
