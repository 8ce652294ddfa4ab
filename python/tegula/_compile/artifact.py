# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiling a kernel yields, and its form on disk.

The form is a magic line, a checksum, a few header lines and the object file. It is read in every
process that launches a kernel, so it needs no parser; the checksum comes first because a cache
folder may hold anything.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

MAGIC = b"tegula-kernel-2\n"
_DIGEST_BYTES = 32
# What a target may put after a kernel's name, so that the entry is not taken for a function of C.
ENTRY_SUFFIX = ".entry"


class DamagedArtifactError(ValueError):
    """Bytes that are not an artifact of this version, or not all of it."""


@dataclass(frozen=True)
class Artifact:
    """A compiled kernel.

    Attributes:
        name: the kernel's name, from which the target makes that of its entry point.
        target: name of the target that it was compiled for.
        code: the object file.
        writes: numbers of the arguments (Const parameters not counted) that it may write.
        properties: what the device's runtime must know besides, as JSON on one line; may be empty.
    """

    name: str
    target: str
    code: bytes
    writes: tuple[int, ...]
    properties: str = ""

    def to_bytes(self) -> bytes:
        """The form on disk."""
        writes = ",".join(map(str, self.writes))
        header = f"{self.name}\n{self.target}\n{writes}\n{self.properties}\n".encode()
        body = header + self.code
        return MAGIC + checksum(body) + body


def checksum(data: bytes | memoryview) -> bytes:
    """BLAKE2b of some bytes."""
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def parse(data: bytes) -> Artifact:
    """The artifact in `data`.

    Raises:
        DamagedArtifactError: it is truncated, altered, or something else.
    """
    start = len(MAGIC) + _DIGEST_BYTES
    if not data.startswith(MAGIC) or len(data) < start:
        raise DamagedArtifactError("not a compiled kernel of this version")
    if checksum(memoryview(data)[start:]) != data[len(MAGIC) : start]:
        raise DamagedArtifactError("the checksum does not match")
    name, target, writes, properties, code = data[start:].split(b"\n", 4)
    numbers = tuple(int(item) for item in writes.split(b",") if item)
    return Artifact(name.decode(), target.decode(), code, numbers, properties.decode())
