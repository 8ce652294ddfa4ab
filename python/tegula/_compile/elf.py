# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The undefined symbols of an ELF object, which LLVM's own reader does not offer in Python.

LLVM may call library functions that appear in no IR (conversions, `memcpy`), so only the object
file tells what has to exist. Layout: System V ABI, "Object Files".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOL_TABLE = 2
_UNDEFINED = 0


def undefined_symbols(data: bytes) -> list[str]:
    """Names of the functions that a 64-bit little-endian ELF object needs from outside.

    Raises:
        ValueError: `data` is not such an object.
    """
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF object")
    header = _HEADER.unpack_from(data)
    offset, count = header[6], header[12]
    sections: list[tuple[int, ...]] = [
        _SECTION.unpack_from(data, offset + i * _SECTION.size) for i in range(count)
    ]
    names: list[str] = []
    for section in sections:
        if section[1] == _SYMBOL_TABLE:
            strings = sections[section[6]]
            names += _undefined(data, section[4], section[5], strings[4])
    return names


def _undefined(data: bytes, offset: int, size: int, strings: int) -> Iterator[str]:
    for start in range(offset, offset + size, _SYMBOL.size):
        name, _, _, place, _, _ = _SYMBOL.unpack_from(data, start)
        if place == _UNDEFINED and name != 0:
            begin = strings + name
            yield data[begin : data.index(b"\0", begin)].decode()
