// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s | tegula-opt --mlir-print-op-generic | tegula-opt | FileCheck %s
// RUN: tegula-opt %s --canonicalize --cse | FileCheck %s
//
// Every operation takes tiles with encodings. Neither the verifiers nor the folds mind them, and the types of results stay.

// CHECK-DAG: #[[$V:.*]] = #layout.linear<register = [], lane = {{\[\[}}1], [2], [4]], warp = [], block = [], shape = [8]>
#v = #layout.linear<lane = [[1], [2], [4]], shape = [8]>
// CHECK-DAG: #[[$W:.*]] = #layout.linear<register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}0], [0], [0]], warp = [], block = [], shape = [8]>
#w = #layout.linear<register = [[1], [2], [4]], lane = [[0], [0], [0]], shape = [8]>
// CHECK-DAG: #[[$M:.*]] = #layout.linear<register = {{\[\[}}0, 1]], lane = {{\[\[}}1, 0], [2, 0], [4, 0]], warp = [], block = [], shape = [8, 2]>
#m = #layout.linear<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0]], shape = [8, 2]>
// CHECK-DAG: #[[$T:.*]] = #layout.linear<register = {{\[\[}}1, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4]], warp = [], block = [], shape = [2, 8]>
#t = #layout.linear<register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4]], shape = [2, 8]>
// CHECK-DAG: #[[$S:.*]] = #layout.linear<register = {{\[\[}}0, 1], [1, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0]], warp = [], block = [], shape = [2, 2]>
#s = #layout.linear<register = [[0, 1], [1, 0]], lane = [[0, 0], [0, 0], [0, 0]], shape = [2, 2]>
#one = #layout.linear<lane = [[1, 0], [2, 0], [4, 0]], shape = [8, 1]>
#flat = #layout.linear<register = [[1]], lane = [[2], [4], [8]], shape = [16]>

// CHECK-LABEL: @accesses(
func.func @accesses(%a: !tile.view<?x?xf32>, %b: !tile.view<?xf32>, %i: i64) {
  // CHECK: tile.load {{.*}} -> tensor<8x2xf32, #[[$M]]>
  %x = tile.load %a[%i, %i] : !tile.view<?x?xf32> -> tensor<8x2xf32, #m>
  // CHECK: tile.store {{.*}} : tensor<8x2xf32, #[[$M]]>
  tile.store %x, %a[%i, %i] : tensor<8x2xf32, #m>, !tile.view<?x?xf32>
  // CHECK: tile.iota : tensor<8xi64, #[[$V]]>
  %n = tile.iota : tensor<8xi64, #v>
  %k = tile.full %i : tensor<8xi64, #v>
  %q = arith.cmpi sgt, %n, %k : tensor<8xi64, #v>
  // CHECK: tile.gather {{.*}} -> tensor<8xf32, #[[$V]]>
  %g = tile.gather %b[%n] mask %q : !tile.view<?xf32>, tensor<8xi64, #v>, tensor<8xi1, #v> -> tensor<8xf32, #v>
  // CHECK: tile.scatter {{.*}} : tensor<8xf32, #[[$V]]>
  tile.scatter %g, %b[%n] mask %q : tensor<8xf32, #v>, !tile.view<?xf32>, tensor<8xi64, #v>, tensor<8xi1, #v>
  // CHECK: tile.atomic_rmw {{.*}} -> tensor<8xf32, #[[$V]]>
  %r = tile.atomic_rmw <add> %g, %b[%n] : tensor<8xf32, #v>, !tile.view<?xf32>, tensor<8xi64, #v> -> tensor<8xf32, #v>
  // CHECK: tile.atomic_cas {{.*}} -> tensor<8xf32, #[[$V]]>
  %c = tile.atomic_cas %g, %r, %b[%n] : tensor<8xf32, #v>, !tile.view<?xf32>, tensor<8xi64, #v> -> tensor<8xf32, #v>
  // CHECK: tile.print {{.*}} : tensor<8xf32, #[[$V]]>
  tile.print "{}" %c : tensor<8xf32, #v>
  return
}

