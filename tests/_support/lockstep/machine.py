# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One program: its threads, their registers and the memories they see."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from tegula.mlir import ir

from tests._support.lockstep import atomics, compute, vectors
from tests._support.lockstep.memory import LockstepError, Memory
from tests._support.lockstep.values import Type, from_bytes, parse_constant, parse_type, to_bytes

GAP = 256  # Bytes between arrays that nobody may touch.
GLOBAL_BASE, SHARED_BASE = 1 << 20, 1 << 12
DYNAMIC = -(1 << 31)
SHUFFLES = ("xor", "down", "up", "idx")


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Kernel:
    """A function that lower-to-threads made."""

    def __init__(
        self,
        text: str,
        *,
        lanes: int,
        watched: bool = False,
        intrinsics: Mapping[str, compute.Compute] | None = None,
    ) -> None:
        """Read the module.

        `watched`: races in global memory are errors as well, as lower-insert-barriers ensures.
        `intrinsics`: what a target's own instructions compute, by their names.
        """
        self.intrinsics = intrinsics or {}
        self.context = ir.Context()
        self.context.allow_unregistered_dialects = True
        self.module = ir.Module.parse(text, self.context)
        functions = [op for op in self.module.body if op.operation.name.endswith(".func")]
        self.function = functions[-1].operation
        self.lanes = lanes
        self.watched = watched
        self.warps = self._attribute("tegula.num_warps", 1)
        self.shared_bytes = self._attribute("tegula.shared_bytes", 0)

    def _attribute(self, name: str, default: int) -> int:
        attributes = self.function.attributes
        return ir.IntegerAttr(attributes[name]).value if name in attributes else default

    def run(
        self,
        *arguments: np.ndarray | np.generic,
        program: Sequence[int] = (0, 0, 0),
        grid: Sequence[int] = (1, 1, 1),
        seed: int = 0,
        messages: np.ndarray | None = None,
    ) -> None:
        """Run one program on arrays, which it changes in place, and typed scalars."""
        Program(self, seed).run(arguments, program, grid, messages)

    def run_grid(
        self,
        *arguments: np.ndarray | np.generic,
        grid: Sequence[int],
        seed: int = 0,
        messages: np.ndarray | None = None,
    ) -> None:
        """Run all programs of a grid, one after the other in random order."""
        programs = list(np.ndindex(*grid))
        for number in np.random.default_rng(seed).permutation(len(programs)):
            self.run(
                *arguments,
                program=programs[number],
                grid=grid,
                seed=seed + number,
                messages=messages,
            )


