// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --tile-narrow-comparisons | FileCheck %s

// CHECK-LABEL: func @positions_are_few
// CHECK-SAME:    %[[N:.*]]: i64
func.func @positions_are_few(%n: i64) -> tensor<64xi1> {
  // CHECK-DAG:  %[[MINUS:.*]] = arith.constant -1 : i64
  // CHECK-DAG:  %[[EXTENT:.*]] = arith.constant 64 : i64
  // CHECK-DAG:  %[[LOW:.*]] = arith.maxsi %[[N]], %[[MINUS]]
  // CHECK-DAG:  %[[INSIDE:.*]] = arith.minsi %[[LOW]], %[[EXTENT]]
  // CHECK-DAG:  %[[BOUND:.*]] = arith.trunci %[[INSIDE]] : i64 to i32
  // CHECK-DAG:  %[[I:.*]] = tile.iota : tensor<64xi32>
  // CHECK-DAG:  %[[B:.*]] = tile.full %[[BOUND]] : tensor<64xi32>
  // CHECK:      arith.cmpi slt, %[[I]], %[[B]] : tensor<64xi32>
  %i = tile.iota : tensor<64xi64>
  %b = tile.full %n : tensor<64xi64>
  %mask = arith.cmpi slt, %i, %b : tensor<64xi64>
  return %mask : tensor<64xi1>
}

// -----

// CHECK-LABEL: func @either_side
func.func @either_side(%n: i64) -> tensor<64xi1> {
  // CHECK-DAG:  %[[I:.*]] = tile.iota : tensor<64xi32>
  // CHECK-DAG:  %[[B:.*]] = tile.full %{{.*}} : tensor<64xi32>
  // CHECK:      arith.cmpi ne, %[[B]], %[[I]] : tensor<64xi32>
  %i = tile.iota : tensor<64xi64>
  %b = tile.full %n : tensor<64xi64>
  %mask = arith.cmpi ne, %b, %i : tensor<64xi64>
  return %mask : tensor<64xi1>
}

// -----

// CHECK-LABEL: func @neighbours_are_on_one_side
func.func @neighbours_are_on_one_side(%a: !tile.view<?x?xf32> {tile.size_div = array<i64: 1, 48>}) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>) {
  // CHECK:      %[[I:.*]] = tile.iota : tensor<64xi32>
  // CHECK:      %[[M:.*]] = arith.constant dense<-16> : tensor<64xi32>
  // CHECK:      %[[R:.*]] = arith.andi %[[I]], %[[M]]
  // CHECK:      arith.cmpi slt, %[[R]], %{{.*}} : tensor<64xi32>
  // CHECK:      %[[J:.*]] = tile.iota : tensor<64xi32>
  // CHECK:      arith.cmpi sle, %[[J]], %{{.*}} : tensor<64xi32>
  // CHECK:      %[[K:.*]] = tile.iota : tensor<64xi32>
  // CHECK:      arith.cmpi slt, %[[K]], %{{.*}} : tensor<64xi32>
  %rows = tile.dim %a, 0 : !tile.view<?x?xf32>
  %columns = tile.dim %a, 1 : !tile.view<?x?xf32>
  %i = tile.iota : tensor<64xi64>
  %r = tile.full %rows : tensor<64xi64>
  %c = tile.full %columns : tensor<64xi64>
  %below = arith.cmpi slt, %i, %c : tensor<64xi64>
  %until = arith.cmpi sle, %i, %c : tensor<64xi64>
  %row = arith.cmpi slt, %i, %r : tensor<64xi64>
  return %below, %until, %row : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>
}

// -----

// Positions and bounds that are spread over a larger tile: each bound is clamped once.
// CHECK-LABEL: func @spread
// CHECK-SAME:    %[[ROWS:.*]]: tensor<128xi64>
func.func @spread(%rows: tensor<128xi64>) -> tensor<128x64xi1> {
  // CHECK-DAG:  %[[I:.*]] = tile.iota : tensor<64xi32>
  // CHECK-DAG:  %[[MINUS:.*]] = arith.constant dense<-1> : tensor<128xi64>
  // CHECK-DAG:  %[[EXTENT:.*]] = arith.constant dense<64> : tensor<128xi64>
  // CHECK-DAG:  %[[LOW:.*]] = arith.maxsi %[[ROWS]], %[[MINUS]]
  // CHECK-DAG:  %[[INSIDE:.*]] = arith.minsi %[[LOW]], %[[EXTENT]]
  // CHECK-DAG:  %[[B:.*]] = arith.trunci %[[INSIDE]] : tensor<128xi64> to tensor<128xi32>
  // CHECK-DAG:  %[[LINE:.*]] = tile.reshape %[[I]] : tensor<64xi32> -> tensor<1x64xi32>
  // CHECK-DAG:  %[[LEFT:.*]] = tile.broadcast %[[LINE]] : tensor<1x64xi32> -> tensor<128x64xi32>
  // CHECK-DAG:  %[[COLUMN:.*]] = tile.reshape %[[B]] : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK-DAG:  %[[RIGHT:.*]] = tile.broadcast %[[COLUMN]] : tensor<128x1xi32> -> tensor<128x64xi32>
  // CHECK:      arith.cmpi sle, %[[LEFT]], %[[RIGHT]] : tensor<128x64xi32>
  %i = tile.iota : tensor<64xi64>
  %line = tile.reshape %i : tensor<64xi64> -> tensor<1x64xi64>
  %left = tile.broadcast %line : tensor<1x64xi64> -> tensor<128x64xi64>
  %column = tile.reshape %rows : tensor<128xi64> -> tensor<128x1xi64>
  %right = tile.broadcast %column : tensor<128x1xi64> -> tensor<128x64xi64>
  %mask = arith.cmpi sle, %left, %right : tensor<128x64xi64>
  return %mask : tensor<128x64xi1>
}

// -----

// The positions on the right: -1 and 64 compare with each as what is clamped to them does.
// CHECK-LABEL: func @spread_on_the_right
func.func @spread_on_the_right(%rows: tensor<128x1xi64>) -> tensor<128x64xi1> {
  // CHECK:      %[[B:.*]] = arith.trunci %{{.*}} : tensor<128x1xi64> to tensor<128x1xi32>
  // CHECK:      %[[RIGHT:.*]] = tile.broadcast %{{.*}} : tensor<1x64xi32> -> tensor<128x64xi32>
  // CHECK:      %[[LEFT:.*]] = tile.broadcast %[[B]] : tensor<128x1xi32> -> tensor<128x64xi32>
  // CHECK:      arith.cmpi slt, %[[LEFT]], %[[RIGHT]] : tensor<128x64xi32>
  %i = tile.iota : tensor<64xi64>
  %line = tile.reshape %i : tensor<64xi64> -> tensor<1x64xi64>
  %right = tile.broadcast %line : tensor<1x64xi64> -> tensor<128x64xi64>
  %left = tile.broadcast %rows : tensor<128x1xi64> -> tensor<128x64xi64>
  %mask = arith.cmpi slt, %left, %right : tensor<128x64xi64>
  return %mask : tensor<128x64xi1>
}
