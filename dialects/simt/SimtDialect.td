// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `simt` dialect itself: what the threads of one program do together, made explicit before tiles become one thread's
// values.

#ifndef TEGULA_DIALECTS_SIMT_SIMTDIALECT
#define TEGULA_DIALECTS_SIMT_SIMTDIALECT

include "mlir/IR/DialectBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let cppNamespace = "::tegula::simt";
  let summary = "Shared memory, asynchronous copies and matrix instructions on it";
  let description = [{
    Between layouts and one thread's code. Tiles that threads exchange, or that arrive while others are computed on, are in
    buffers of shared memory, whose layout says which element is at which offset.

    A *ring* is a queue of a fixed number of slots in shared memory through which tiles flow from arrays to their users,
    in order. Copies are numbered from 0; number `k` uses slot `k` modulo the number of slots:

        issue k    starts the copy, once everybody has released number k - slots
        await k    waits until it has arrived; afterwards every thread may read the slot
        release k  says that this thread will not read the slot again before the next await of it

    How a target waits (groups of copies, barriers that count bytes, counters of memory operations) is decided when the
    operations are lowered, so that one software pipeline serves all.

    Lifecycle. Made by the passes that stage, pipeline and specialize; removed by `lower-to-threads`.

    Rationale. Numbers instead of slots and phases keep the pipeline's arithmetic in one place, and let producer and
    consumer be separated into different warps without finding out what belongs together.
  }];
  let useDefaultTypePrinterParser = 1;
}

#endif // TEGULA_DIALECTS_SIMT_SIMTDIALECT
