// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --lower-to-threads

// expected-error @+1 {{the module does not say what it is compiled for; run lower-set-target first}}
module {
  func.func @no_target() attributes {tile.kernel} {
    return
  }
}

// -----

// expected-error @+1 {{unknown architecture "abacus"; known are}}
module attributes {tegula.arch = "abacus"} {
  func.func @unknown_target() attributes {tile.kernel} {
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  // expected-error @+1 {{needs 'tegula.num_warps'; run lower-assign-layouts first}}
  func.func @no_warps() attributes {tile.kernel} {
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  // expected-error @+1 {{'tegula.num_warps' must be a power of two from 1 to 32, got 3}}
  func.func @three_warps() attributes {tile.kernel, tegula.num_warps = 3 : i32} {
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  func.func @no_layout() attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    // expected-error @+1 {{has a tile without layout, 'tensor<4xf32>'; run lower-assign-layouts first}}
    %c = arith.constant dense<0.0> : tensor<4xf32>
    return
  }
}

// -----

#row = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>
module attributes {tegula.arch = "generic64"} {
  func.func @layout_for_fewer_lanes() attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    // expected-error @+1 {{has a tile whose layout is for 32 lanes and 1 warps; the kernel has 64 and 1}}
    %c = arith.constant dense<0.0> : tensor<64xf32, #row>
    return
  }
}

// -----

#row = #layout.linear<register = [], lane = [[2], [4], [8], [16], [32]], warp = [], block = [[1]], shape = [64]>
module attributes {tegula.arch = "generic32"} {
  func.func @tile_of_two_blocks() attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    // expected-error @+1 {{has a tile that is not spread over one program's threads}}
    %c = arith.constant dense<0.0> : tensor<64xf32, #row>
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  // expected-error @+1 {{a kernel returns nothing; store results to an array}}
  func.func @result(%x: f32) -> f32 attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    return %x : f32
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  // expected-error @+1 {{argument type 'index' is neither an array view nor a scalar}}
  func.func @index_argument(%x: index) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  // expected-error @+1 {{a kernel must have a body of one block; use scf for control flow}}
  func.func @blocks() attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    cf.br ^next
  ^next:
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  func.func @view_of_unknown_origin(%c: i1, %a: !tile.view<?xf32>, %b: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %v = arith.select %c, %a, %b : !tile.view<?xf32>
    // expected-error @below {{accesses an array that is no argument of the kernel}}
    // expected-error @below {{failed to legalize operation 'tile.dim'}}
    %n = tile.dim %v, 0 : !tile.view<?xf32>
    return
  }
}

// -----

#a = #layout.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = [], shape = [64]>
#b = #layout.linear<register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], shape = [64]>
module attributes {tegula.arch = "generic32"} {
  func.func @different_layouts(%a: !tile.view<?xf32>) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    %c = arith.constant dense<0.0> : tensor<64xf32, #a>
    // expected-error-re @below {{'arith.extf' op operand type {{.*}} are cast incompatible}}
    %d = "arith.extf"(%c) : (tensor<64xf32, #a>) -> tensor<64xf64, #b>
    return
  }
}

// -----

module attributes {tegula.arch = "generic32"} {
  func.func @operation_without_lowering(%x: i32) attributes {tile.kernel, tegula.num_warps = 1 : i32} {
    // expected-error @+1 {{failed to legalize operation 'tile.floordiv'}}
    %c = tile.floordiv %x, %x : i32
    return
  }
}
