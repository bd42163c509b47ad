// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

enum { MOST_WORDS = 8 };

/// A line of the file, in words.
typedef struct line {
    char* words[MOST_WORDS];
    int count;
} line;

static bool split(char* text, line* l)
{
    l->count = 0;
    for (char* word = text;;) {
        word += strspn(word, " \t\r");
        if (!*word || *word == '#') return true;
        if (l->count == MOST_WORDS) return false;
        l->words[l->count++] = word;
        word += strcspn(word, " \t\r");
        if (*word) *word++ = '\0';
    }
}

static bool number(const char* text, double low, double high, double* value)
{
    char* end = NULL;
    *value = strtod(text, &end);
    return *end == '\0' && end != text && *value >= low && *value <= high;
}

/// The modifiers are the words from `from` on.
static bool modifiers(const line* l, int from, tact_view_event* e)
{
    static const char* const names[] = {"shift", "ctrl", "alt"};
    for (int w = from; w < l->count; ++w) {
        int k = 0;
        while (k < 3 && strcmp(l->words[w], names[k]) != 0)
            ++k;
        if (k == 3) return false;
        e->modifiers |= 1u << k;
    }
    return true;
}

static bool button(const line* l, tact_view_event* e)
{
    static const char* const names[] = {"left", "right", "middle"};
    if (l->count < 3) return false;
    e->kind = TACT_VIEW_BUTTON;
    e->button = -1;
    for (int k = 0; k < 3; ++k) {
        if (strcmp(l->words[1], names[k]) == 0) e->button = k;
    }
    e->down = strcmp(l->words[2], "down") == 0;
    return e->button >= 0 && (e->down || strcmp(l->words[2], "up") == 0) && modifiers(l, 3, e);
}

static bool key(const line* l, tact_view_event* e)
{
    static const struct {
        const char* name;
        int key;
    } named[] = {{"escape", TACT_VIEW_ESCAPE}, {"left", TACT_VIEW_BEFORE}, {"right", TACT_VIEW_AFTER},
                 {"home", TACT_VIEW_HOME},     {"end", TACT_VIEW_END},     {"space", TACT_VIEW_SPACE}};
    if (l->count < 2) return false;
    const char* name = l->words[1];
    e->kind = TACT_VIEW_KEY;
    e->key = strlen(name) == 1 && (strchr("[]", *name) || (*name >= 'A' && *name <= 'Z')) ? *name : 0;
    for (size_t i = 0; i < sizeof named / sizeof *named; ++i) {
        if (strcmp(name, named[i].name) == 0) e->key = named[i].key;
    }
    return e->key && modifiers(l, 2, e);
}

static bool two_numbers(const line* l, tact_view_event_kind kind, double low, double high, tact_view_event* e)
{
    e->kind = kind;
    return l->count == 3 && number(l->words[1], low, high, &e->x) && number(l->words[2], low, high, &e->y);
}

static bool frames(const line* l, tact_view_event* e)
{
    double n = 1.0;
    e->kind = TACT_VIEW_FRAME;
    if (l->count > 2 || (l->count == 2 && !number(l->words[1], 1.0, 1e6, &n))) return false;
    e->count = (uint32_t)n;
    return true;
}

static bool understand(const line* l, tact_view_event* e)
{
    const char* word = l->words[0];
    *e = (tact_view_event){.kind = TACT_VIEW_QUIT};
    if (strcmp(word, "move") == 0) return two_numbers(l, TACT_VIEW_MOVE, -1e6, 1e6, e);
    if (strcmp(word, "resize") == 0) {
        return two_numbers(l, TACT_VIEW_RESIZE, 1.0, 16384.0, e) && e->x == floor(e->x) && e->y == floor(e->y);
    }
    if (strcmp(word, "button") == 0) return button(l, e);
    if (strcmp(word, "key") == 0) return key(l, e);
    if (strcmp(word, "frame") == 0) return frames(l, e);
    if (strcmp(word, "scroll") == 0) {
        e->kind = TACT_VIEW_SCROLL;
        return l->count == 2 && number(l->words[1], -1000.0, 1000.0, &e->y);
    }
    if (strcmp(word, "shot") == 0) {
        e->kind = TACT_VIEW_SHOT;
        return l->count == 2 && snprintf(e->path, sizeof e->path, "%s", l->words[1]) < (int)sizeof e->path;
    }
    if (strcmp(word, "leave") == 0) e->kind = TACT_VIEW_LEAVE;
    return l->count == 1 && (e->kind == TACT_VIEW_LEAVE || strcmp(word, "quit") == 0);
}

static bool add(tact_view_script* s, const tact_view_event* e)
{
    // Grows at powers of two.
    if ((s->count & (s->count - 1)) == 0) {
        tact_view_event* events = realloc(s->events, (s->count ? 2 * s->count : 1) * sizeof *events);
        if (!events) return false;
        s->events = events;
    }
    s->events[s->count++] = *e;
    return true;
}

static bool take_lines(const char* path, char* text, tact_view_script* script, tact_problem* problem)
{
    size_t row = 0;
    for (char* next = text; next;) {
        char* here = next;
        line l;
        tact_view_event e;
        next = strchr(here, '\n');
        if (next) *next++ = '\0';
        ++row;
        const bool few = split(here, &l);
        if (few && l.count == 0) continue;
        if (!few || !understand(&l, &e)) {
            return tact_problem_set(problem, "%s: line %zu: not an event: %s", path, row, here);
        }
        if (!add(script, &e)) return tact_problem_out_of_memory(problem, path);
    }
    return true;
}

bool tact_view_script_read(const char* path, tact_view_script* script, tact_problem* problem)
{
    void* bytes = NULL;
    size_t size = 0;
    *script = (tact_view_script){0};
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    char* text = malloc(size + 1);
    bool good = text != NULL || tact_problem_out_of_memory(problem, path);
    if (good) {
        memcpy(text, bytes, size);
        text[size] = '\0';
        good = strlen(text) == size || tact_problem_set(problem, "%s: byte %zu: not a text", path, strlen(text));
    }
    good = good && take_lines(path, text, script, problem);
    free(text);
    free(bytes);
    if (!good) tact_view_script_free(script);
    return good;
}

void tact_view_script_free(tact_view_script* script)
{
    free(script->events);
    *script = (tact_view_script){0};
}
