// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/platform.h"
#include "core/dispatch/cost_store.h"
#include "tests/support/objects.h"

// Files of calibrations: written, read, and whatever else may lie where they should.

static const char head[] = "tact costs 1\ndevice made up\n";

static void fill(tact_cost_table* table)
{
    *table = (tact_cost_table){.day = 20779};
    tact_cost_entry* e = tact_cost_entry_of(table, "casting rays/closest");
    e->calibrated = true;
    e->samples = 12;
    e->error = 0.0625;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        e->coefficients[k] = 0.5 * k;
    tact_cost_entry_of(table, "only learned")->runs = 3;
    e = tact_cost_entry_of(table, "culling");
    e->calibrated = true;
    e->coefficients[TACT_COST_WORK] = TACT_COST_SLOWEST;
    e->bend_count = 3;
    e->bends[0] = (tact_cost_bend){1e-7, 2.0};  // too small for millionths
    e->bends[1] = (tact_cost_bend){0.25, 0.5};
    e->bends[2] = (tact_cost_bend){4.0, TACT_COST_FACTOR_MAX};
}

TEST(what_is_written_is_read)
{
    tact_cost_table table, back = {0};
    char text[TACT_COST_FILE_MAX];
    fill(&table);
    tact_cost_entry_of(&back, "casting rays/closest")->runs = 5;
    const size_t size = tact_cost_store_write(head, &table, text, sizeof text);
    assert_true(size > 0);
    assert_true(tact_cost_store_parse(head, text, size, &back, NULL));
    assert_true(back.day == 20779 && back.count == 2);
    const tact_cost_entry* e = tact_cost_find(&back, "casting rays/closest");
    assert_true(e && e->calibrated && e->samples == 12 && e->error == 0.0625 && e->runs == 5);
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        assert_true(e->coefficients[k] == 0.5 * k);
    assert_true(tact_cost_find(&back, "culling")->coefficients[TACT_COST_WORK] == TACT_COST_SLOWEST);
    assert_int_equal(e->bend_count, 0);
    e = tact_cost_find(&back, "culling");
    assert_true(e->bend_count == 2 && e->bends[0].work == 0.25 && e->bends[0].ratio == 0.5);
    assert_true(e->bends[1].work == 4.0 && e->bends[1].ratio == TACT_COST_FACTOR_MAX);
    for (size_t room = 1; room <= size; ++room)
        assert_int_equal(tact_cost_store_write(head, &table, text, room), 0);
}

TEST(the_largest_table_fits_into_a_file)
{
    static tact_cost_table table, back;
    static char text[TACT_COST_FILE_MAX];
    char key[TACT_COST_KEY];
    for (int i = 0; i < TACT_COST_ENTRIES; ++i) {
        snprintf(key, sizeof key, "a query with a long name/and a method of one %02d", i);
        tact_cost_entry* e = tact_cost_entry_of(&table, key);
        assert_non_null(e);
        e->calibrated = true;
        e->samples = TACT_COST_SAMPLES;
        e->error = 1.25;
        e->bend_count = TACT_COST_BENDS;
        for (int k = 0; k < TACT_COST_TERMS; ++k)
            e->coefficients[k] = 12.345678;
        for (int k = 0; k < TACT_COST_BENDS; ++k)
            e->bends[k] = (tact_cost_bend){ldexp(1.5, 2 * k - 6), 1.0 / 3.0};
    }
    const size_t size = tact_cost_store_write(head, &table, text, sizeof text);
    assert_true(size > 0 && tact_cost_store_parse(head, text, size, &back, NULL));
    assert_int_equal(back.count, TACT_COST_ENTRIES);
    assert_int_equal(back.entries[47].bend_count, TACT_COST_BENDS);
}

/// Each byte changed, each length cut: nothing of it is taken.
TEST(a_damaged_file_is_refused)
{
    static tact_cost_table table, untouched;
    static char text[TACT_COST_FILE_MAX + 1], broken[TACT_COST_FILE_MAX + 1];
    fill(&table);
    const size_t size = tact_cost_store_write(head, &table, text, sizeof text);
    static const tact_cost_table empty;
    for (size_t i = 0; i < size; ++i) {
        memcpy(broken, text, size);
        broken[i] = (char)(broken[i] ^ 1);
        assert_false(tact_cost_store_parse(head, broken, size, &untouched, NULL));
        assert_false(tact_cost_store_parse(head, text, i, &untouched, NULL));
    }
    assert_false(tact_cost_store_parse("tact costs 1\ndevice another\n", text, size, &untouched, NULL));
    assert_false(tact_cost_store_parse(head, text, sizeof text, &untouched, NULL));
    assert_memory_equal(&untouched, &empty, sizeof empty);
}

