// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --cpu-carry-in-place | FileCheck %s

// CHECK-LABEL: func @a_new_tile_replaces_the_one_carried(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[NEXT:.*]] = arith.addf %[[X]], %{{.*}}
// CHECK-NEXT:      %[[HERE:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[X]]
// CHECK-NEXT:      scf.yield %[[HERE]]
func.func @a_new_tile_replaces_the_one_carried(%a: tensor<4xf32>, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %y = arith.addf %x, %a : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @a_tile_that_does_not_change_stays(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK-NEXT:      scf.yield %[[X]]
func.func @a_tile_that_does_not_change_stays(%a: tensor<4xf32>, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @scalars_need_no_buffer(
// CHECK-NOT:     bufferization
// CHECK:         return
func.func @scalars_need_no_buffer(%a: f32, %n: index, %one: index) -> f32 {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (f32) {
    %y = arith.addf %x, %a : f32
    scf.yield %y : f32
  }
  return %r : f32
}

// -----

// Both are copied before either buffer is overwritten.
// CHECK-LABEL: func @tiles_that_swap_are_copied_first(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK-NEXT:      %[[OLD_Y:.*]] = bufferization.alloc_tensor() copy(%[[Y]])
// CHECK-NEXT:      %[[OLD_X:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK-NEXT:      %[[NEW_X:.*]] = bufferization.materialize_in_destination %[[OLD_Y]] in %[[X]]
// CHECK-NEXT:      %[[NEW_Y:.*]] = bufferization.materialize_in_destination %[[OLD_X]] in %[[Y]]
// CHECK-NEXT:      scf.yield %[[NEW_X]], %[[NEW_Y]]
func.func @tiles_that_swap_are_copied_first(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: index, %one: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.for %i = %one to %n step %one iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %y, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @an_update_of_another_carried_tile_is_copied(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK:           %[[UPDATE:.*]] = tensor.insert %{{.*}} into %[[Y]]
// CHECK-NEXT:      %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[UPDATE]])
// CHECK-NEXT:      bufferization.materialize_in_destination %[[COPY]] in %[[X]]
func.func @an_update_of_another_carried_tile_is_copied(%a: tensor<4xf32>, %b: tensor<4xf32>, %v: f32, %n: index, %one: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.for %i = %one to %n step %one iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    %u = tensor.insert %v into %y[%one] : tensor<4xf32>
    scf.yield %u, %y : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @an_update_of_itself_is_not_copied(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK-NOT:       alloc_tensor
// CHECK:           %[[SUM:.*]] = linalg.matmul {{.*}} outs(%[[X]] :
// CHECK-NEXT:      %[[HERE:.*]] = bufferization.materialize_in_destination %[[SUM]] in %[[X]]
// CHECK-NEXT:      scf.yield %[[HERE]]
func.func @an_update_of_itself_is_not_copied(%a: tensor<4x4xf32>, %n: index, %one: index) -> tensor<4x4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4x4xf32>) {
    %y = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// Other elements of the same buffer: written in place they could be read after they were overwritten.
// CHECK-LABEL: func @another_view_of_the_carried_tile_is_copied(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[VIEW:.*]] = tensor.expand_shape
// CHECK-NEXT:      %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[VIEW]])
// CHECK-NEXT:      bufferization.materialize_in_destination %[[COPY]] in %[[X]]
func.func @another_view_of_the_carried_tile_is_copied(%a: tensor<2x3xf32>, %n: index, %one: index) -> tensor<2x3xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<2x3xf32>) {
    %flat = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
    %y = tensor.expand_shape %flat [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    scf.yield %y : tensor<2x3xf32>
  }
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func @a_branch_may_give_the_other_tile(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK:           %[[CHOSEN:.*]] = scf.if
// CHECK:           bufferization.alloc_tensor() copy(%[[CHOSEN]])
func.func @a_branch_may_give_the_other_tile(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %n: index, %one: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.for %i = %one to %n step %one iter_args(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
    %z = scf.if %c -> (tensor<4xf32>) {
      scf.yield %x : tensor<4xf32>
    } else {
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %z, %y : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func @a_branch_that_keeps_or_replaces_is_an_update(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[CHOSEN:.*]] = scf.if
// CHECK-NOT:       alloc_tensor
// CHECK:           bufferization.materialize_in_destination %[[CHOSEN]] in %[[X]]
func.func @a_branch_that_keeps_or_replaces_is_an_update(%a: tensor<4xf32>, %c: i1, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %z = scf.if %c -> (tensor<4xf32>) {
      scf.yield %x : tensor<4xf32>
    } else {
      %y = arith.addf %x, %a : tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %z : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What the inner loop returns lies in the buffer of the outer loop's tile, where it started.
// CHECK-LABEL: func @loops_in_loops_share_the_buffer(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[Y:.*]] = %[[X]])
// CHECK:             bufferization.materialize_in_destination %{{.*}} in %[[Y]]
// CHECK:           }
// CHECK-NOT:       alloc_tensor
// CHECK-NOT:       materialize_in_destination
// CHECK:           scf.yield %[[INNER]]
func.func @loops_in_loops_share_the_buffer(%a: tensor<4xf32>, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %s = scf.for %j = %one to %n step %one iter_args(%y = %x) -> (tensor<4xf32>) {
      %z = arith.addf %y, %a : tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @a_tile_of_the_outer_loop_is_copied_into_the_inner(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           scf.for {{.*}} iter_args(%[[Y:.*]] = %{{.*}})
// CHECK-NEXT:        %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK-NEXT:        bufferization.materialize_in_destination %[[COPY]] in %[[Y]]
func.func @a_tile_of_the_outer_loop_is_copied_into_the_inner(%a: tensor<4xf32>, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %s = scf.for %j = %one to %n step %one iter_args(%y = %a) -> (tensor<4xf32>) {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @a_while_loop_updates_its_tiles_where_they_are(
// CHECK:         scf.while (%[[X:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}})
// CHECK:           scf.condition(%{{.*}}) %[[X]], %[[I]]
// CHECK:         ^bb0(%[[Y:.*]]: tensor<4xf32>, %{{.*}}: i64):
// CHECK:           %[[NEXT:.*]] = arith.addf %[[Y]]
// CHECK:           %[[HERE:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[Y]]
// CHECK-NEXT:      scf.yield %[[HERE]], %{{.*}}
func.func @a_while_loop_updates_its_tiles_where_they_are(%a: tensor<4xf32>, %n: i64) -> tensor<4xf32> {
  %r:2 = scf.while (%x = %a, %i = %n) : (tensor<4xf32>, i64) -> (tensor<4xf32>, i64) {
    %c = arith.cmpi slt, %i, %n : i64
    scf.condition(%c) %x, %i : tensor<4xf32>, i64
  } do {
  ^bb0(%y: tensor<4xf32>, %j: i64):
    %z = arith.addf %y, %a : tensor<4xf32>
    %k = arith.addi %j, %n : i64
    scf.yield %z, %k : tensor<4xf32>, i64
  }
  return %r#0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @a_while_loop_may_change_a_tile_before_its_test(
// CHECK:         scf.while (%[[X:.*]] = %{{.*}})
// CHECK:           %[[NEXT:.*]] = arith.addf %[[X]]
// CHECK:           %[[HERE:.*]] = bufferization.materialize_in_destination %[[NEXT]] in %[[X]]
// CHECK-NEXT:      scf.condition(%{{.*}}) %[[HERE]]
func.func @a_while_loop_may_change_a_tile_before_its_test(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %r = scf.while (%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
    %z = arith.addf %x, %a : tensor<4xf32>
    scf.condition(%c) %z : tensor<4xf32>
  } do {
  ^bb0(%y: tensor<4xf32>):
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Scans and atomics insert into what they carry: there is nothing to materialize.
// CHECK-LABEL: func @loops_in_place_by_construction_stay(
// CHECK:         scf.for
// CHECK:           %[[NEXT:.*]] = tensor.insert
// CHECK-NEXT:      scf.yield %[[NEXT]]
func.func @loops_in_place_by_construction_stay(%a: tensor<4xf32>, %v: f32, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %y = tensor.insert %v into %x[%i] : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  } {tegula.in_place}
  return %r : tensor<4xf32>
}

// -----

// As it lies in the array its rows are strided, which the tile that replaces it cannot be.
// CHECK-LABEL: func @a_tile_in_an_array_is_copied_for_the_loop(
// CHECK:         %[[TILE:.*]] = bufferization.to_tensor
// CHECK:         %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[TILE]] : tensor<4x4xf32>)
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
func.func @a_tile_in_an_array_is_copied_for_the_loop(%m: memref<4x4xf32, strided<[?, 1], offset: ?>>, %n: index, %one: index) -> tensor<4x4xf32> {
  %a = bufferization.to_tensor %m restrict : memref<4x4xf32, strided<[?, 1], offset: ?>> to tensor<4x4xf32>
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4x4xf32>) {
    %y = arith.addf %x, %x : tensor<4x4xf32>
    scf.yield %y : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

// Else the update in the other branch could not be done in the carried tile.
// CHECK-LABEL: func @a_tile_of_outside_is_copied_for_a_branch_in_a_loop(
// CHECK-SAME:    %{{.*}}: tensor<4xf32>, %[[OTHER:[^:]*]]: tensor<4xf32>,
// CHECK:         %[[OUTSIDE:.*]] = math.sqrt %[[OTHER]]
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             %[[SUM:.*]] = arith.addf
// CHECK-NEXT:        scf.yield %[[SUM]]
// CHECK:           } else {
// CHECK:             %[[COPY:.*]] = linalg.generic {{.*}} ins(%[[OUTSIDE]] :
// CHECK:             scf.yield %[[COPY]]
func.func @a_tile_of_outside_is_copied_for_a_branch_in_a_loop(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: i1, %n: index, %one: index) -> tensor<4xf32> {
  %z = math.sqrt %b : tensor<4xf32>
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %w = scf.if %c -> (tensor<4xf32>) {
      %y = arith.addf %x, %a : tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    } else {
      scf.yield %z : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @outside_of_loops_branches_pass_tiles_as_they_are(
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @outside_of_loops_branches_pass_tiles_as_they_are(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %z = math.sqrt %a : tensor<4xf32>
  %w = scf.if %c -> (tensor<4xf32>) {
    %y = arith.addf %z, %a : tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  } else {
    scf.yield %z : tensor<4xf32>
  }
  return %w : tensor<4xf32>
}

// -----

// What an inner loop has made of a tile is in its buffer already.
// CHECK-LABEL: func @nested_loops_carry_one_buffer(
// CHECK:         scf.for {{.*}} iter_args(%[[OUTER:.*]] = %{{.*}})
// CHECK:           %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[X:.*]] = %[[OUTER]])
// CHECK:             %[[NEW:.*]] = bufferization.materialize_in_destination %{{.*}} in %[[X]]
// CHECK:             scf.yield %[[NEW]]
// CHECK:           bufferization.to_buffer %[[INNER]]
// CHECK-NOT:       materialize_in_destination
// CHECK:           scf.yield %[[INNER]]
func.func @nested_loops_carry_one_buffer(%a: tensor<4xf32>, %b: memref<4xf32>, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %s = scf.for %j = %one to %n step %one iter_args(%y = %x) -> (tensor<4xf32>) {
      %z = arith.addf %y, %y : tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    %m = bufferization.to_buffer %s read_only : tensor<4xf32> to memref<4xf32>
    memref.copy %m, %b : memref<4xf32> to memref<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// What neither the body nor a user needs is passed on nevertheless, in the order in which it is carried; a value that is not carried
// comes last.
// CHECK-LABEL: func @a_while_passes_on_all_it_carries(
// CHECK:         %[[R:.*]]:4 = scf.while (%[[FLAG:.*]] = %{{.*}}, %[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : (i1, i64, tensor<4xf32>) -> (i1, i64, tensor<4xf32>, i64) {
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]]
// CHECK:           scf.condition(%[[FLAG]]) %[[FLAG]], %[[I]], %[[X]], %[[NEXT]]
// CHECK:         ^bb0(%{{.*}}: i1, %{{.*}}: i64, %[[Y:.*]]: tensor<4xf32>, %[[J:.*]]: i64):
// CHECK:           %[[SUM:.*]] = arith.addf %[[Y]], %[[Y]]
// CHECK:           %[[NEW:.*]] = bufferization.materialize_in_destination %[[SUM]] in %[[Y]]
// CHECK:           scf.yield %{{.*}}, %[[J]], %[[NEW]]
// CHECK:         return %[[R]]#2, %[[R]]#3
func.func @a_while_passes_on_all_it_carries(%a: tensor<4xf32>, %n: i64, %f: i1) -> (tensor<4xf32>, i64) {
  %r:2 = scf.while (%flag = %f, %i = %n, %x = %a) : (i1, i64, tensor<4xf32>) -> (tensor<4xf32>, i64) {
    %next = arith.addi %i, %n : i64
    scf.condition(%flag) %x, %next : tensor<4xf32>, i64
  } do {
  ^bb0(%y: tensor<4xf32>, %j: i64):
    %sum = arith.addf %y, %y : tensor<4xf32>
    %more = arith.cmpi slt, %j, %n : i64
    scf.yield %more, %j, %sum : i1, i64, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, i64
}

// -----

// A loop that makes only some cases of the new tile works on a copy.
// CHECK-LABEL: func @a_loop_in_one_branch_starts_with_a_copy(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = scf.if
// CHECK:             %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]])
// CHECK:             scf.for {{.*}} iter_args(%{{.*}} = %[[COPY]])
// CHECK:           } else {
// CHECK:           }
// CHECK:           bufferization.materialize_in_destination %[[NEW]] in %[[X]]
func.func @a_loop_in_one_branch_starts_with_a_copy(%a: tensor<4xf32>, %c: i1, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %w = scf.if %c -> (tensor<4xf32>) {
      %s = scf.for %j = %one to %n step %one iter_args(%y = %x) -> (tensor<4xf32>) {
        %z = arith.addf %y, %y : tensor<4xf32>
        scf.yield %z : tensor<4xf32>
      }
      scf.yield %s : tensor<4xf32>
    } else {
      %z = arith.mulf %x, %x : tensor<4xf32>
      scf.yield %z : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @loops_in_both_branches_share_the_buffer(
// CHECK:         scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}})
// CHECK:           %[[NEW:.*]] = scf.if
// CHECK:             scf.for {{.*}} iter_args(%{{.*}} = %[[X]])
// CHECK:           } else {
// CHECK:             scf.yield %[[X]]
// CHECK:           scf.yield %[[NEW]]
func.func @loops_in_both_branches_share_the_buffer(%a: tensor<4xf32>, %c: i1, %n: index, %one: index) -> tensor<4xf32> {
  %r = scf.for %i = %one to %n step %one iter_args(%x = %a) -> (tensor<4xf32>) {
    %w = scf.if %c -> (tensor<4xf32>) {
      %s = scf.for %j = %one to %n step %one iter_args(%y = %x) -> (tensor<4xf32>) {
        %z = arith.addf %y, %y : tensor<4xf32>
        scf.yield %z : tensor<4xf32>
      }
      scf.yield %s : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    scf.yield %w : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
