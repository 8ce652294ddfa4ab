// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-split-rows))' | FileCheck %s
// RUN: tegula-opt %s -split-input-file --pass-pipeline='builtin.module(func.func(cuda-split-rows))' --remarks-filter=cuda-split-rows --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Analysis] warps | Category:cuda-split-rows | Remark="rows of 32768 elements are handled in 8 pieces, so that 2 programs share a processor"

module attributes {tegula.arch = "sm_90a"} {
  // Loads are a piece ahead; the pieces' maximum is reduced; after the reduction each piece is stored when it is computed.
  // CHECK-LABEL: func.func @pieces_between_reductions
  // CHECK-SAME:    tegula.num_warps = 16 : i32, tegula.registers = 64 : i32
  // CHECK-DAG:     %[[P0:.*]] = arith.constant 0 : i64
  // CHECK:         %[[X0:.*]] = tile.load %arg0[%[[I:.*]], %{{.*}}] pad %{{.*}} -> tensor<1x4096xbf16>
  // CHECK:         %[[C1:.*]] = arith.constant 1 : i64
  // CHECK-NEXT:    %[[X1:.*]] = tile.load %arg0[%[[I]], %[[C1]]] pad %{{.*}} -> tensor<1x4096xbf16>
  // CHECK-NEXT:    %[[W0:.*]] = tile.cast %[[X0]] : tensor<1x4096xbf16> -> tensor<1x4096xf32>
  // CHECK:         %[[X2:.*]] = tile.load
  // CHECK-NEXT:    %[[W1:.*]] = tile.cast %[[X1]]
  // CHECK-NEXT:    %[[M1:.*]] = arith.maximumf %[[W0]], %[[W1]] : tensor<1x4096xf32>
  // CHECK-COUNT-5: tile.load
  // CHECK:         %[[TOP:.*]] = tile.reduce <max> %{{.*}} axis 1 : tensor<1x4096xf32> -> tensor<1xf32>
  // CHECK:         %[[ONE:.*]] = tile.reshape %[[TOP]]
  // CHECK:         %[[B0:.*]] = tile.broadcast %[[ONE]] : tensor<1x1xf32> -> tensor<1x4096xf32>
  // CHECK-NEXT:    %[[D0:.*]] = arith.subf %[[W0]], %[[B0]]
  // CHECK-NEXT:    %[[Y0:.*]] = tile.cast %[[D0]]
  // CHECK:         tile.store %[[Y0]], %arg1[%[[I]], %{{.*}}] : tensor<1x4096xbf16>
  // CHECK-COUNT-7: tile.store
  // CHECK-NOT:     32768
  func.func @pieces_between_reductions(%x: !tile.view<?x?xbf16, strides = [?, 1]>, %y: !tile.view<?x?xbf16, strides = [?, 1]>)
      attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %low = arith.constant 0xFF80 : bf16
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] pad %low : !tile.view<?x?xbf16, strides = [?, 1]> -> tensor<1x32768xbf16>
    %wide = tile.cast %row : tensor<1x32768xbf16> -> tensor<1x32768xf32>
    %top = tile.reduce <max> %wide axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
    %one = tile.reshape %top : tensor<1xf32> -> tensor<1x1xf32>
    %tops = tile.broadcast %one : tensor<1x1xf32> -> tensor<1x32768xf32>
    %low_row = arith.subf %wide, %tops : tensor<1x32768xf32>
    %narrow = tile.cast %low_row : tensor<1x32768xf32> -> tensor<1x32768xbf16>
    tile.store %narrow, %y[%i, %zero] : tensor<1x32768xbf16>, !tile.view<?x?xbf16, strides = [?, 1]>
    return
  }
}

// -----

module attributes {tegula.arch = "sm_90a"} {
  // Positions count on; rows of one dimension and constants have pieces too.
  // CHECK-LABEL: func.func @positions
  // CHECK:         tile.iota : tensor<4096xi32>
  // CHECK:         %[[IOTA:.*]] = tile.iota : tensor<4096xi32>
  // CHECK-NEXT:    %[[START:.*]] = arith.constant dense<4096> : tensor<4096xi32>
  // CHECK-NEXT:    %[[AT:.*]] = arith.addi %[[IOTA]], %[[START]]
  // CHECK:         arith.cmpi slt, %[[AT]], %{{.*}} : tensor<4096xi32>
  // CHECK:         arith.constant dense<28672> : tensor<4096xi32>
  func.func @positions(%x: !tile.view<?x?xf16>, %y: !tile.view<?xf32>, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i64
    %none = arith.constant dense<0.0> : tensor<1x32768xf32>
    %i = tile.program_id 0
    %row = tile.load %x[%i, %zero] : !tile.view<?x?xf16> -> tensor<1x32768xf16>
    %wide = tile.cast %row : tensor<1x32768xf16> -> tensor<1x32768xf32>
    %iota = tile.iota : tensor<32768xi32>
    %end = tile.full %n : tensor<32768xi32>
    %inside = arith.cmpi slt, %iota, %end : tensor<32768xi32>
    %mask = tile.reshape %inside : tensor<32768xi1> -> tensor<1x32768xi1>
    %some = arith.select %mask, %wide, %none : tensor<1x32768xi1>, tensor<1x32768xf32>
    %sum = tile.reduce <add> %some axis 1 : tensor<1x32768xf32> -> tensor<1xf32>
    tile.store %sum, %y[%i] : tensor<1xf32>, !tile.view<?xf32>
    return
  }
}
