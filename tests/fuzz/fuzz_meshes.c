// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken OBJ, PLY and STL files to their readers, each file to all of them. As it stands it is a program that
// tries a fixed number of mutations of the files given, the same every time: fuzz_meshes ROUNDS FILE ... With
// -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target; its corpus is tests/fuzz/corpus/meshes.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_formats.h"
#include "apps/inputs/random.h"
#include "tests/fuzz/fuzz_input.h"

/// What a reader promises about a mesh that it accepts.
static void check_mesh(const tact_model_mesh* mesh, size_t size)
{
    if (mesh->triangle_count == 0 || mesh->part_count == 0) abort();
    const uint64_t bytes =
        12 * ((uint64_t)mesh->vertex_count + mesh->triangle_count) + (uint64_t)mesh->part_count * sizeof *mesh->parts;
    if (bytes > 50 * (uint64_t)size) abort();
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
        if (mesh->indices[i] >= mesh->vertex_count) abort();
    size_t triangle = 0, vertex = 0;
    for (size_t i = 0; i < mesh->part_count; ++i) {
        const tact_model_part* p = &mesh->parts[i];
        if (p->first_triangle != triangle || p->triangle_count == 0 || p->first_vertex < vertex) abort();
        triangle += p->triangle_count;
        vertex = p->first_vertex + p->vertex_count;
        if (vertex > mesh->vertex_count || triangle > mesh->triangle_count) abort();
        for (size_t k = 3 * p->first_triangle; k < 3 * triangle; ++k)
            if (mesh->indices[k] < p->first_vertex || mesh->indices[k] >= vertex) abort();
        if (!memchr(p->name, 0, sizeof p->name)) abort();
    }
    if (triangle != mesh->triangle_count) abort();
    volatile float sum = 0.0f;
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
        sum = mesh->positions[i];
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static tact_mesh_parse* const readers[] = {tact_mesh_obj_parse, tact_mesh_ply_parse, tact_mesh_stl_parse};
    for (int i = 0; i < 3; ++i) {
        tact_model_mesh mesh;
        tact_problem problem = {0};
        if (readers[i](data, size, "fuzz", &mesh, &problem)) {
            check_mesh(&mesh, size);
        } else if (strncmp(problem.text, "fuzz: ", 6) != 0 || strchr(problem.text, '\n') || mesh.positions ||
                   problem.exit_code != TACT_EXIT_WRONG_USE) {
            abort();
        }
        tact_model_mesh_free(&mesh);
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

static const char* const words[] = {"f",
                                    "f 1 2 3\n",
                                    "v 1 2 3\n",
                                    "-1",
                                    "0",
                                    "1",
                                    "2147483648",
                                    "4294967295",
                                    "4294967296",
                                    "1e38",
                                    "nan",
                                    " ",
                                    "\n",
                                    "\r",
                                    "\\\n",
                                    "/",
                                    "o a\n",
                                    "g b\n",
                                    "element",
                                    "property",
                                    "list",
                                    "end_header",
                                    "int",
                                    "vertex",
                                    "face",
                                    "solid",
                                    "facet",
                                    "endfacet",
                                    "endsolid",
                                    "\xff\xff\xff\xff",
                                    "\x7f\xff\xff\xff",
                                    "uchar",
                                    "18446744073709551616"};

enum { MOST = 1 << 14 };

static size_t change(tact_random* random, uint8_t* bytes, size_t size)
{
    const size_t at = (size_t)tact_random_below(random, size);
    const char* word = words[tact_random_below(random, sizeof words / sizeof *words)];
    const size_t length = strlen(word);
    switch (tact_random_below(random, 6)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << tact_random_below(random, 8));
            return size;
        case 1:
            bytes[at] = (uint8_t)tact_random_next(random);
            return size;
        case 2:
            if (at + length <= size) memcpy(bytes + at, word, length);
            return size;
        case 3:
            // In between.
            if (size + length > MOST) return size;
            memmove(bytes + at + length, bytes + at, size - at);
            memcpy(bytes + at, word, length);
            return size + length;
        case 4: {
            // A piece is missing.
            const size_t most = size - at < 40 ? size - at : 40, gap = (size_t)tact_random_below(random, most + 1);
            memmove(bytes + at, bytes + at + gap, size - at - gap);
            return size > gap ? size - gap : size;
        }
        default:
            return tact_random_below(random, 8) ? size : at + 1;
    }
}

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    fuzz_try_files(argc, argv, 2);
    tact_random random = {1};
    long tried = 0;
    for (int i = 2; i < argc; ++i) {
        static uint8_t seed[MOST], bytes[MOST];
        FILE* file = fopen(argv[i], "rb");
        if (!file) return 2;
        const size_t size = fread(seed, 1, sizeof seed, file);
        fclose(file);
        if (size == 0) continue;
        for (long round = 0; round < rounds / (argc - 2); ++round, ++tried) {
            memcpy(bytes, seed, size);
            size_t used = size;
            for (uint64_t changes = 1 + tact_random_below(&random, 4); changes > 0; --changes)
                used = change(&random, bytes, used);
            fuzz_try(bytes, used);
        }
    }
    printf("%ld mutated files, none accepted wrongly\n", tried);
    return 0;
}

#endif
