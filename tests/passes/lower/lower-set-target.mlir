// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tegula-opt %s -split-input-file --lower-set-target=arch=generic64 | FileCheck %s

// CHECK: module attributes {tegula.arch = "generic64"}
module {
}

// -----

// A module may be compiled anew for another device.
// CHECK: module attributes {tegula.arch = "generic64"}
module attributes {tegula.arch = "generic32"} {
}
