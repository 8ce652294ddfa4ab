// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s --cuda-widen-bf16 | FileCheck %s
// RUN: tegula-opt %s --cuda-widen-bf16 --remarks-filter=cuda-widen-bf16 --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: remark: [Missed] arithmetic | Category:cuda-widen-bf16 | Remark="values of vector<3xbf16> are not widened in pairs"

// CHECK-LABEL: func @pairs
// CHECK-SAME:    %[[X:.*]]: vector<4xbf16>
func.func @pairs(%x: vector<4xbf16>) -> vector<4xf32> {
  // CHECK:      %[[PAIRS:.*]] = vector.bitcast %[[X]] : vector<4xbf16> to vector<2xi32>
  // CHECK-DAG:  %[[C16:.*]] = arith.constant dense<16> : vector<2xi32>
  // CHECK-DAG:  %[[UPPER:.*]] = arith.constant dense<-65536> : vector<2xi32>
  // CHECK-DAG:  %[[LOW:.*]] = arith.shli %[[PAIRS]], %[[C16]]
  // CHECK-DAG:  %[[HIGH:.*]] = arith.andi %[[PAIRS]], %[[UPPER]]
  // CHECK:      %[[BOTH:.*]] = vector.interleave %[[LOW]], %[[HIGH]] : vector<2xi32> -> vector<4xi32>
  // CHECK-NEXT: %[[R:.*]] = arith.bitcast %[[BOTH]] : vector<4xi32> to vector<4xf32>
  // CHECK-NEXT: return %[[R]]
  %r = arith.extf %x : vector<4xbf16> to vector<4xf32>
  return %r : vector<4xf32>
}

// CHECK-LABEL: func @an_odd_number
func.func @an_odd_number(%x: vector<3xbf16>) -> vector<3xf32> {
  // CHECK: arith.extf
  %r = arith.extf %x : vector<3xbf16> to vector<3xf32>
  return %r : vector<3xf32>
}