/// Whole by its end mark, which anybody can write.
static void sealed(const char* body, char* text, size_t size, size_t* used)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char* c = body; *c; ++c)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    const int written = snprintf(text, size, "%send %016llx\n", body, (unsigned long long)hash);
    assert_true(written > 0 && (size_t)written < size);
    *used = (size_t)written;
}

TEST(a_hostile_file_is_refused)
{
    static tact_cost_table table;
    static char body[TACT_COST_FILE_MAX], text[TACT_COST_FILE_MAX + 64];
    const char* const lines[] = {
        "entry 1 2 3 4 5000000 6 7 \n",                                    // no key
        "entry 1 2 3 4 5000000 6 7\n",                                     // nor a place for one
        "entry 1 2 3 4 5000000 6 7 key",                                   // no line's end
        "entry 1 2 3 4 5000000 129 7 key\n",                               // more samples than there can be
        "entry 1000000000000001 2 3 4 5000000 6 7 key\n",                  // too slow
        "entry 99999999999999999999999999999999 2 3 4 5000000 6 7 key\n",  // and beyond 64 bits
        "entry -1 2 3 4 5000000 6 7 key\n",                                // a device that gives time back
        "entry 0 0 0 0 0 6 7 key\n",                                       // or needs none
        "entry 1 1 1 1 1 6 7 key\n",                                       // or next to none
        "entry 99 99 99 99 99 6 7 key\n",                                  // just too quick
        "entry 0 0 100000000001 0 0 6 7 key\n",                            // just too slow
        "entry 1 2 3 4 5000000 6 7 0123456789012345678901234567890123456789012345678901234567890123\n",  // a long key
        "bend 2 1000000\nbend 1 1000000\n",  // sizes that do not grow
        "bend 0 1000000\n",                  // or are none
        "bend 1 0\n",                        // no time
        "bend 1 100000001\n",                // beyond what a calibration may say
        "bend 1 1000000 \n",
        "bend 1\n",
        "entri 1 2 3 4 5000000 6 7 key\n",
        "\n",
    };
    size_t size;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        snprintf(body, sizeof body, "%sday 7\nentry 1 2 3 4 5000000 6 7 first\n%s", head, lines[i]);
        sealed(body, text, sizeof text, &size);
        if (tact_cost_store_parse(head, text, size, &table, NULL)) fail_msg("accepted: %s", lines[i]);
        assert_true(table.count == 0 && table.day == 0);
    }
    const char* const days[] = {"day \n", "day 2932897\n", "day 99999999999999999999\n", "day 7", "dax 7\n"};
    for (size_t i = 0; i < sizeof days / sizeof *days; ++i) {
        snprintf(body, sizeof body, "%s%s", head, days[i]);
        sealed(body, text, sizeof text, &size);
        assert_false(tact_cost_store_parse(head, text, size, &table, NULL));
    }
    // More sizes than there is room for.
    size_t most = (size_t)snprintf(body, sizeof body, "%sday 7\nentry 1 2 3 4 5000000 6 7 first\n", head);
    for (int i = 1; i <= TACT_COST_BENDS + 1; ++i)
        most += (size_t)snprintf(body + most, sizeof body - most, "bend %d 1000000\n", i);
    sealed(body, text, sizeof text, &size);
    assert_false(tact_cost_store_parse(head, text, size, &table, NULL));
    // More entries than a table has.
    size_t used = (size_t)snprintf(body, sizeof body, "%sday 7\n", head);
    for (int i = 0; i <= TACT_COST_ENTRIES; ++i)
        used += (size_t)snprintf(body + used, sizeof body - used, "entry 1 2 3 4 5000000 6 7 key %d\n", i);
    sealed(body, text, sizeof text, &size);
    assert_false(tact_cost_store_parse(head, text, size, &table, NULL));
    snprintf(body, sizeof body, "%sday 7\nentry 1 2 3 4 5000000 6 7 first\n", head);
    sealed(body, text, sizeof text, &size);
    assert_true(tact_cost_store_parse(head, text, size, &table, NULL));
    assert_int_equal(table.count, 1);
}

