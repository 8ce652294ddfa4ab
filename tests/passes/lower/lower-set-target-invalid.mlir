// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -verify-diagnostics --lower-set-target=arch=abacus

// expected-error @+1 {{unknown architecture 'abacus'; known are}}
module {
}