// CHECK-LABEL: @moves(
func.func @moves(%x: tensor<8x2xf32, #m>, %v: tensor<8xf32, #v>, %o: tensor<8x1xf32, #one>, %f: f32, %n: tensor<8xi64, #v>)
    -> (tensor<8x2xf32, #m>, tensor<16xf32, #flat>, tensor<2x8xf32, #t>, tensor<8x2xf32, #m>, tensor<8xf32, #v>, tensor<8x2xf32, #m>, tensor<8x2xf32, #m>) {
  // CHECK: tile.broadcast {{.*}} -> tensor<8x2xf32, #[[$M]]>
  %a = tile.broadcast %o : tensor<8x1xf32, #one> -> tensor<8x2xf32, #m>
  // CHECK: tile.reshape {{.*}} : tensor<8x2xf32, #[[$M]]> -> tensor<16xf32, #{{.*}}>
  %b = tile.reshape %x : tensor<8x2xf32, #m> -> tensor<16xf32, #flat>
  // CHECK: tile.permute {{.*}} : tensor<8x2xf32, #[[$M]]> -> tensor<2x8xf32, #[[$T]]>
  %c = tile.permute %x [1, 0] : tensor<8x2xf32, #m> -> tensor<2x8xf32, #t>
  // CHECK: tile.join {{.*}} : tensor<8xf32, #[[$V]]> -> tensor<8x2xf32, #[[$M]]>
  %d = tile.join %v, %v : tensor<8xf32, #v> -> tensor<8x2xf32, #m>
  // CHECK: tile.split {{.*}} : tensor<8x2xf32, #[[$M]]> -> tensor<8xf32, #[[$V]]>
  %e, %g = tile.split %x : tensor<8x2xf32, #m> -> tensor<8xf32, #v>
  // CHECK: tile.concat {{.*}} -> tensor<8x2xf32, #[[$M]]>
  %h = tile.concat %o, %o axis 1 : tensor<8x1xf32, #one>, tensor<8x1xf32, #one> -> tensor<8x2xf32, #m>
  // CHECK: tile.take {{.*}} : tensor<8xf32, #[[$V]]>, tensor<8xi64, #[[$V]]> -> tensor<8xf32, #[[$V]]>
  %w = tile.take %g[%n] axis 0 : tensor<8xf32, #v>, tensor<8xi64, #v> -> tensor<8xf32, #v>
  // CHECK: tile.full {{.*}} : tensor<8x2xf32, #[[$M]]>
  %k = tile.full %f : tensor<8x2xf32, #m>
  return %a, %b, %c, %d, %w, %h, %k : tensor<8x2xf32, #m>, tensor<16xf32, #flat>, tensor<2x8xf32, #t>, tensor<8x2xf32, #m>, tensor<8xf32, #v>, tensor<8x2xf32, #m>, tensor<8x2xf32, #m>
}

// CHECK-LABEL: @elementwise(
func.func @elementwise(%x: tensor<8xi32, #v>, %f: tensor<8xf32, #v>)
    -> (tensor<8xi32, #v>, tensor<8xf32, #v>, tensor<8xf16, #v>, tensor<8xi32, #v>, tensor<8xi1, #v>) {
  // CHECK: tile.floordiv {{.*}} : tensor<8xi32, #[[$V]]>
  %a = tile.floordiv %x, %x : tensor<8xi32, #v>
  // CHECK: tile.floormod {{.*}} : tensor<8xi32, #[[$V]]>
  %b = tile.floormod %x, %a : tensor<8xi32, #v>
  %c = tile.shl %a, %b : tensor<8xi32, #v>
  %d = tile.shr %c, %b : tensor<8xi32, #v>
  // CHECK: tile.ipow {{.*}} : tensor<8xi32, #[[$V]]>
  %e = tile.ipow %d, %b : tensor<8xi32, #v>
  // CHECK: tile.fmod {{.*}} : tensor<8xf32, #[[$V]]>
  %g = tile.fmod %f, %f : tensor<8xf32, #v>
  // CHECK: tile.cast {{.*}} : tensor<8xf32, #[[$V]]> -> tensor<8xf16, #[[$V]]>
  %h = tile.cast %f : tensor<8xf32, #v> -> tensor<8xf16, #v>
  // CHECK: tile.bitcast {{.*}} : tensor<8xf32, #[[$V]]> -> tensor<8xi32, #[[$V]]>
  %i = tile.bitcast %f : tensor<8xf32, #v> -> tensor<8xi32, #v>
  // CHECK: tile.fpclass <nan> {{.*}} : tensor<8xf32, #[[$V]]> -> tensor<8xi1, #[[$V]]>
  %j = tile.fpclass <nan> %f : tensor<8xf32, #v> -> tensor<8xi1, #v>
  // CHECK: arith.select {{.*}} : tensor<8xi1, #[[$V]]>, tensor<8xf32, #[[$V]]>
  %k = arith.select %j, %f, %g : tensor<8xi1, #v>, tensor<8xf32, #v>
  // CHECK: math.exp {{.*}} : tensor<8xf32, #[[$V]]>
  %l = math.exp %k : tensor<8xf32, #v>
  return %e, %l, %h, %i, %j : tensor<8xi32, #v>, tensor<8xf32, #v>, tensor<8xf16, #v>, tensor<8xi32, #v>, tensor<8xi1, #v>
}

// CHECK-LABEL: @combinations(
func.func @combinations(%x: tensor<8x2xf32, #m>, %y: tensor<2x8xf32, #t>, %z: tensor<2x2xf32, #s>, %v: tensor<8xf32, #v>)
    -> (tensor<8xf32, #w>, f32, tensor<8x2xf32, #m>, tensor<8xi64, #v>, tensor<2x2xf32, #s>, tensor<8xf32, #v>) {
  // CHECK: tile.reduce <add> {{.*}} : tensor<8x2xf32, #[[$M]]> -> tensor<8xf32, #[[$W]]>
  %a = tile.reduce <add> %x axis 1 : tensor<8x2xf32, #m> -> tensor<8xf32, #w>
  // CHECK: tile.reduce <max> {{.*}} : tensor<8xf32, #[[$V]]> -> f32
  %b = tile.reduce <max> %v axis 0 : tensor<8xf32, #v> -> f32
  // CHECK: tile.scan <add> {{.*}} : tensor<8x2xf32, #[[$M]]> -> tensor<8x2xf32, #[[$M]]>
  %c = tile.scan <add> %x axis 1 : tensor<8x2xf32, #m> -> tensor<8x2xf32, #m>
  // CHECK: tile.arg_reduce <max> {{.*}} -> tensor<8xi64, #[[$V]]>
  %d = tile.arg_reduce <max> %x axis 1 : tensor<8x2xf32, #m> -> tensor<8xi64, #v>
  // CHECK: tile.dot {{.*}} : tensor<2x8xf32, #[[$T]]>, tensor<8x2xf32, #[[$M]]>, tensor<2x2xf32, #[[$S]]>
  %e = tile.dot %y, %x, %z : tensor<2x8xf32, #t>, tensor<8x2xf32, #m>, tensor<2x2xf32, #s>
  // CHECK: tile.reduce {{.*}} : tensor<8x2xf32, #[[$M]]> -> tensor<8xf32, #[[$V]]> {
  %f = tile.reduce %x axis 1 : tensor<8x2xf32, #m> -> tensor<8xf32, #v> {
  ^bb0(%l: f32, %r: f32):
    %s = arith.addf %l, %r : f32
    tile.yield %s : f32
  }
  return %a, %b, %c, %d, %e, %f : tensor<8xf32, #w>, f32, tensor<8x2xf32, #m>, tensor<8xi64, #v>, tensor<2x2xf32, #s>, tensor<8xf32, #v>
}
