// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics --cuda-lower-float8

// expected-error @+1 {{the module does not say which GPU it is for; set 'tegula.arch' to one of sm_80, sm_86, sm_89, sm_90a, sm_100a, sm_120a}}
module {
}

// -----

// expected-error @+1 {{'gfx942' is no NVIDIA GPU}}
module attributes {tegula.arch = "gfx942"} {
}
