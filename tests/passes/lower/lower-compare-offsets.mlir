// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-compare-offsets | FileCheck %s

// What a thread starts from counts against each bound once.
// CHECK-LABEL: func @two_bounds
// CHECK-SAME:    %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[THREAD:.*]]: i32
// CHECK-DAG:     %[[FROM:.*]] = arith.andi %[[THREAD]]
// CHECK-DAG:     %[[NEAR:.*]] = arith.minsi %{{.*}}
// CHECK-DAG:     %[[FAR:.*]] = arith.maxsi %[[Y]]
// CHECK-DAG:     %[[A:.*]] = arith.subi %[[NEAR]], %[[FROM]] : i32
// CHECK-DAG:     %[[B:.*]] = arith.subi %[[FAR]], %[[FROM]] : i32
// CHECK-DAG:     %[[PLACES:.*]] = arith.constant dense<[0, 1, 8, 0, 1, 8]> : vector<6xi32>
// CHECK:         %[[BOUNDS:.*]] = vector.from_elements %[[A]], %[[A]], %[[A]], %[[B]], %[[B]], %[[B]] : vector<6xi32>
// CHECK:         arith.cmpi sle, %[[PLACES]], %[[BOUNDS]] : vector<6xi32>
func.func @two_bounds(%x: i32, %y: i32, %thread: i32) -> vector<6xi1> {
  %minus = arith.constant -1 : i32
  %c1 = arith.constant 1 : i32
  %c6 = arith.constant 6 : i32
  %c8 = arith.constant 8 : i32
  %c64 = arith.constant 64 : i32
  %low = arith.maxsi %x, %minus : i32
  %near = arith.minsi %low, %c64 : i32
  %far = arith.maxsi %y, %minus : i32
  %from = arith.andi %thread, %c6 : i32
  %p1 = arith.addi %from, %c1 overflow<nsw, nuw> : i32
  %p8 = arith.addi %from, %c8 overflow<nsw, nuw> : i32
  %positions = vector.from_elements %from, %p1, %p8, %from, %p1, %p8 : vector<6xi32>
  %bounds = vector.from_elements %near, %near, %near, %far, %far, %far : vector<6xi32>
  %mask = arith.cmpi sle, %positions, %bounds : vector<6xi32>
  return %mask : vector<6xi1>
}

// -----

// One bound for all, on the left; the numbers come from vectors of 64 bits, the thread from the device.
// CHECK-LABEL: func @one_bound
// CHECK-DAG:     %[[FROM:.*]] = arith.xori
// CHECK-DAG:     %[[NUMBERS:.*]]:2 = vector.to_elements
// CHECK-DAG:     %[[LEFT:.*]] = arith.subi %[[NUMBERS]]#1, %[[FROM]] : i32
// CHECK-DAG:     %[[PLACES:.*]] = arith.constant dense<[0, 64]> : vector<2xi32>
// CHECK-DAG:     %[[BOUNDS:.*]] = vector.from_elements %[[LEFT]], %[[LEFT]] : vector<2xi32>
// CHECK:         arith.cmpi sgt, %[[BOUNDS]], %[[PLACES]] : vector<2xi32>
func.func @one_bound(%n: vector<2xi64>) -> vector<2xi1> {
  %least = arith.constant dense<-1> : vector<2xi64>
  %most = arith.constant dense<128> : vector<2xi64>
  %low = arith.maxsi %n, %least : vector<2xi64>
  %inside = arith.minsi %low, %most : vector<2xi64>
  %narrow = arith.trunci %inside : vector<2xi64> to vector<2xi32>
  %numbers:2 = vector.to_elements %narrow : vector<2xi32>
  %bounds = vector.broadcast %numbers#1 : i32 to vector<2xi32>
  %c2 = arith.constant 2 : i32
  %c31 = arith.constant 31 : i32
  %c64 = arith.constant 64 : i32
  %id = gpu.thread_id x upper_bound 128
  %thread = arith.index_castui %id : index to i32
  %lane = arith.andi %thread, %c31 : i32
  %quad = arith.shrui %lane, %c2 : i32
  %high = arith.shli %quad, %c2 : i32
  %from = arith.xori %quad, %high : i32
  %next = arith.addi %from, %c64 : i32
  %positions = vector.from_elements %from, %next : vector<2xi32>
  %mask = arith.cmpi sgt, %bounds, %positions : vector<2xi32>
  return %mask : vector<2xi1>
}
