// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{extent 3 is not a power of two from 1 to 2^30}}
#l = #layout.linear<register = [[1]], shape = [3]>

// -----

// expected-error @below {{extent 0 is not a power of two from 1 to 2^30}}
#l = #layout.linear<shape = [0]>

// -----

// expected-error @below {{extent -4 is not a power of two from 1 to 2^30}}
#l = #layout.linear<shape = [-4]>

// -----

// expected-error @below {{extent 2147483648 is not a power of two from 1 to 2^30}}
#l = #layout.linear<shape = [2147483648]>

// -----

// expected-error @below {{shape has more than 2^31 elements}}
#l = #layout.linear<shape = [65536, 65536]>

// -----

// expected-error @below {{lane basis 1 has coordinate 4 along dimension 0 of extent 4}}
#l = #layout.linear<lane = [[1], [4]], shape = [4]>

// -----

// expected-error @below {{warp basis 0 has coordinate -1 along dimension 1 of extent 4}}
#l = #layout.linear<warp = [[0, -1]], shape = [4, 4]>

// -----

// expected-error @below {{block basis 0 has 1 coordinates, the shape has 2}}
#l = #layout.linear<block = [[1]], shape = [4, 4]>

// -----

// expected-error @below {{C3: layout leaves out elements of its shape: register = [[1], [3]], lane = [], warp = [], block = [], shape = [8]}}
#l = #layout.linear<register = [[1], [3]], shape = [8]>

// -----

// expected-error @below {{layout needs a 'shape'}}
#l = #layout.linear<register = [[1]]>

// -----

// expected-error @below {{expected 'register', 'lane', 'warp', 'block', 'offset' or 'shape', got 'thread'}}
#l = #layout.linear<thread = [[1]], shape = [2]>

// -----

// expected-error @below {{'lane' is given twice}}
#l = #layout.linear<lane = [[1]], lane = [[1]], shape = [2]>

// -----

// expected-error @below {{expected '['}}
#l = #layout.linear<lane = [1], shape = [2]>

// -----

#l = #layout.linear<lane = [[1]], shape = [2]>
// expected-error @below {{C4: layout is of shape (2,), the tensor of shape (4,)}}
func.func private @tensor_of_another_shape(tensor<4xf32, #l>)

// -----

#l = #layout.linear<lane = [[1]], shape = [2]>
// expected-error @below {{C4: layout is of shape (2,), the tensor of shape (2, 1)}}
func.func private @tensor_of_another_rank(tensor<2x1xf32, #l>)

// -----

#l = #layout.linear<register = [[1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1]],
                    // expected-error @above {{there are more than 31 bases}}
                    lane = [[1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1]], shape = [2]>