/// What no machine has is refused, with a sentence that says what it is; what the slowest and the quickest have is not.
TEST(coefficients_of_no_machine_are_refused)
{
    static const struct {
        const char *line, *why;
    } cases[] = {
        {"entry 1 1 1 1 1 6 7 culling\n", "the coefficients of culling, from 1e-06 to 1e-06, are no machine's"},
        {"entry 0 0 1000000000000000 0 3 6 7 culling\n",
         "the coefficients of culling, from 0 to 1e+09, are no machine's"},
        {"entry 0 100 0 0 0 6 7 culling\n", NULL},
        {"entry 0 100000000000 0 0 0 6 7 culling\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char body[200], text[300], why[TACT_COST_WHY_MAX] = "";
        static tact_cost_table table;
        size_t size = 0;
        table = (tact_cost_table){0};
        snprintf(body, sizeof body, "%sday 7\n%s", head, cases[i].line);
        sealed(body, text, sizeof text, &size);
        assert_int_equal(tact_cost_store_parse(head, text, size, &table, why), cases[i].why == NULL);
        assert_int_equal(table.count, cases[i].why == NULL);
        if (cases[i].why) assert_string_equal(why, cases[i].why);
    }
}

static const char folder[] = "test_cost_store.tmp";  // in the folder that tests run in

static tact_context* open_in(const char* directory, bool uncalibrated)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .threads = 1,
                                    .cache_directory = directory,
                                    .disable_calibration = uncalibrated};
    return new_context(&desc);
}

TEST(files_are_kept_and_forgotten)
{
    tact_context* first = KEEP(open_in(folder, false));
    fill(&first->costs[0]);
    assert_true(tact_cost_store_save(first, 0));
    tact_context* second = KEEP(open_in(folder, false));
    assert_int_equal(second->costs[0].count, 0);
    tact_cost_store_load(second);
    assert_int_equal(second->costs[0].count, 2);
    assert_true(second->costs[0].day == 20779);
    tact_context* third = KEEP(open_in(folder, true));
    tact_cost_store_load(third);
    assert_int_equal(third->costs[0].count, 0);
    // Another number of threads is another device.
    tact_context* fourth = KEEP(open_in(folder, false));
    fourth->cpu.compute_units = 77;
    tact_cost_store_load(fourth);
    assert_int_equal(fourth->costs[0].count, 0);
    // What is no such file is passed over.
    char path[1200], text[TACT_COST_HEAD_MAX];
    assert_true(tact_cost_store_head(&first->cpu, text));
    assert_true(tact_cost_store_path(folder, text, path, sizeof path));
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("tact costs 1\n", file);
    fclose(file);
    tact_context* fifth = KEEP(open_in(folder, false));
    tact_cost_store_load(fifth);
    assert_int_equal(fifth->costs[0].count, 0);
    assert_true(tact_cost_store_forget(fifth, 0));
    assert_false(tact_platform_exists(path));
    assert_true(tact_cost_store_forget(fifth, 0));
}

TEST(without_a_place_nothing_is_kept)
{
    tact_context* context = open_in("/dev/null/there-is-no-such-place", false);
    assert_string_equal(context->cache_directory, "");
    fill(&context->costs[0]);
    assert_false(tact_cost_store_save(context, 0));
    tact_cost_store_load(context);
    assert_true(tact_cost_store_forget(context, 0));
    tact_context_destroy(context);
    // Where the file cannot be written, since a folder has its name; this holds for root too.
    char head_text[TACT_COST_HEAD_MAX], path[1200], made[1200];
    context = open_in(folder, false);
    fill(&context->costs[0]);
    assert_true(tact_cost_store_head(&context->cpu, head_text));
    assert_true(tact_cost_store_path(folder, head_text, path, sizeof path));
    assert_true(tact_platform_cache_directory(path, made, sizeof made, NULL));
    assert_false(tact_cost_store_save(context, 0));
    tact_context_destroy(context);
    context = open_in(folder, false);
    tact_cost_store_load(context);
    assert_int_equal(context->costs[0].count, 0);
    tact_context_destroy(context);
    remove(path);
}

static int make_folder(void** state)
{
    char path[1024];
    return tact_platform_cache_directory(folder, path, sizeof path, NULL) ? 0 : -1;
}

static int remove_folder(void** state)
{
    remove(folder);
    return 0;
}

#include TEST_LIST
RUN_ALL(make_folder, remove_folder)
