# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of matrix products in transformers: tokens, outputs and inputs of linear layers.

Layers of models from GPT-2 to today's, for batches from a few tokens that are being generated to
long prompts. Odd token counts are those of real inputs (1500 frames of audio, 197 and 577 patches
and a class token of images, prompts of no round length); vocabularies are odd by themselves.
"""

from __future__ import annotations

SHAPES: tuple[tuple[int, int, int], ...] = (
    # Hidden size 4096: attention in and out, gated and plain feed-forward, for growing batches.
    (16, 4096, 4096),
    (64, 4096, 4096),
    (128, 6144, 4096),
    (256, 4096, 4096),
    (512, 12288, 4096),
    (1024, 4096, 4096),
    (2048, 6144, 4096),
    (2048, 4096, 14336),
    (2048, 28672, 4096),
    (4096, 11008, 4096),
    (4096, 4096, 11008),
    (8192, 4096, 14336),
    (16384, 4096, 4096),
    # Hidden sizes 5120 and 8192.
    (64, 8192, 8192),
    (512, 5120, 13824),
    (1024, 10240, 8192),
    (2048, 13824, 5120),
    (4096, 8192, 28672),
    (4096, 57344, 8192),
    (8192, 10240, 8192),
    # Small models: hidden sizes 768, 1024, 1280, 1600, 2048, 2560.
    (1024, 768, 3072),
    (4096, 3072, 768),
    (8192, 1024, 1024),
    (8192, 4096, 1024),
    (2048, 1280, 1280),
    (1024, 6400, 1600),
    (2048, 4800, 1600),
    (4096, 2560, 10240),
    (8192, 8192, 2048),
    # Experts: few tokens each, narrow layers.
    (128, 2816, 2048),
    (384, 2048, 1408),
    (640, 4096, 7168),
    # Odd numbers of tokens.
    (77, 3072, 768),
    (197, 3072, 768),
    (1500, 5120, 1280),
    (577 * 4, 4096, 1024),
    (1023, 4096, 4096),
    (4097, 5120, 5120),
    # Vocabularies, one odd.
    (1024, 50257, 768),
    (512, 128256, 4096),
)
