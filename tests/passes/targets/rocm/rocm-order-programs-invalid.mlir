// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file -verify-diagnostics -rocm-order-programs

// expected-error@+1 {{the module does not say which GPU it is for}}
module {
}

// -----

// expected-error@+1 {{there is no AMD GPU "sm_90a"; 'tegula.arch' must be one of}}
module attributes {tegula.arch = "sm_90a"} {
}