class Program:
    """One run of a kernel."""

    def __init__(self, kernel: Kernel, seed: int) -> None:
        self.kernel = kernel
        self.seed = seed
        self.lanes = kernel.lanes
        self.threads = kernel.warps * kernel.lanes
        self.shared = Memory(kernel.shared_bytes, SHARED_BASE, shared=True, seed=seed)
        self.memories = {3: self.shared}
        self.registers: dict[ir.Value, np.ndarray] = {}
        self.block = 0
        self.hardware = {"thread_id": np.arange(self.threads), "block_dim": self.threads}
        self.parsed: dict[ir.Value, Type] = {}
        self.order = np.random.default_rng(seed)
        self.globals: dict[str, int] = {}

    # Arguments.

    def run(
        self,
        arguments: Sequence[np.ndarray | np.generic],
        program: Sequence[int],
        grid: Sequence[int],
        messages: np.ndarray | None,
    ) -> None:
        places, values = self._place(arguments, messages)
        buffer = values.pop() if messages is not None else np.int64(0)
        values += [np.int32(n) for n in grid] + [buffer]
        self.block = program[0] + grid[0] * (program[1] + grid[1] * program[2])
        body = self.kernel.function.regions[0].blocks[0]
        for argument, value in zip(body.arguments, values, strict=True):
            dtype = np.dtype(np.int8) if value.dtype == np.bool_ else value.dtype
            self.registers[argument] = np.full(self.threads, value, dtype)
        with np.errstate(all="ignore"):
            self._run(body, np.ones(self.threads, bool))
        for array, start in places:
            if not array.flags.writeable:
                continue
            data = self.memories[1].data[start : start + array.nbytes]
            array.reshape(-1).view(np.uint8)[:] = data

    def _place(
        self, arguments: Sequence[np.ndarray | np.generic], messages: np.ndarray | None
    ) -> tuple[list[tuple[np.ndarray, int]], list[np.generic]]:
        """Arrays in global memory with gaps between them, and the flat arguments.

        Last comes the address of `messages`, if there are any. Of a view everything is placed that
        it is a view of: it may be strided, and what lies between its elements must not change.
        """
        places: list[tuple[np.ndarray, int]] = []
        values: list[np.generic] = []
        end = GAP
        constants = self._constants()
        for argument in [
            *arguments,
            *([] if messages is None else [messages]),
            *constants.values(),
        ]:
            if not isinstance(argument, np.ndarray):
                values.append(argument)
                continue
            owner = argument
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            places.append((owner, end))
            values.append(np.int64(GLOBAL_BASE + end + _address(argument) - _address(owner)))
            if argument is not messages:
                values += [np.int64(n) for n in argument.shape]
                values += [np.int64(n // argument.itemsize) for n in argument.strides]
            end += -(-owner.nbytes // GAP) * GAP + GAP
        for name in reversed(constants):
            values, self.globals[name] = values[:-3], values[-3]
        self.memories[1] = Memory(
            end, GLOBAL_BASE, shared=False, watched=self.kernel.watched, seed=self.seed
        )
        for array, start in places:
            self.memories[1].place(start, array.reshape(-1).view(np.uint8))
        return places, values

    def _constants(self) -> dict[str, np.ndarray]:
        """Arrays of the module that the kernel may read."""
        constants: dict[str, np.ndarray] = {}
        for op in self.kernel.module.body:
            attributes = op.operation.attributes
            if op.operation.name == "llvm.mlir.global" and "value" in attributes:
                text = str(attributes["value"])
                extents, element = re.search(r"tensor<(\d+)x(\w+)>$", text).groups()
                kind = parse_type(f"vector<{extents}x{element}>")
                constants[ir.StringAttr(attributes["sym_name"]).value] = parse_constant(text, kind)
        return constants

    # Blocks and operations.

    def _run(self, block: ir.Block, active: np.ndarray) -> list[np.ndarray]:
        """Run a block; what its terminator gives."""
        for view in block.operations:
            op = view.operation
            if op.name in ("scf.yield", "func.return", "llvm.return", "scf.condition"):
                return [self.registers[value] for value in op.operands]
            results = self._execute(op, active)
            for value, result in zip(op.results, results, strict=True):
                self.registers[value] = result
        return []

    def _execute(self, op: ir.Operation, active: np.ndarray) -> list[np.ndarray]:
        inputs = [self.registers[value] for value in op.operands]
        name = op.name
        method = getattr(self, "_" + name.replace(".", "_"), None)
        if method is not None:
            return method(op, inputs, active)
        if name in compute.SAME:
            return [compute.SAME[name](*inputs)]
        kinds = [self.type(value) for value in op.operands]
        kind = self.type(op.results[0]) if len(op.results) else Type((), "i1", np.dtype(bool))
        if name in compute.CONVERSIONS:
            return [compute.convert(name, inputs[0], kinds[0], kind)]
        if name in ("arith.bitcast", "llvm.bitcast", "vector.bitcast"):
            return [from_bytes(to_bytes(inputs[0]), kind)]
        if name in vectors.OPERATIONS:
            return vectors.OPERATIONS[name](op, inputs, kinds, kind)
        raise NotImplementedError(f"lockstep does not know {op}")

    def type(self, value: ir.Value) -> Type:
        """The type of a value."""
        if value not in self.parsed:
            self.parsed[value] = parse_type(str(value.type))
        return self.parsed[value]

    def _fill(self, value: np.ndarray) -> np.ndarray:
        """The same value for all threads."""
        return np.broadcast_to(value, (self.threads, *value.shape)).copy()

    # Constants and identity.

    def _arith_constant(self, op, inputs, active):
        kind = self.type(op.results[0])
        return [self._fill(parse_constant(str(op.attributes["value"]), kind))]

    _llvm_mlir_constant = _arith_constant

    def _llvm_mlir_zero(self, op, inputs, active):
        kind = self.type(op.results[0])
        return [np.zeros((self.threads, *kind.shape), kind.dtype)]

    def _ub_poison(self, op, inputs, active):
        kind = self.type(op.results[0])
        noise = np.random.default_rng(self.seed).integers(
            0, 2 if kind.element == "i1" else 256, (self.threads, kind.count * kind.dtype.itemsize)
        )
        return [from_bytes(noise.astype(np.uint8), kind)]

    _llvm_mlir_poison = _llvm_mlir_undef = _ub_poison

    def _identity(self, op, value):
        dimension = str(op.attributes["dimension"])
        first = "dim x" in dimension
        return [np.broadcast_to(np.asarray(value if first else 0, np.int64), self.threads).copy()]

    def _gpu_thread_id(self, op, inputs, active):
        return self._identity(op, np.arange(self.threads))

    def _gpu_block_id(self, op, inputs, active):
        return self._identity(op, self.block)

    def _gpu_lane_id(self, op, inputs, active):
        return [np.arange(self.threads) % self.lanes]

    def _gpu_subgroup_id(self, op, inputs, active):
        return [np.arange(self.threads) // self.lanes]

    # Comparison and choice.

    def _arith_cmpi(self, op, inputs, active):
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return [compute.compare_ints(predicate, *inputs)]

    def _arith_cmpf(self, op, inputs, active):
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        return [compute.compare_floats(predicate, *inputs)]

    def _arith_select(self, op, inputs, active):
        condition, yes, no = inputs
        missing = yes.ndim - condition.ndim
        condition = condition.reshape(condition.shape + (1,) * missing)
        return [np.where(condition, yes, no)]

    # Control flow: threads that do not take a branch sit it out.

    def _scf_if(self, op, inputs, active):
        condition = inputs[0]
        results = [np.zeros((self.threads, *k.shape), k.dtype) for k in map(self.type, op.results)]
        for region, taken in zip(op.regions, (active & condition, active & ~condition)):
            if taken.any() and len(region.blocks):
                given = self._run(region.blocks[0], taken)
                results = [self._merge(taken, new, old) for new, old in zip(given, results)]
        return results

    @staticmethod
    def _merge(taken: np.ndarray, new: np.ndarray, old: np.ndarray) -> np.ndarray:
        return np.where(taken.reshape(-1, *(1,) * (new.ndim - 1)), new, old)

    def _scf_for(self, op, inputs, active):
        lower, upper, step, *carried = inputs
        body = op.regions[0].blocks[0]
        index, current = lower, active & (lower < upper)
        while current.any():
            self.registers[body.arguments[0]] = index
            for argument, value in zip(list(body.arguments)[1:], carried, strict=True):
                self.registers[argument] = value
            given = self._run(body, current)
            carried = [self._merge(current, new, old) for new, old in zip(given, carried)]
            index = index + step
            current = current & (index < upper)
        return carried

    def _scf_while(self, op, inputs, active):
        before, after = (region.blocks[0] for region in op.regions)
        carried, current = inputs, active
        results = None
        while True:
            for argument, value in zip(before.arguments, carried, strict=True):
                self.registers[argument] = value
            condition, *passed = self._run(before, current)
            results = (
                passed
                if results is None
                else [self._merge(current, new, old) for new, old in zip(passed, results)]
            )
            current = current & condition
            if not current.any():
                return results
            for argument, value in zip(after.arguments, results, strict=True):
                self.registers[argument] = value
            given = self._run(after, current)
            carried = [self._merge(current, new, old) for new, old in zip(given, carried)]

    # Memory.

    def _llvm_mlir_addressof(self, op, inputs, active):
        name = ir.FlatSymbolRefAttr(op.attributes["global_name"]).value
        return [np.full(self.threads, self.globals.get(name, SHARED_BASE), np.int64)]

    def _llvm_getelementptr(self, op, inputs, active):
        base, *dynamic = inputs
        indices = list(ir.DenseI32ArrayAttr(op.attributes["rawConstantIndices"]))
        if len(indices) != 1:
            raise NotImplementedError(f"lockstep wants one index: {op}")
        index = dynamic[0].astype(np.int64) if indices[0] == DYNAMIC else indices[0]
        kind = parse_type(str(ir.TypeAttr(op.attributes["elem_type"]).value))
        return [base + index * (kind.dtype.itemsize * kind.count)]

    def _llvm_addrspacecast(self, op, inputs, active):
        return [inputs[0]]

    def _llvm_ptrtoint(self, op, inputs, active):
        return [inputs[0].astype(self.type(op.results[0]).dtype)]

    def _llvm_inttoptr(self, op, inputs, active):
        return [inputs[0].astype(np.int64)]

    def _memory(self, op: ir.Operation, pointer: ir.Value) -> tuple[Memory, int]:
        if "alignment" in op.attributes:
            alignment = ir.IntegerAttr(op.attributes["alignment"]).value
        else:
            alignment = 1
        space = self.type(pointer).space
        if space not in self.memories:
            raise LockstepError(f"no memory of address space {space}: {op}")
        return self.memories[space], alignment

    def _llvm_load(self, op, inputs, active):
        memory, alignment = self._memory(op, op.operands[0])
        kind = self.type(op.results[0])
        width = kind.count * kind.dtype.itemsize
        data = memory.load(inputs[0], width, active, max(alignment, kind.dtype.itemsize), str(op))
        return [from_bytes(data, kind)]

    def _llvm_store(self, op, inputs, active):
        memory, alignment = self._memory(op, op.operands[1])
        value, pointer = inputs
        memory.store(
            pointer, to_bytes(value), active, max(alignment, value.dtype.itemsize), str(op)
        )
        return []

    def _llvm_atomicrmw(self, op, inputs, active):
        memory, _ = self._memory(op, op.operands[0])
        return [atomics.read_modify_write(op, memory, *inputs, active, self.order)]

    def _llvm_cmpxchg(self, op, inputs, active):
        memory, _ = self._memory(op, op.operands[0])
        return [atomics.compare_and_swap(op, memory, *inputs, active, self.order)]

    def _llvm_extractvalue(self, op, inputs, active):
        (position,) = ir.DenseI64ArrayAttr(op.attributes["position"])
        return [inputs[0][position]]

    def _llvm_call_intrinsic(self, op, inputs, active):
        name = ir.StringAttr(op.attributes["intrin"]).value
        return [self.kernel.intrinsics[name](*inputs)]

    # Other threads.

    def _llvm_inline_asm(self, op, inputs, active):
        """Assembly without instructions, which passes its operand on."""
        assert ir.StringAttr(op.attributes["asm_string"]).value == "", "instructions in assembly"
        return inputs

    def _gpu_barrier(self, op, inputs, active):
        if not active.all():
            raise LockstepError(f"{(~active).sum()} threads never reach {op}")
        for memory in self.memories.values():
            memory.barrier()
        return []

    def _gpu_shuffle(self, op, inputs, active):
        value, offset, width = inputs
        mode = str(op.attributes["mode"])
        mode = next(name for name in SHUFFLES if name in mode)
        if (width != self.lanes).any():
            raise NotImplementedError(f"lockstep wants whole warps: {op}")
        return self.shuffle(op, value, offset, mode, active)

    def shuffle(
        self, op: ir.Operation, value: np.ndarray, offset: np.ndarray, mode: str, active: np.ndarray
    ) -> list[np.ndarray]:
        """Each thread's `value` from another lane of its warp, all of which take part."""
        by_warp = active.reshape(-1, self.lanes)
        if (by_warp.any(axis=1) != by_warp.all(axis=1)).any():
            raise LockstepError(f"part of a warp shuffles: {op}")
        thread = np.arange(self.threads)
        lane = thread % self.lanes
        lanes = {"xor": lane ^ offset, "up": lane - offset, "down": lane + offset, "idx": offset}
        source = lanes[mode]
        valid = (source >= 0) & (source < self.lanes)
        return [value[thread - lane + np.where(valid, source, lane)], valid]
