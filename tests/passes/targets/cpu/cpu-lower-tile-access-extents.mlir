// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-lower-abi --cpu-lower-tile-access | FileCheck %s

// Neither read nor written in place: the rest of the tile must hold the pad value, and must not reach the array.
// CHECK-LABEL: func private @a_part_of_a_tile_goes_through_scratch.program(
// CHECK:         %[[STEP:.*]] = arith.constant 10 : index
// CHECK:         arith.ceildivui %{{.*}}, %[[STEP]]
// CHECK:         %[[OFFSET:.*]] = arith.muli %{{.*}}, %[[STEP]]
// CHECK:         %[[WITHIN:.*]] = arith.minui %{{.*}}, %[[STEP]]
// CHECK:         %[[VALID:.*]] = arith.select %{{.*}}, %[[WITHIN]]
// CHECK:         %[[SCRATCH:.*]] = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
// CHECK-NOT:     scf.if
// CHECK:         linalg.fill ins(%{{.*}} : f32) outs(%[[SCRATCH]]
// CHECK:         %[[PART:.*]] = memref.subview %{{.*}}[%[[OFFSET]]] [%[[VALID]]] [1]
// CHECK:         %[[START:.*]] = memref.subview %[[SCRATCH]][0] [%[[VALID]]] [1]
// CHECK:         linalg.generic {{.*}} ins(%[[PART]] {{.*}} outs(%[[START]]
// CHECK:         %[[NEGATED:.*]] = arith.negf
// CHECK:         %[[BUFFER:.*]] = bufferization.to_buffer %[[NEGATED]]
// CHECK:         memref.subview %[[BUFFER]][0] [%{{.*}}] [1]
// CHECK-NOT:     tile.store
func.func @a_part_of_a_tile_goes_through_scratch(%a: !tile.view<?xf32, strides = [1]>, %b: !tile.view<?xf32, strides = [1]>) attributes {tile.kernel} {
  %i = tile.program_id 0
  %t = tile.load %a[%i] extents [10] : !tile.view<?xf32, strides = [1]> -> tensor<16xf32>
  %n = arith.negf %t : tensor<16xf32>
  tile.store %n, %b[%i] extents [10] : tensor<16xf32>, !tile.view<?xf32, strides = [1]>
  return
}
